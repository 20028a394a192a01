"""A run as SARIF 2.1.0 (OASIS), canonical JSON: for code scanning and for viewers of such files.

A rule is a policy, a result is a finding. `kind` is `fail` for whatever makes the exit code other than 0, since a
result of another kind may have no level; in words and in `properties.outcome` it says what it is.
"""

from __future__ import annotations

import hashlib
from typing import Any

from .. import __version__
from ..canonical import dumps, shown
from ..verdict import EXIT_CODES, PolicyVerdict, Run
from .findings import Finding, blind_spots, findings
from .places import FilePlace, policy_place, spot_place, spot_words
from .problems import visible
from .text import parameter_lines, summary_line
from .verdict import decision_entry

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASES = {"source": "%SRCROOT%", "fiel": "FIEL"}
_KINDS = {"pass": "pass", "not_applicable": "notApplicable"}


def verdict_sarif(run: Run) -> str:
    """The run as one SARIF log with one run, with a line feed at the end."""
    found = findings(run)
    rules = {policy.id: number for number, policy in enumerate(run.policies)}
    sarif_run = {
        "tool": {
            "driver": {
                "name": "Fiel",
                "version": __version__,
                "rules": [_rule(policy) for policy in run.policies],
            }
        },
        "invocations": [_invocation(run, [f for f in found if f.outcome == "error"], rules)],
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "The folder in which Fiel ran."}},
            "FIEL": {"description": {"text": "The folder in which Fiel lies, with the packs that it ships."}},
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, rules) for finding in found],
        "properties": _run_properties(run),
    }
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [sarif_run]})


def message(text: str) -> dict[str, str]:
    """A message of plain text in which nothing is a placeholder or a link (SARIF 3.11.5 and 3.11.6)."""
    for character in ("\\", "[", "]"):
        text = text.replace(character, f"\\{character}")
    return {"text": text.replace("{", "{{").replace("}", "}}")}


# -- rules -----------------------------------------------------------------------------------------------------


def _rule(found: PolicyVerdict) -> dict[str, Any]:
    policy = found.checked.policy
    help_lines = [visible(policy.title)]
    help_lines += [line for p in found.checked.parameters.values() for line in parameter_lines(p)]
    if policy.source is not None:
        help_lines.append(f"source: {visible(str(policy.source))}")
        help_lines += [f"quote: “{visible(policy.source.quote)}”"] if policy.source.quote else []
    help_lines.append(f"cannot see: {visible(policy.cannot_see)}")
    return {
        "id": policy.id,
        "shortDescription": {"text": visible(policy.title)},
        "help": {"text": "\n".join(help_lines)},
        "defaultConfiguration": {"level": "error"},
        "properties": {
            "tags": [policy.pack],
            "cannot_see": policy.cannot_see,
            "source": str(policy.source) if policy.source else None,
            "parameters": [
                {
                    "name": p.name,
                    "values": [{"value": v.shown, "from": v.start, "until": v.until} for v in p.values],
                    "unit": p.unit,
                    "origin": p.origin,
                    "revisit": p.revisit,
                }
                for p in found.checked.parameters.values()
            ],
        },
    }


# -- results ---------------------------------------------------------------------------------------------------


def _result(finding: Finding, rules: dict[str, int]) -> dict[str, Any]:
    policy, witness = finding.policy.checked.policy, finding.witness
    rule = policy_place(finding.policy)
    place = spot_place(witness.spot) if witness is not None else None
    lines = [f"{visible(policy.title)}", *finding.lines]
    if witness is not None and witness.spot is not None:
        lines.append(f"at {visible(spot_words(witness.spot))}")
    lines.append(f"cannot see: {visible(policy.cannot_see)}")
    result: dict[str, Any] = {
        "ruleId": policy.id,
        "ruleIndex": rules[policy.id],
        "kind": _KINDS.get(finding.outcome, "fail") if finding.weight == "none" else "fail",
        "level": finding.weight,
        "message": message("\n".join(lines)),
        "locations": [_location(place or rule)],
        "fingerprints": {"fiel/v1": _fingerprint(finding)},
        "properties": _result_properties(finding),
    }
    if place is not None:
        related = _location(rule)
        related["message"] = {"text": "the rule"}
        result["relatedLocations"] = [related]
    if finding.outcome == "waived":
        justification = finding.lines[-1]
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": justification}]
        if finding.waiver is not None:
            waiver = finding.waiver
            result["suppressions"][0]["properties"] = {
                "owner": waiver.owner,
                "because": waiver.because,
                "until": waiver.until,
            }
    return result


def _result_properties(finding: Finding) -> dict[str, Any]:
    witness = finding.witness
    if witness is None:
        return {"outcome": finding.outcome, "verdict": finding.policy.verdict}
    return {
        "outcome": finding.outcome,
        "verdict": finding.policy.verdict,
        "reason": witness.reason,
        "decision": witness.decision,
        "key": {name: shown(value) for name, value in witness.key.items()},
        "row": witness.spot.row if witness.spot is not None else None,
    }


def _location(place: FilePlace) -> dict[str, Any]:
    artifact: dict[str, Any] = {"uri": place.uri}
    if place.base is not None:
        artifact["uriBaseId"] = _BASES[place.base]
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if place.line is not None:
        physical["region"] = {"startLine": place.line}
        if place.column is not None:
            physical["region"]["startColumn"] = place.column
    return {"physicalLocation": physical}


def _fingerprint(finding: Finding) -> str:
    """What stays the same when the row moves to another line: policy, key and outcome."""
    key = dict(finding.witness.key) if finding.witness is not None else None
    text = dumps([finding.policy.id, key, finding.outcome, None if key else finding.lines[0].split(" ")[0]])
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


# -- the run ---------------------------------------------------------------------------------------------------


def _invocation(run: Run, errors: list[Finding], rules: dict[str, int]) -> dict[str, Any]:
    """An error is a notification, as the standard has it, and a result too: many readers show results only."""
    notes = [
        {
            "level": "error",
            "message": message("\n".join([f"{e.policy.id} could not be judged", *e.lines])),
            "associatedRule": {"id": e.policy.id, "index": rules[e.policy.id]},
            "locations": [_location(policy_place(e.policy))],
        }
        for e in errors
    ]
    return {
        "executionSuccessful": run.verdict != "error",
        "exitCode": EXIT_CODES[run.verdict],
        "exitCodeDescription": summary_line(run),
        "toolExecutionNotifications": notes,
    }


def _run_properties(run: Run) -> dict[str, Any]:
    coverage = run.coverage
    return {
        "verdict": run.verdict,
        "as_of": run.as_of,
        "packs": list(run.packs),
        "blind_spots": blind_spots(run),
        "citations": list(run.citations),
        "coverage": None
        if coverage is None
        else {
            "relations": list(coverage.relations),
            "columns": list(coverage.columns),
            "parameters": list(coverage.parameters),
            "policies": list(coverage.policies),
        },
        "decisions": [decision_entry(use) for use in run.decisions],
        "waivers": [
            {
                "pack": use.pack,
                "number": use.waiver.number,
                "policy": use.waiver.policy,
                "rows": dict(use.rows),
                "owner": use.waiver.owner,
                "because": use.waiver.because,
                "until": use.waiver.until,
                "at_most": use.waiver.at_most,
                "covered": use.covered,
                "expired": use.expired,
            }
            for use in run.waivers
        ],
    }
