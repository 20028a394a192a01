"""What made a verdict, by hash: the content of a receipt (`engine/schemas/receipt.schema.json`). No rows of facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

from .. import __version__
from ..checked import CheckedPolicy
from ..facts import FactFile
from ..frozen import dataclass
from ..lang.typed import exists_in
from ..model import Pack
from ..render import verdict_json
from ..verdict import Run
from .forms import (
    digest,
    pack_form,
    parameter_form,
    policy_form,
    reference_form,
    relation_form,
    text_digest,
    waiver_form,
)

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was asked for, as far as it decides the bytes of the verdict, and where its inputs were.

    `packs` are those that were judged, however they were chosen; `policies` those named with `--policy`, or none.
    `policies_folder` is None for the packs shipped with Fiel.
    """

    as_of: date | None
    packs: tuple[str, ...]
    policies: tuple[str, ...]
    policies_folder: str | None
    facts: tuple[str, ...]
    witnesses: int
    csv_delimiter: str
    trust_keys: bool
    coverage: bool
    decisions: str | None = None
    """The file of decisions, as given."""


def make_receipt(
    run: Run, arguments: Arguments, packs: Mapping[str, Pack], files: Sequence[FactFile], present: frozenset[str]
) -> dict[str, Any]:
    """The receipt of a run over these packs, files of facts and relations that were there."""
    checked = [verdict.checked for verdict in run.policies]
    return {
        "format": FORMAT,
        "engine": versions(),
        "arguments": {name: _written(value) for name, value in asdict(arguments).items()},
        "packs": {name: digest(pack_form(packs[name])) for name in run.packs},
        "policies": {one.policy.id: digest(policy_form(one)) for one in checked},
        "parameters": _parameters(checked),
        "relations": _relations(checked, packs, present),
        "references": _references(checked),
        "facts": [
            {"relation": f.relation, "file": _text(f.file), "sha256": f.sha256, "rows": f.rows, "run": f.run}
            for f in files
        ],
        "waivers": [
            {
                "pack": use.pack,
                "number": use.waiver.number,
                "policy": use.waiver.policy,
                "until": use.waiver.until.isoformat(),
                "sha256": digest(waiver_form(use)),
                "covered": use.covered,
                "expired": use.expired,
            }
            for use in run.waivers
        ],
        "decisions": [
            {
                "line": use.decision.number,
                "policy": use.decision.policy,
                "sha256": use.decision.sha256,
                "applied": use.applied,
            }
            for use in run.decisions
        ],
        "verdict": run.verdict,
        "verdict_sha256": text_digest(verdict_json(run)),
    }


def versions() -> dict[str, str]:
    """Fiel, the database, the parser and Python."""
    import platform

    return {
        "fiel": __version__,
        "duckdb": _version("duckdb"),
        "sqlglot": _version("sqlglot"),
        "python": platform.python_version(),
    }


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def _written(value: object) -> object:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (tuple, list)):
        return [_written(each) for each in value]
    return _text(value) if isinstance(value, str) else value


def _text(path: str) -> str:
    """A path as text that can be written; bytes of a name that are no UTF-8 become escapes."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _parameters(checked: Sequence[CheckedPolicy]) -> dict[str, str]:
    """Every parameter that a policy reads: `pack.name` if the pack has it, `pack.policy.name` if the policy has."""
    found: dict[str, str] = {}
    for one in checked:
        for name, parameter in one.parameters.items():
            owner = one.policy.id if name in one.policy.params else one.policy.pack
            found[f"{owner}.{name}"] = digest(parameter_form(parameter))
    return found


def _references(checked: Sequence[CheckedPolicy]) -> dict[str, dict[str, str]]:
    """Every reference that a policy reads: its edition, the pinned hash of its bytes, and how they are read."""
    read = {name: reference for one in checked for name, reference in one.references.items()}
    return {
        name: {"edition": one.edition, "sha256": one.sha256, "form": digest(reference_form(one))}
        for name, one in sorted(read.items())
    }


def _relations(checked: Sequence[CheckedPolicy], packs: Mapping[str, Pack], present: frozenset[str]) -> dict[str, str]:
    """The relations that the policies rest on, and those that the facts bring, whose blind spots the verdict names."""
    names = set(present)
    for one in checked:
        names |= {one.relation.name, *(e.relation for e in exists_in(one.where, one.must, one.review_if))}
        names |= {one.each_of.name} if one.each_of else set()
        names |= {name for view in one.views.values() for name in view.reads}
    declared = {name: relation for pack in packs.values() for name, relation in pack.relations.items()}
    return {name: digest(relation_form(declared[name])) for name in sorted(names) if name in declared}
