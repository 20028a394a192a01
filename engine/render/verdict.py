"""A run as the JSON verdict (`engine/schemas/verdict.schema.json`), canonical to the byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..canonical import dumps, shown
from ..decision import DecisionUse
from ..model import Parameter
from ..verdict import AggregateValue, Coverage, LookedUp, PolicyVerdict, Run, WaiverUse, Witness


def verdict_json(run: Run) -> str:
    """The canonical text of the verdict. Nothing in it depends on paths, time, threads or the order of rows."""
    return dumps(
        {
            "format": 1,
            "verdict": run.verdict,
            "as_of": run.as_of,
            "packs": list(run.packs),
            "policies": [_policy(p) for p in run.policies],
            "waivers": [_waiver(w) for w in run.waivers],
            "decisions": [decision_entry(use) for use in run.decisions],
            "coverage": _coverage(run.coverage) if run.coverage is not None else None,
            "not_checked": list(run.not_checked),
            "cannot_see": {kind: dict(spots) for kind, spots in run.blind_spots.items()},
            "citations": list(run.citations),
        }
    )


def _policy(found: PolicyVerdict) -> dict[str, Any]:
    policy, counts = found.checked.policy, found.counts
    return {
        "policy": policy.id,
        "title": policy.title,
        "verdict": found.verdict,
        "reason": found.reason,
        "counts": {
            "pass": counts.passed,
            "fail": counts.failed,
            "review": counts.review,
            "no_evidence": counts.no_evidence,
            "waived": counts.waived,
            "decided": counts.decided,
        },
        "in_scope": counts.in_scope,
        "allowed": found.allowed,
        "parameters": [entry for p in found.checked.parameters.values() for entry in _parameter(p)],
        "source": str(policy.source) if policy.source else None,
        "cannot_see": policy.cannot_see,
        "witnesses": [_witness(w) for w in found.witnesses],
        "more_witnesses": found.more_witnesses,
        "notes": list(found.notes),
    }


def _waiver(use: WaiverUse) -> dict[str, Any]:
    waiver = use.waiver
    return {
        "pack": use.pack,
        "number": waiver.number,
        "policy": waiver.policy,
        "rows": dict(use.rows),
        "owner": waiver.owner,
        "because": waiver.because,
        "until": waiver.until,
        "at_most": waiver.at_most,
        "covered": use.covered,
        "expired": use.expired,
    }


def decision_entry(use: DecisionUse) -> dict[str, Any]:
    """A decision, and what came of it."""
    one = use.decision
    return {
        "line": one.number,
        "policy": one.policy,
        "row": dict(one.row),
        "outcome": one.outcome,
        "by": one.by,
        "at": one.at,
        "because": one.because,
        "provenance": "human",
        "applied": use.applied,
        "why_not": use.why,
    }


def _coverage(coverage: Coverage) -> dict[str, Any]:
    return {
        "relations": list(coverage.relations),
        "columns": list(coverage.columns),
        "parameters": list(coverage.parameters),
        "policies": list(coverage.policies),
    }


def _parameter(parameter: Parameter) -> Iterator[dict[str, Any]]:
    """One entry for each value, so for each day from which another one is in force."""
    for value in parameter.values:
        yield {
            "name": parameter.name,
            "value": shown(value.value),
            "unit": parameter.unit,
            "origin": parameter.origin,
            "because": parameter.because,
            "source": value.source or parameter.source,
            "from": value.start,
            "until": value.until,
            "checked": value.checked or parameter.checked,
            "revisit": parameter.revisit,
        }


def _witness(witness: Witness) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "outcome": witness.outcome,
        "reason": witness.reason,
        "in": witness.decided_by,
        "null_columns": list(witness.null_columns),
        "key": dict(witness.key),
        "columns": dict(witness.columns),
        "parameters": dict(witness.parameters),
        "passes_if": witness.passes_if,
    }
    if witness.decision is not None:
        entry["decision"] = witness.decision
    if witness.waiver is not None:
        entry["waiver"] = witness.waiver
    if witness.looked_up:
        entry["looked_up"] = [_looked_up(one) for one in witness.looked_up]
    if witness.related:
        entry["related"] = [
            {"relation": r.relation, "unknown_rows": r.unknown_rows, "null_columns": list(r.null_columns)}
            for r in witness.related
        ]
    if witness.rows_in_scope is not None:
        entry["rows_in_scope"] = witness.rows_in_scope
        entry["rows_of_unknown_scope"] = witness.rows_of_unknown_scope
        if witness.rows_of_unknown_scope == 0:
            entry["aggregates"] = [_aggregate(a) for a in witness.aggregates]
    return entry


def _looked_up(one: LookedUp) -> dict[str, Any]:
    return {
        "column": one.column,
        "reference": one.reference,
        "edition": one.edition,
        "file": one.file,
        "shown": one.shown,
        "cells": [{"line": line, "value": value} for line, value in one.cells],
    }


def _aggregate(aggregate: AggregateValue) -> dict[str, Any]:
    if aggregate.low is not None:
        return {"aggregate": aggregate.text, "low": aggregate.low, "high": aggregate.high}
    return {"aggregate": aggregate.text, "value": aggregate.value}
