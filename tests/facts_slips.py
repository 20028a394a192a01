"""Facts with a slip, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.model import Column, Relation, ValueType
from tests.facts_samples import only, refused, small, write

THING = small(Column("n", ValueType("int"), unit="none"), Column("t", ValueType("text")))
ROW = {"id": "a", "n": 1, "t": ""}


def told(file: str, content: object, relations: dict[str, Relation] = THING) -> tuple[str, str | None]:
    """The message and the help of the one problem of a file."""
    problem = only(refused(write(Path(file), content), relations=relations))
    return problem.message, problem.help


# --- the form of JSON ------------------------------------------------------------------------------------------------

LINE = json.dumps(ROW)
VERDICT = '{"as_of": null, "format": 1, "policies": [], "verdict": "pass"}'
SHAPES = [
    ('{"thing": {"id": "a"}}', "`thing` holds an object, not a list of rows", 'write `{"thing": [{…}]}`'),
    ('{"thing": "c1", "n": 1}', "this looks like a row alone", 'write `{"thing": [{…}]}`, if `thing` is its relation'),
    (f"{LINE}\n{LINE}\n", "one row follows the other, which is JSON Lines", "rename it to `.jsonl`"),
    ('{"data": {"thing": []}}', "`data` stands around the relations", 'write `{"thing": [rows]}` without it'),
    (VERDICT, "this is a verdict of Fiel, not facts", "name the facts that it judged"),
    (
        '{"facts": {"thing": {"rows": 1}}, "status": "complete"}',
        "this is the record of a sensor's run, not facts",
        "name the folder that holds it",
    ),
    (f"[{LINE}]", "a list, and an object was expected", 'write `{"relation": [rows]}`, with its name'),
    (f'{{"thing": [{LINE},]}}', "no JSON: a comma before `]`", "take it out"),
    ('{"thing": [{"id": "a", }]}', "no JSON: a comma before `}`", "take it out"),
    (f'{{"thing": [{LINE}],\n}}', "no JSON: a comma before `}`", "take it out"),
    ("{'thing': []}", "no JSON: a single quote", "JSON wants double quotes"),
    ("{\"thing\": [{'id': 'a'}]}", "no JSON: a single quote", "JSON wants double quotes"),
    ('{"thing": [{"id": \'a\'}]}', "no JSON: a single quote", "JSON wants double quotes"),
    ('{"thing": [{"id": “a”}]}', "no JSON: the quote U+201C", 'JSON wants double quotes, straight ones: `"`'),
    ('{"thing": [{"id": None}]}', "no JSON: `None` is no word of JSON", "write `null`"),
    ('{"thing": [{"id": a}]}', "no JSON: the text `a` without quotes", "JSON wants texts in double quotes"),
    (
        '{"thing": [{id: "a"}]}',
        "no JSON: the name `id` without quotes",
        'write `"id"`: JSON wants names in double quotes',
    ),
    ('{"thing": [] // none\n}', "no JSON: a comment", "JSON has none; take it out"),
    ('{"thing": [{"n": 1} {"n": 2}]}', "no JSON: no comma before `{`", "put a comma between two entries"),
    ('{"thing": [{"n": .5}]}', "no JSON: a number that begins with `.`", "write a digit first, as in `0.5`"),
    (
        '{"thing": [{"n": 05}]}',
        "no JSON: a number with a leading zero",
        "take the zero away, or put a text in quotes",
    ),
    (
        '{"thing": [{"id": "a "b" c"}]}',
        "no JSON: a text goes on after its closing quote",
        'write a quote inside a text as `\\"`',
    ),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path
