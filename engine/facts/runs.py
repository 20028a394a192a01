"""The record of a sensor's run, `run.json`, beside the facts that it vouches for."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from ..frozen import dataclass
from ..limits import Limits
from .bad_values import shown
from .bytes_in import HashedBytes, Stop, read_text, reason
from .findings import Findings, Spot
from .json_text import Malformed, RepeatedEntry, decode
from .values import IntText

PROVENANCES = ("observed", "constructed", "human")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What `run.json` says of one file of facts."""

    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class Run:
    """A complete run: the digest of its `run.json`, and its files by relation. `file` is `run.json` as shown."""

    file: str
    sha256: str
    facts: Mapping[str, Recorded]
    provenance: str = "unstated"
    """One of PROVENANCES, or `unstated`."""


def read_run(path: str, file: str, limits: Limits, findings: Findings) -> Run | None:
    """The run that a `run.json` records, or None and a problem: unreadable, not complete, not of the form."""
    spot = Spot(file)
    try:
        with open(path, "rb") as source:
            stream = HashedBytes(source, limits.line_bytes)
            text = read_text(stream, file, findings, ("line_bytes", limits.line_bytes))
        record, end = decode(text.strip())
    except Stop:
        return None
    except OSError as error:
        findings.fact_problem("fact-file-unreadable", spot, f"the record of the run could not be read: {reason(error)}")
        return None
    except Malformed as error:
        findings.fact_problem("fact-run", spot, f"the record of the run is no JSON: {error.message}")
        return None
    if not isinstance(record, dict) or isinstance(record, RepeatedEntry) or end != len(text.strip()):
        findings.fact_problem("fact-run", spot, "the record of a run is one object, each entry written once")
        return None
    return _checked(record, Run(file, stream.sha256, {}), findings)


def _checked(record: dict[str, object], run: Run, findings: Findings) -> Run | None:
    spot = Spot(run.file)
    if record.get("format") != "1" or not isinstance(record.get("format"), IntText):
        findings.fact_problem(
            "fact-run", spot, 'the record of a run says `"format": 1`', "sense again with this version"
        )
        return None
    if record.get("status") != "complete":
        status = record.get("status")
        said = f"says `status` {shown(status)}" if isinstance(status, str) else "does not say its `status`"
        findings.fact_problem(
            "fact-run-incomplete",
            spot,
            f"the run {said}, and only a complete one has facts",
            "let the sensor finish the run",
        )
        return None
    provenance = record.get("provenance")
    if provenance not in (None, *PROVENANCES):
        said = shown(provenance) if isinstance(provenance, str) else "something else"
        message = f"`provenance` is one of {', '.join(PROVENANCES)}, not {said}"
        findings.fact_problem("fact-run", spot, message, "say how the rows came about")
        return None
    facts = record.get("facts")
    if not isinstance(facts, dict) or not facts:
        findings.fact_problem("fact-run", spot, "the record of a run lists its files under `facts`")
        return None
    recorded: dict[str, Recorded] = {}
    for relation, entry in facts.items():
        digest = entry.get("sha256") if isinstance(entry, dict) else None
        rows = entry.get("rows") if isinstance(entry, dict) else None
        if (
            not isinstance(digest, str)
            or not _DIGEST.fullmatch(digest)
            or not isinstance(rows, IntText)
            or len(rows) > 18
        ):
            findings.fact_problem(
                "fact-run", spot, f"`facts` has no digest and number of rows for {shown(relation)}", "sense again"
            )
            return None
        recorded[relation] = Recorded(digest, int(rows))
    return Run(run.file, run.sha256, recorded, str(provenance or "unstated"))


def compare_files(run: Run, folder: str, names: list[str], findings: Findings) -> None:
    """Adds a problem for each file that the run does not record, and each that it records and is not there."""
    expected = {f"{relation}.jsonl" for relation in run.facts}
    for name in sorted(set(names) - expected):
        findings.fact_problem(
            "fact-run-mismatch",
            Spot(os.path.join(folder, name)),
            f"a file that `{run.file}` does not record",
            "take it away",
        )
    for name in sorted(expected - set(names)):
        findings.fact_problem(
            "fact-run-mismatch",
            Spot(run.file),
            f"`facts/{name}` is recorded and not there",
            "restore the folder, or sense again",
        )


def compare_content(run: Run, relation: str, file: str, sha256: str, rows: int, findings: Findings) -> None:
    """Adds a problem if a file is not the one that the run recorded."""
    recorded = run.facts.get(relation)
    if recorded is None:
        return
    if recorded.sha256 != sha256:
        findings.fact_problem(
            "fact-run-mismatch",
            Spot(file),
            f"the file has SHA-256 `{sha256[:12]}…`, and `{run.file}` recorded `{recorded.sha256[:12]}…`",
            "the facts were changed after the sensor wrote them; restore them, or sense again",
        )
    elif recorded.rows != rows:
        findings.fact_problem(
            "fact-run-mismatch",
            Spot(file),
            f"the file has {rows} {'row' if rows == 1 else 'rows'}, and `{run.file}` recorded {recorded.rows}",
            "sense again",
        )
