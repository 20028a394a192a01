"""One policy over one set of facts: compile → evaluate → explain. Used for runs and for the cases of policies alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from .checked import CheckedPolicy, CheckedWaiver
from .compile import compile_policy
from .decision import DecisionUse, Rulings
from .decisions import decide
from .errors import EvaluationError, Problem
from .evaluate import Queries, evaluate
from .explain.witnesses import Circumstances, explain
from .facts import FactBase, Table, table
from .frozen import dataclass, field, replace
from .lang.views import with_views
from .limits import Limits
from .model import JUDGED_ON, LINE
from .plan import Known, Plan, Query
from .references import Shelf
from .verdict import Counts, PolicyVerdict, Value, tolerated, value_of
from .view_rows import refuse_broken_view
from .waivers import waive

_NOTHING = Counts()


@dataclass(frozen=True, slots=True)
class Settings:
    """How to judge: the day of `judged_on`, how many witnesses to show, and the limits."""

    judged_on: date | None = None
    witnesses: int = 20
    limits: Limits = field(default_factory=Limits)
    unusable: Mapping[str, Problem] = field(default_factory=dict)
    """References that are missing, or are not what is pinned, by name."""


@dataclass(frozen=True, slots=True)
class Swept:
    """Tables in place of relations, with all rows or groups of a policy that may not pass, and others if you like.

    `certain` counts the rows or groups of all that are certainly in scope. What the tables leave out passes, or is out
    of scope: whoever makes one answers for that (`engine/sweep.py`).
    """

    instead: Mapping[str, str]
    certain: int
    known: Known | None = None
    """What the queries over these tables give, if that was found out together with other policies."""


def tables_of(shelf: Shelf) -> list[Table]:
    """The references as tables that stand beside facts."""
    return [
        Table(one.reference.relation, {**one.columns, LINE: one.lines}, len(one.lines)) for one in shelf.tables.values()
    ]


def judge_policy(
    checked: CheckedPolicy,
    base: FactBase,
    settings: Settings,
    waivers: Sequence[CheckedWaiver] = (),
    instead: Mapping[str, str] | None = None,
    rulings: Rulings | None = None,
    swept: Swept | None = None,
) -> PolicyVerdict:
    """The verdict of one policy. What cannot be evaluated gives the verdict `error`, with a note that says why.

    `waivers` are the policy's, in file order, that are in force, `rulings` the decisions on it. Cases have neither.
    `instead` has SELECTs, in parentheses, that are judged in place of tables. `swept` has the rows that may not
    pass.
    """
    found, uses = _judged(checked, base, settings, waivers, instead or {}, rulings, swept)
    if uses is None:
        uses = tuple(DecisionUse(one, "not_judged") for one in (rulings.decisions if rulings is not None else ()))
    return replace(found, decisions=uses, notes=(*found.notes, *_drops(checked)))


def _drops(checked: CheckedPolicy) -> Iterator[str]:
    """What the views that the policy reads leave out though it is unknown: said with every verdict over them."""
    for name, view in checked.views.items():
        if view.drops:
            yield f"the view {name} leaves out rows with unknown {', '.join(view.drops)}, because {view.because}"


def _judged(
    checked: CheckedPolicy,
    base: FactBase,
    settings: Settings,
    waivers: Sequence[CheckedWaiver],
    instead: Mapping[str, str],
    rulings: Rulings | None,
    swept: Swept | None,
) -> tuple[PolicyVerdict, tuple[DecisionUse, ...] | None]:
    """The verdict, and what came of the decisions; None if no row was judged."""
    early = _without_rows(checked, base, settings)
    if early is not None:
        return early, None
    try:
        refuse_broken_views(checked, {name: table(name) for name in base.present}, Queries(base, settings.limits))
        plan = _plan(checked, base, settings, swept.instead if swept is not None else instead)
        if swept is not None:
            # Rows without a group are among those that were left out, too.
            strays = _plan(checked, base, settings).strays if checked.policy.each_of else None
            plan = replace(plan, certain=swept.certain, strays=strays)
        plan, uses = decide(plan, rulings, Queries(base, settings.limits))
        plan = waive(plan, waivers)
        known = swept.known if swept is not None and not waivers and rulings is None else None
        evaluated = evaluate(plan, base, settings.limits, settings.witnesses, known)
        if tolerated(checked.allow, settings.judged_on, 0) is None:
            note = f"`{checked.policy.allow}` has no value in force on {settings.judged_on}"
            return PolicyVerdict(checked, "no_evidence", "no_value_in_force", _NOTHING, 0, notes=(note,)), None
        return explain(evaluated, Circumstances(settings.judged_on, checked.present(base.present))), uses
    except EvaluationError as error:
        return _error(checked, error.problems[0]), None


def _error(checked: CheckedPolicy, problem: Problem) -> PolicyVerdict:
    note = problem.message + (f"; {problem.help}" if problem.help else "")
    return PolicyVerdict(checked, "error", problem.code.replace("-", "_"), _NOTHING, 0, notes=(note,))


def refuse_broken_views(checked: CheckedPolicy, tables: Mapping[str, str], query: Query) -> None:
    """Raises EvaluationError if a view that the policy reads has a null or repeated key."""
    tables = with_views(checked.views, tables)
    for name, view in checked.views.items():
        if name in tables:
            refuse_broken_view(view, tables[name], query)


def outcomes(checked: CheckedPolicy, base: FactBase, settings: Settings) -> list[tuple[dict[str, Value], str]]:
    """The key and outcome of every counted row or group. Raises EvaluationError."""
    plan = _plan(checked, base, settings)
    columns = checked.relation.columns
    rows = Queries(base, settings.limits)(plan.keys_and_outcomes())
    return [({n: value_of(row[n], columns[n].type) for n in plan.key}, row["_o"]) for row in rows]


def _plan(checked: CheckedPolicy, base: FactBase, settings: Settings, instead: Mapping[str, str] | None = None) -> Plan:
    tables = {name: table(name) for name in base.present}
    return compile_policy(checked, {**tables, **(instead or {})}, settings.judged_on)


def could_be_judged(checked: CheckedPolicy, base: FactBase, settings: Settings) -> bool:
    """Whether there are rows to judge, and all that judging them needs."""
    return _without_rows(checked, base, settings) is None


def _without_rows(checked: CheckedPolicy, base: FactBase, settings: Settings) -> PolicyVerdict | None:
    """A missing `--as-of`, and relations that nobody looked for."""
    policy = checked.policy
    for name in checked.references:
        problem = settings.unusable.get(name)
        if problem is not None:
            return _error(checked, problem)
    if policy.as_of == JUDGED_ON and settings.judged_on is None:
        note = "the policy judges as of a given day: give --as-of YYYY-MM-DD"
        return PolicyVerdict(checked, "error", "judged_on_missing", _NOTHING, 0, notes=(note,))
    for name in filter(None, (policy.relation, policy.each_of)):
        if name not in checked.present(base.present):
            missing = sorted(
                n for view in checked.views.values() for n in view.reads if n not in checked.present(base.present)
            )
            what = name if name not in checked.views else f"{', '.join(dict.fromkeys(missing))}, which {name} reads"
            note = f"the facts bring no {what}: nobody looked"
            return PolicyVerdict(checked, "no_evidence", "absent_relation", _NOTHING, 0, notes=(note,))
    return None
