"""The schemas, and the small validator that reads them, against a general one."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from engine.errors import InternalError
from engine.home import SCHEMAS
from engine.load.nodes import Items, Node, Scalar, Table
from engine.load.reading import parse_bytes
from engine.load.schemas import KINDS, belongs, load_schema
from engine.load.shape import check_shape
from engine.load.words import json_type

VALID: dict[str, Any] = {
    "pack": {"format": 1, "pack": "prose", "title": "Prose", "version": "0.1.0", "licence": "Apache-2.0"},
    "relations": {
        "sentence": {
            "row": "One sentence.",
            "key": ["doc", "n"],
            "columns": {
                "doc": {"type": "text", "one_of": ["a", "b"]},
                "n": {"type": "int", "unit": "none", "min": 1, "max": "9.5"},
                "mark": {"type": "decimal", "digits": 5, "places": 2, "unit": "point", "required": True},
                "level": {"type": "levels", "levels": ["low", "high"], "note": "a note"},
            },
            "cannot_see": "More.",
        }
    },
    "parameters": {
        "most": {"value": 30, "unit": "word", "origin": "convention", "because": "So."},
        "some": {"values_of": ["a", 2, True], "origin": "contract", "because": "So.", "checked": "2026-01-01"},
        "dated": {
            "values": [{"from": "2020-01-01", "until": "2021-01-01", "value": "2%", "source": "x"}],
            "unit": "share",
            "origin": "law",
        },
    },
    "policy": {
        "policy": "prose.short",
        "title": "Short",
        "for": "sentence",
        "where": "n > 0",
        "if_none": "not_applicable",
        "must": "n <= most",
        "per": ["doc"],
        "each_of": "text",
        "allow": "few",
        "as_of": "judged_on",
        "params": {"most": {"value": 30, "unit": "word", "origin": "convention", "because": "So."}},
        "source": {"act": "An act", "quote": "Words."},
        "obliges": {"procedure": "Ask", "authority": "Them", "lead_time": "days"},
        "cannot_see": "More.",
        "example": {"doc": "a", "n": 1, "level": None},
        "example_facts": {"text": [{"doc": "a"}]},
        "cases": [
            {"n": 31, "expect": "fail"},
            {"rows": "absent", "expect": "no_evidence", "reason": "absent_relation"},
            {
                "rows": [{"n": 3, "repeat": 2}],
                "facts": {"text": []},
                "judged_on": "2026-01-01",
                "expect": "pass",
                "expect_rows": [{"doc": "a", "outcome": "pass"}],
            },
        ],
    },
    "waivers": [
        {
            "policy": "prose.short",
            "rows": {"doc": "a"},
            "owner": "me",
            "because": "So.",
            "until": "2026-12-14",
            "at_most": 1,
        }
    ],
    "references": {
        "list_a": {
            "title": "A list",
            "edition": "1.5",
            "file": "a-list-1.5.csv",
            "sha256": "0" * 64,
            "obtain": "https://example.org/a",
            "licence": "free",
            "cite": "Somebody",
            "format": "csv",
            "repealed": ["1.4"],
            "columns": {"headword": "Head Word", "level": {"from": "Level", "type": "levels", "levels": ["A1", "A2"]}},
            "prepare": [{"nfc": "headword"}],
            "key": ["headword"],
            "checked": "2026-11-30",
        }
    },
    "report": {
        "format": 1,
        "sensors": ["words"],
        "policies": ["short"],
        "checks": {"linked": {"shows": ["word"]}},
        "document": "text",
        "options": {"level": {"fills": "target", "help": "Which.", "default": "A1"}},
        "language": "lang",
        "text_language": "en",
        "scale": ["A1", "A2"],
        "headings": {
            "en": {
                "report": "R",
                "finds": "F",
                "find": "f",
                "proposals": "P",
                "proposal": "p",
                "corrections": "C",
                "correction": "c",
                "kind": "k",
            }
        },
        "about": [{"rows": "text", "words": {"en": "A {word}"}, "missing": {"en": "None"}}],
        "lede": [{"rows": "text", "once": True, "words": {"en": "{count}"}}],
        "finds": [
            {
                "rows": "seen",
                "name": "word",
                "kind": "pos",
                "note": "guide",
                "value": {"reference_in": "list", "show": "level", "claims": "level", "key": {"headword": "word"}},
            }
        ],
        "proposals": {
            "rows": "seen",
            "name": "word",
            "value": "level",
            "title": "item",
            "decided_by": "by",
            "official": {"file": {"reference": "list_a", "show": "level"}},
            "counts": {"file": {"en": "It counts."}},
        },
        "corrections": {
            "rows": "seen",
            "better": "word",
            "why": "why",
            "language": "lang",
            "weight": "level",
            "tags": ["kind"],
            "words": {"kind": {"a": {"en": "A"}}},
        },
        "score": {
            "rows": "seen",
            "value": "mark",
            "name": {"en": "Mark"},
            "formula": {"en": "a + b"},
            "low": "0",
            "high": "top",
            "numbers": ["top"],
            "parts": [
                {
                    "name": {"en": "A"},
                    "words": {"en": "so"},
                    "value": "a",
                    "weight": "w",
                    "gives": "g",
                    "numbers": ["top"],
                    "missing": [
                        {"if_absent": "seen", "words": {"en": "nobody"}},
                        {"if_none": "seen", "words": {"en": "none"}},
                        {"if_unknown": "a", "words": {"en": "no"}},
                    ],
                }
            ],
        },
        "withheld": [
            {
                "rows": "seen",
                "what": "word",
                "words": {"en": "why"},
                "if_absent": "seen",
                "values": [{"reference": "list_a", "show": "level"}],
            }
        ],
    },
    "sensors": {
        "reader": {
            "kind": "llm",
            "reads": "policies",
            "fills": ["claim"],
            "prompt": "prompts/scope.md",
            "questions": {"q": "Is it?"},
            "batch": 12,
            "estimate": {"repeats": 5},
            "cut": 0.5,
            "review": {"from": 0.4, "to": 0.6},
            "prices": {
                "input_per_million": 3,
                "output_per_million": 15,
                "currency": "USD",
                "checked": "2026-11-30",
            },
        }
    },
}


def write(value: Any) -> str:
    """A value as YAML in flow style, its keys plain."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {write(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(write(inner) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def plain(node: Node) -> Any:
    """The tree as an editor sees it. A number with a point is a Decimal, which is never taken for an integer."""
    if isinstance(node, Table):
        return {key: plain(inner) for key, inner in node.values.items()}
    if isinstance(node, Items):
        return [plain(inner) for inner in node.items]
    kind = json_type(node)
    if kind == "null":
        return None
    if kind == "boolean":
        return node.text.lower() == "true"
    if kind == "integer":
        return int(node.text)
    return Decimal(node.text) if kind == "number" else node.text


def general_validator(kind: str) -> Any:
    files = {path.name: json.loads(path.read_text("utf-8")) for path in SCHEMAS.glob("*.schema.json")}
    registry: Any = Registry().with_resources(
        (name, Resource.from_contents(schema, default_specification=DRAFT202012)) for name, schema in files.items()
    )
    return jsonschema.Draft202012Validator({"$ref": f"{kind}.schema.json"}, registry=registry)


VALIDATORS = {kind: general_validator(kind) for kind in KINDS}


def agree(kind: str, text: str) -> bool:
    """Whether the document is valid; fails if the two validators do not say the same."""
    source = parse_bytes(text.encode(), "f.yaml")
    assert source.problems == [], text
    assert source.root is not None
    problems = check_shape(source, kind).problems
    general = VALIDATORS[kind].is_valid(plain(source.root))
    assert general == (problems == []), (text, [problem.message for problem in problems])
    for problem in problems:
        assert problem.place is not None
        assert "\n" not in problem.message
    return bool(general)


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_example_of_each_kind_is_valid(kind: str) -> None:
    assert agree(kind, write(VALID[kind]))


SCALARS: list[Any] = [
    "", "x", "a b", "absent", "Name", "text", "law", "pass", "2024-01-01", "2024-1-1", "2%", "prose.short", "0" * 64,
    "prompts/x.md", 0, 1, -1, 3, 38, 39, 100000, 100001, 0.5, 1.5, True, False, None,
]  # fmt: skip
VALUES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["a", "from", "value", "expect"]), inner, max_size=2),
    ),
    max_leaves=3,
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value within a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(path for key, each in inner for path in paths(each, (*at, key)))]


@st.composite
def changed(draw: st.DrawFn, kind: str) -> Any:
    """A valid document with one to three changes: a value replaced, a key dropped, renamed or added."""
    document = json.loads(json.dumps(VALID[kind]))
    for _ in range(draw(st.integers(1, 3))):
        every = [path for path in paths(document) if path]
        if not every:
            break
        path = draw(st.sampled_from(every))
        parent = document
        for step in path[:-1]:
            parent = parent[step]
        change = draw(st.sampled_from(["replace", "drop", "rename", "add", "copy"]))
        if change == "replace":
            parent[path[-1]] = draw(VALUES)
        elif change == "drop":
            del parent[path[-1]]
        elif isinstance(parent, dict) and change == "rename":
            parent[draw(st.sampled_from(["Other", "other", "value", "values", "unit", "rows"]))] = parent.pop(path[-1])
        elif isinstance(parent, dict) and change == "add":
            parent[draw(st.sampled_from(["Other", "other", "value", "values", "same_as", "rows"]))] = draw(VALUES)
        elif isinstance(parent, list):
            parent.append(parent[path[-1]])
    return document


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_both_validators_agree_on_changed_documents(kind: str, data: st.DataObject) -> None:
    agree(kind, write(data.draw(changed(kind))))


@pytest.mark.parametrize("kind", KINDS)
def test_each_single_change_is_judged_alike_and_most_are_refused(kind: str) -> None:
    refused = 0
    total = 0
    for path in [path for path in paths(VALID[kind]) if path]:
        replacements: list[Any] = [None, [], {}, "Not a value!", -7]
        for value in replacements:
            document = json.loads(json.dumps(VALID[kind]))
            parent = document
            for step in path[:-1]:
                parent = parent[step]
            parent[path[-1]] = value
            total += 1
            refused += not agree(kind, write(document))
    assert refused > total // 2


@pytest.mark.parametrize("kind", [*KINDS, "words"])
def test_each_schema_is_valid_and_says_what_each_key_means(kind: str) -> None:
    schema = json.loads((SCHEMAS / f"{kind}.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)

    def walk(part: Any) -> None:
        for name, inner in part.get("properties", {}).items():
            assert inner.get("description"), f"{kind}: `{name}` has no description"
            assert inner.get("title") or "$ref" in inner, f"{kind}: `{name}` has no title"
            walk(inner)
        for inner in part.get("$defs", {}).values():
            assert inner.get("title"), inner
            walk(inner)

    walk(schema)


def test_a_keyword_that_is_not_understood_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "odd.schema.json").write_text('{"type": "object", "properties": {"a": {"format": "date"}}}')
    monkeypatch.setattr("engine.load.schemas.SCHEMAS", tmp_path)
    with pytest.raises(InternalError, match="format"):
        load_schema("odd.schema.json")


def test_a_key_of_another_thing_is_sent_home() -> None:
    assert belongs("until") == "`until` is a key of an entry of `values` and of a waiver"
    assert belongs("nonsense") is None


def helps(kind: str, text: str) -> list[tuple[str, str | None]]:
    source = parse_bytes(text.encode(), "f.yaml", {"where", "must", "review_if"})
    shape = check_shape(source, kind)
    return [(problem.code, problem.help) for problem in [*source.problems, *shape.problems]]


@pytest.mark.parametrize(
    ("old", "new", "help"),
    [
        ("must", "shall", "did you mean `must`?"),
        ("must", "anything", "did you mean `must`?"),
        ("must", "mst", "did you mean `must`?"),
        ("title", "description", "did you mean `title`?"),
        ("for", "relation", "did you mean `for`?"),
        ("cases", "tests", "did you mean `cases`?"),
        ("cannot_see", "not_seen", "did you mean `cannot_see`?"),
    ],
)
def test_a_key_in_the_place_of_a_missing_one_is_taken_for_it(old: str, new: str, help: str) -> None:
    document = {(new if key == old else key): value for key, value in VALID["policy"].items()}
    assert helps("policy", write(document)) == [("unknown-key", help)]


def test_where_several_keys_are_missing_unknown_ones_are_told_which() -> None:
    new = {"must": "ensure", "title": "headline"}
    document = {new.get(key, key): value for key, value in VALID["policy"].items()}
    found = helps("policy", write(document))
    assert [code for code, _ in found] == ["missing-key", "missing-key", "unknown-key", "unknown-key"]
    assert {help for code, help in found if code == "unknown-key"} == {
        "what is missing here: `title`, `must`, `same_as`"
    }


def test_an_unknown_key_beside_one_that_was_meant_has_its_nearest() -> None:
    new = {"must": "shall", "each_of": "each"}
    found = helps("policy", write({new.get(key, key): value for key, value in VALID["policy"].items()}))
    assert sorted(help or "" for _, help in found) == ["did you mean `each_of`?", "did you mean `must`?"]


def test_a_missing_key_that_nothing_was_meant_for_is_reported_beside_an_unknown_one() -> None:
    document = {("if_nothing" if key == "if_none" else key): value for key, value in VALID["policy"].items()}
    del document["must"]
    found = helps("policy", write(document))
    assert found == [("missing-key", None), ("unknown-key", "did you mean `if_none`?")]


@pytest.mark.parametrize(
    ("kind", "text", "help"),
    [
        ("parameters", "most:\nvalue: 1\nunit: m\n", "indent `value` and `unit` under `most`"),
        ("relations", "a:\nrow: One.\nkey: [b]\n", "indent `row` and `key` under `a`"),
        (
            "relations",
            "a:\n  row: One.\n  key: [b]\n  columns:\n  b: {type: text}\n  cannot_see: x\n",
            "indent `b` under `columns`",
        ),
        (
            "relations",
            "a:\n  row: One.\n  key: [b]\n  columns:\n    b:\n    type: text\n",
            "indent `type` under `b`",
        ),
    ],
)
def test_keys_that_should_be_indented_are_the_one_problem(kind: str, text: str, help: str) -> None:
    assert helps(kind, text) == [("wrong-indentation", help)]


def test_an_empty_key_with_nothing_to_indent_is_empty() -> None:
    text = "a:\n  row: One.\n  key: [b]\n  columns:\n  cannot_see: x\n"
    assert [code for code, _ in helps("relations", text)] == ["empty-value"]


def test_a_name_with_a_line_feed_at_its_end_is_no_name() -> None:
    source = parse_bytes(write({**VALID["pack"], "pack": "prose\n"}).encode(), "f.yaml")
    assert [problem.code for problem in check_shape(source, "pack").problems] == ["wrong-form"]


@pytest.mark.parametrize("number", ["9" * 5000, "1e999999999", ".nan", ".inf", "0x10", "-0"])
def test_an_odd_number_is_out_of_bounds_and_breaks_nothing(number: str) -> None:
    text = write(VALID["waivers"]).replace("at_most: 1", f"at_most: {number}")
    source = parse_bytes(text.encode(), "f.yaml")
    assert [problem.code for problem in check_shape(source, "waivers").problems] in (["out-of-bounds"], ["wrong-kind"])


def test_hundreds_of_unknown_keys_are_not_all_compared() -> None:
    source = parse_bytes("".join(f"k{number}: 1\n" for number in range(50_000)).encode(), "f.yaml")
    found = check_shape(source, "policy").problems
    assert len(found) == 201
    assert found[-1].code == "too-many-problems"


def test_only_scalars_have_a_text() -> None:
    source = parse_bytes(b"a: [1]\n", "f.yaml")
    assert isinstance(source.root, Table)
    assert not isinstance(source.root.values["a"], Scalar)
