"""A run as JUnit XML, for whatever counts tests: a suite is a pack, a test is a policy.

What makes the exit code other than 0 is a failure or an error here too, so that a reader of this file alone never sees
green where Fiel says no: fail, no evidence and review are failures, each of a type of its own.

The schema wants a time and a host. A verdict has neither (`docs/semantics.md`, section 7), so they are constants.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from ..errors import InternalError
from ..verdict import PolicyVerdict, Run
from .findings import Finding, blind_spots, findings
from .places import spot_words
from .problems import visible
from .records import coverage_lines, decision_lines, waiver_line
from .text import LABELS, count_line, parameter_lines, summary_line

_TIMESTAMP = "1970-01-01T00:00:00"
_FAILURES = ("fail", "no_evidence", "review")


def verdict_junit(run: Run) -> str:
    """The run as an XML document, with a line feed at the end."""
    of_policies: dict[str, list[Finding]] = {policy.id: [] for policy in run.policies}
    for finding in findings(run):
        of_policies[finding.policy.id].append(finding)
    root = ElementTree.Element("testsuites")
    packs = sorted({policy.checked.policy.pack for policy in run.policies})
    for number, pack in enumerate(packs):
        policies = [policy for policy in run.policies if policy.checked.policy.pack == pack]
        root.append(_suite(run, number, pack, policies, of_policies))
    if run.exit_code and all(suite.get("failures") == suite.get("errors") == "0" for suite in root):
        raise InternalError(f"a run with the verdict {run.verdict} has no policy of that verdict")
    ElementTree.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _suite(
    run: Run, number: int, pack: str, policies: list[PolicyVerdict], of_policies: dict[str, list[Finding]]
) -> ElementTree.Element:
    suite = ElementTree.Element(
        "testsuite",
        {
            "id": str(number),
            "name": pack,
            "package": "fiel",
            "timestamp": _TIMESTAMP,
            "hostname": "localhost",
            "tests": str(len(policies)),
            "failures": str(sum(1 for p in policies if p.verdict in _FAILURES)),
            "errors": str(sum(1 for p in policies if p.verdict == "error")),
            "skipped": str(sum(1 for p in policies if p.verdict == "not_applicable")),
            "time": "0",
        },
    )
    properties = ElementTree.SubElement(suite, "properties")
    facts = {"verdict": run.verdict, "exit_code": str(run.exit_code)}
    facts |= {"as_of": run.as_of.isoformat()} if run.as_of else {}
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": value})
    for policy in policies:
        suite.append(_case(policy, of_policies[policy.id]))
    out = ElementTree.SubElement(suite, "system-out")
    out.text = "\n".join(["", *_said(run, policies, of_policies), ""])
    ElementTree.SubElement(suite, "system-err")
    return suite


def _case(found: PolicyVerdict, of_policy: list[Finding]) -> ElementTree.Element:
    case = ElementTree.Element("testcase", {"name": found.id, "classname": found.checked.policy.pack, "time": "0"})
    label = LABELS[found.verdict].lower()
    if found.verdict in _FAILURES or found.verdict == "error":
        kind = "error" if found.verdict == "error" else "failure"
        text = f"{label}: {visible(found.checked.policy.title)} ({count_line(found)})"
        entry = ElementTree.SubElement(case, kind, {"message": text, "type": found.verdict})
        entry.text = "\n".join(["", *_details(found, of_policy), ""])
    elif found.verdict == "not_applicable":
        ElementTree.SubElement(case, "skipped", {"message": f"{label}: {count_line(found)}"})
    return case


def _details(found: PolicyVerdict, of_policy: list[Finding]) -> Iterator[str]:
    """The findings, the numbers with their origin, the source and the blind spot."""
    for finding in of_policy:
        yield from _lines(finding)
    for parameter in found.checked.parameters.values():
        yield from parameter_lines(parameter)
    source = found.checked.policy.source
    if source is not None:
        yield f"source: {visible(str(source))}"
    yield f"cannot see: {visible(found.checked.policy.cannot_see)}"


def _lines(finding: Finding) -> Iterator[str]:
    first, *more = finding.lines
    spot = finding.witness.spot if finding.witness is not None else None
    yield first + (f" (at {visible(spot_words(spot))})" if spot is not None else "")
    yield from (f"  {line}" for line in more)


def _said(run: Run, policies: list[PolicyVerdict], of_policies: dict[str, list[Finding]]) -> Iterator[str]:
    """What is in every format, green or not: waived rows, rows for a person, tolerated rows and blind spots."""
    for policy in policies:
        yield f"{policy.id}: {LABELS[policy.verdict].lower()}, {count_line(policy)}"
        for finding in of_policies[policy.id]:
            if finding.outcome in ("waived", "review") or (finding.weight == "note" and finding.witness is not None):
                yield from (f"  {line}" for line in _lines(finding))
        yield f"  cannot see: {visible(policy.checked.policy.cannot_see)}"
    yield from (waiver_line(use) for use in run.waivers)
    yield from decision_lines(run)
    yield from blind_spots(run)
    yield from coverage_lines(run.coverage) if run.coverage is not None else ()
    yield summary_line(run)
