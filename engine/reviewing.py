"""What waits for a person: the rows and groups in review, what the rule would say of them, and deciding one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import canonical
from .checked import CheckedPolicy
from .compile import compile_policy
from .decision import Decision, DecisionUse
from .decisions import Draft, append, decide, row_digests, written_key
from .errors import Problem, UsageError
from .evaluate import Queries
from .explain.terms import same_key
from .explain.witnesses import Circumstances, witness_of
from .facts import located, table
from .frozen import dataclass, replace
from .judging import judge_policy
from .lang.dialects import duckdb as dialect
from .model import Relation
from .pipeline import Session, rulings_on
from .plan import Plan
from .rationale import key_of
from .render.problems import visible
from .verdict import PolicyVerdict, Value, Witness, value_of


@dataclass(frozen=True, slots=True)
class Pending:
    """A row or group that waits. `rows` are the whole row, or all rows of the group, by the relation's key.

    `would` is the outcome that `must` alone gives: pass, fail or no_evidence. `stored` is the key as facts are stored.
    """

    witness: Witness
    rows: tuple[Mapping[str, Value], ...]
    would: str
    stored: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits of one policy. Its verdict has the spots of no row, and says why nothing was judged if so."""

    verdict: PolicyVerdict
    pending: tuple[Pending, ...] = ()

    @property
    def checked(self) -> CheckedPolicy:
        return self.verdict.checked

    @property
    def uses(self) -> tuple[DecisionUse, ...]:
        return self.verdict.decisions


def queues(session: Session) -> list[Queue]:
    """What waits, policy by policy: everything, however much it is. Raises FactError if a file changed meanwhile."""
    found = [queue_of(session, checked) for checked in session.judgeable.chosen]
    session.refuse_changed_files()
    return found


def queue_of(session: Session, checked: CheckedPolicy) -> Queue:
    settings = replace(session.settings, witnesses=0)
    rulings = session.rulings(checked)
    verdict = judge_policy(checked, session.base, settings, session.waivers(checked), rulings=rulings)
    if not verdict.counts.review:
        return Queue(verdict)
    query = Queries(session.base, session.request.limits)
    plan, _ = decide(plan_of(session, checked), rulings, query)
    order = ", ".join(f"{dialect.quote(name)} ASC NULLS FIRST" for name in plan.key)
    raw = query(f"SELECT * FROM ({plan.judged}) WHERE _o = 'review' ORDER BY {order}")
    around = Circumstances(session.settings.judged_on, checked.present(session.base.present))
    witnesses = [witness_of(plan, query, one, around) for one in raw]
    with_spots = located([replace(verdict, witnesses=tuple(witnesses))], session.base, query)[0].witnesses
    rows = _whole_rows(plan, query)
    return Queue(
        verdict,
        tuple(
            Pending(witness, tuple(rows[_identity(plan, one)]), _would(one["_m"]), {n: one[n] for n in plan.key})
            for witness, one in zip(with_spots, raw, strict=True)
        ),
    )


def plan_of(session: Session, checked: CheckedPolicy) -> Plan:
    """The plan of a policy over the facts, without decisions and waivers."""
    tables = {name: table(name) for name in session.base.present}
    return compile_policy(checked, tables, session.settings.judged_on)


def _would(must: bool | None) -> str:
    return "no_evidence" if must is None else "pass" if must else "fail"


def _identity(plan: Plan, raw: Mapping[str, Any]) -> tuple[object, ...]:
    return tuple(raw[name] for name in plan.key)


def _whole_rows(plan: Plan, query: Queries) -> dict[tuple[object, ...], list[Mapping[str, Value]]]:
    """All columns of the rows in review, or of the rows of groups in review, by key."""
    relation = plan.checked.relation
    keys = ", ".join(dialect.quote(name) for name in plan.key)
    same = " AND ".join(f"r.{dialect.quote(name)} = k.{dialect.quote(name)}" for name in plan.key)
    chosen = ", ".join(f"r.{dialect.quote(name)}" for name in relation.columns)
    order = ", ".join(f"r.{dialect.quote(name)} ASC NULLS FIRST" for name in relation.key)
    waiting = f"SELECT {keys} FROM ({plan.judged}) WHERE _o = 'review'"
    source = plan.lowering.tables[relation.name]
    found: dict[tuple[object, ...], list[Mapping[str, Value]]] = {}
    for one in query(f"SELECT {keys} FROM ({plan.judged}) WHERE _o = 'review'"):
        found[_identity(plan, one)] = []
    for row in query(f"SELECT {chosen} FROM {source} AS r JOIN ({waiting}) AS k ON {same} ORDER BY {order}"):
        found[_identity(plan, row)].append(values_of_row(row, relation))
    return found


def values_of_row(row: Mapping[str, Any], relation: Relation) -> dict[str, Value]:
    return {name: value_of(row[name], column.type) for name, column in relation.columns.items()}


# -- deciding --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    """What a person says of a row: the outcome, who, when (`YYYY-MM-DDTHH:MM:SSZ`) and why."""

    outcome: str
    by: str
    at: str
    because: str


def decide_named(session: Session, words: Sequence[str], said: Said, file: Path) -> tuple[Decision, Decision | None]:
    """Decides the one row or group of the one policy of the session that `--row` names, if it is in review.

    Gives the decision as it stands in `file` now, and the one whose place it takes. Raises UsageError; then nothing is
    written.
    """
    (checked,) = session.judgeable.chosen
    return decide_row(session, checked, key_of(checked, words), said, file)


def decide_row(
    session: Session, checked: CheckedPolicy, stored: Mapping[str, Any], said: Said, file: Path
) -> tuple[Decision, Decision | None]:
    """The same for a key as facts are stored."""
    columns, rulings = checked.relation.columns, rulings_on(checked, session.decisions)
    key = {name: value_of(value, columns[name].type) for name, value in stored.items()}
    settings = replace(session.settings, witnesses=0)
    verdict = judge_policy(checked, session.base, settings, rulings=rulings)
    if verdict.verdict == "error" or not verdict.counts.in_scope:
        why = "; ".join(verdict.notes) or "it has nothing in scope"
        raise UsageError(_refused("not-in-review", f"`{checked.policy.id}` judged no row: {why}", None))
    query = Queries(session.base, session.request.limits)
    plan = plan_of(session, checked)
    rows = query(f"SELECT _o FROM ({plan.judged}) WHERE {same_key(plan, dict(stored))}", list(stored.values()))
    ((number, sha256),) = row_digests(plan, [tuple(stored.values())], query)
    _refuse(checked, key, [row["_o"] for row in rows], 1 if plan.grouped else number)
    session.refuse_changed_files()
    draft = Draft(checked.policy.id, rulings.policy_sha256, written_key(key), sha256, **_fields(said))
    before = [use.decision for use in verdict.decisions if use.applied and dict(use.decision.row) == draft.row]
    return append(file, draft), before[0] if before else None


def _fields(said: Said) -> dict[str, str]:
    return {"outcome": said.outcome, "by": said.by, "at": said.at, "because": said.because}


def _refuse(checked: CheckedPolicy, key: Mapping[str, Value], outcomes: Sequence[str], rows: int) -> None:
    """Only a row that is there once, and that the rule leaves to a person, can be decided."""
    shown = visible(", ".join(f"{name} {canonical.shown(value)}" for name, value in key.items()))
    what = "group" if checked.policy.per else "row"
    if rows == 0 or (checked.policy.per and not outcomes):
        message = f"the facts have no {what} {shown} of {checked.relation.name}"
        raise UsageError(_refused("no-such-row", message, "`fiel review` lists what waits for a person"))
    if rows > 1:
        message = f"{rows} rows of {checked.relation.name} have the key {shown}"
        raise UsageError(_refused("no-such-row", message, "a decision is about one row: mend the facts"))
    outcome = outcomes[0].replace("_", " ") if outcomes else "out of scope"
    if outcome != "review":
        message = f"the {what} {shown} is not in review: `{checked.policy.id}` says {outcome}"
        help = "only what the rule leaves to a person can be decided; an exception to a failure is a waiver"
        raise UsageError(_refused("not-in-review", message, help))


def _refused(code: str, message: str, help: str | None) -> Problem:
    return Problem(code, message, help=help)


def waiting(found: Sequence[Queue]) -> Iterator[tuple[Queue, Pending]]:
    """Everything that waits, in order."""
    for queue in found:
        yield from ((queue, one) for one in queue.pending)
