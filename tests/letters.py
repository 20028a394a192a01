"""A pack with slips in letters, and ways to lay facts about them: files, and folders of runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

FILES = {
    "pack.yaml": "format: 1\npack: letters\ntitle: Slips\nversion: 0.1.0\nlicence: CC0-1.0\n",
    "relations.yaml": """\
letter:
  row: One letter.
  key: [document]
  columns:
    document: {type: text}
slip:
  row: One slip.
  key: [document, start_at, end_at, run_id]
  columns:
    document: {type: text}
    start_at: {type: int, unit: character}
    end_at: {type: int, unit: character}
    quote: {type: text}
    kind: {type: text, one_of: [spelling, tone]}
    run_id: {type: text}
  cannot_see: Slips that nobody reported.
range:
  row: A stretch that may have no place.
  key: [document, id]
  columns:
    document: {type: text}
    id: {type: text}
    start_at: {type: int, unit: character}
    end_at: {type: int, unit: character}
topic:
  row: What a letter is about.
  key: [document, topic, run_id]
  columns:
    document: {type: text}
    topic: {type: text}
    run_id: {type: text}
given:
  row: The points that a person gave.
  key: [document]
  columns:
    document: {type: text}
    points: {type: decimal, digits: 8, places: 2, unit: point}
    euros: {type: decimal, digits: 8, places: 2, unit: EUR}
loose:
  row: Something of no document.
  key: [id]
  columns:
    id: {type: text}
""",
    "parameters.yaml": """\
whole: {value: 10.00, unit: point, origin: convention, because: x}
each: {value: 1.50, unit: point, origin: convention, because: x}
""",
    "views.sql": """\
-- key: document
-- points: decimal(8,2) point
create view grade as
with counted as (select document, count(*) as slips from slip group by document)
select l.document, whole - each * coalesce(c.slips, 0) as points
from letter as l left join counted as c on c.document = l.document;
""",
}
DOCUMENTS = ("ash", "birch", "cedar", "elm", "fir", "oak")


def lay_pack(folder: Path) -> None:
    """The pack `letters` in `folder/policies`."""
    pack = folder / "policies" / "letters"
    pack.mkdir(parents=True)
    for name, text in FILES.items():
        (pack / name).write_text(text, "utf-8")


def slip(document: str, start: object, end: object, kind: str = "spelling", run: str = "r1") -> dict[str, object]:
    quote = f"{document}'s slip"
    return {"document": document, "start_at": start, "end_at": end, "quote": quote, "kind": kind, "run_id": run}


def lay(path: Path, **rows: Sequence[Mapping[str, object]]) -> Path:
    """A JSON file of facts."""
    path.write_text(json.dumps(rows), "utf-8")
    return path


def lay_run(
    folder: Path,
    rows: Mapping[str, Sequence[Mapping[str, object]]],
    looked: Mapping[str, str] | Sequence[str] | None,
    provenance: str = "observed",
) -> Path:
    """A folder of a run that looked at these documents; None: it does not say at which."""
    (folder / "facts").mkdir(parents=True)
    facts = {}
    for name, some in rows.items():
        text = "".join(json.dumps(row) + "\n" for row in some)
        (folder / "facts" / f"{name}.jsonl").write_text(text, "utf-8")
        facts[name] = {"rows": len(some), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    record: dict[str, object] = {"format": 1, "status": "complete", "provenance": provenance, "facts": facts}
    if looked is not None:
        texts = looked if isinstance(looked, Mapping) else dict.fromkeys(looked, "0" * 64)
        record["coverage"] = [{"document": name, "sha256": digest} for name, digest in texts.items()]
    (folder / "run.json").write_text(json.dumps(record), "utf-8")
    return folder
