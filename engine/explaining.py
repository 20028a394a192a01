"""`fiel explain`: finds the policy and the row, and says what `rationale` found of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import BinaryIO

from .check import check_policy
from .checked import CheckedPolicy, CheckedWaiver
from .decisions import read_decisions
from .errors import PolicyError, Problem, UsageError, did_you_mean
from .facts import load, relations_in
from .judging import tables_of
from .load import load_packs
from .model import JUDGED_ON, Pack
from .pipeline import merged_relations, rulings_on, shelf_of
from .policies_folder import policies_folder
from .rationale import explain_row, key_of, rule_lines
from .waivers import check_waivers


def explain_policy(
    policy_id: str,
    policies: Path | None,
    facts: Sequence[str],
    row: Sequence[str],
    as_of: date | None,
    stdin: BinaryIO | None = None,
    references: Sequence[Path] = (),
    decisions: Path | None = None,
) -> str:
    """The text of `fiel explain`. Raises UsageError, PolicyError or FactError."""
    folder = policies_folder(policies)
    packs = load_packs(folder.path).whole()
    checked, pack = _find(policy_id, packs.values())
    lines = list(rule_lines(checked, pack))
    if row:
        if checked.policy.as_of == JUDGED_ON and as_of is None:
            message = f"`{policy_id}` judges as of a given day"
            raise UsageError(Problem("no-such-row", message, help="add `--as-of DATE`"))
        key, waivers = key_of(checked, row), _waivers_of(checked, pack)
        rulings = rulings_on(checked, read_decisions(decisions)) if decisions is not None else None
        shelf = shelf_of([checked], references)
        if shelf.problems:
            raise UsageError([shelf.problems[name] for name in sorted(shelf.problems)])
        survey, relations = relations_in(facts, stdin=stdin), merged_relations(packs)
        with load(survey, relations, tables=tables_of(shelf)) as base:
            for name in filter(None, (checked.policy.relation, checked.policy.each_of)):
                if name not in checked.present(base.present):
                    message = f"the facts bring no {name}: nobody looked"
                    raise UsageError(Problem("no-such-row", message, help="name facts that hold the row"))
            lines += ["", *explain_row(checked, base, key, as_of, waivers, rulings).lines]
    return "\n".join(([folder.note, ""] if folder.note else []) + lines) + "\n"


def _waivers_of(checked: CheckedPolicy, pack: Pack) -> list[CheckedWaiver]:
    waivers, problems = check_waivers(pack)
    if problems:
        raise PolicyError(problems)
    return [one for one in waivers if one.waiver.policy == checked.policy.id]


def _find(policy_id: str, packs: Iterable[Pack]) -> tuple[CheckedPolicy, Pack]:
    policies = {p.id: (pack, p) for pack in packs for p in pack.policies.values()}
    if policy_id not in policies:
        help_text = did_you_mean(policy_id, policies, "policies")
        raise UsageError(Problem("unknown-policy", f"`{policy_id}` is no policy here", help=help_text))
    pack, policy = policies[policy_id]
    checked, problems = check_policy(policy, pack)
    if checked is None:
        raise PolicyError(problems)
    return checked, pack
