"""`fiel review export`: what people decided, as cases of the policy, to be pasted or added to its file.

A case holds the columns that the rule names and no other: no key, no remark, nobody's name. It expects what the person
decided, so `fiel test` fails until the rule decides as they did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from . import canonical
from .cases.base import CaseBase
from .cases.facts import can_be_written
from .cases.run import Trial
from .checked import CheckedPolicy
from .decision import Decision
from .decisions import key_of_decision, rows_with
from .evaluate import Queries
from .facts.values import from_yaml
from .frozen import dataclass
from .lang.typed import judged_columns
from .model import JUDGED_ON, Case, CaseRow, Cell, Pack, Policy
from .mutate.paste import as_written, case_line
from .mutate.values import cell_of
from .pipeline import Session
from .publish import write_whole
from .render.problems import visible
from .reviewing import Queue, plan_of
from .suggestions import with_cases
from .verdict import Value, value_of

_MOST_ROWS = 50
"""Rows of a group that a case may have."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The cases of one policy, as lines of YAML, and what no case could be made of."""

    policy: Policy
    lines: tuple[str, ...]
    notes: tuple[str, ...]


def exported(session: Session, found: Sequence[Queue]) -> list[Exported]:
    """The decisions that count, policy by policy, in the order of the file."""
    done = []
    for queue in found:
        decisions = [use.decision for use in queue.uses if use.applied]
        if decisions:
            pack = session.packs[queue.checked.policy.pack]
            done.append(_exported(session, queue.checked, pack, decisions))
    return done


def _exported(session: Session, checked: CheckedPolicy, pack: Pack, decisions: Sequence[Decision]) -> Exported:
    notes: list[str] = []
    outcomes: dict[str, dict[str, list[int]]] = {}
    for decision, rows in zip(decisions, _rows_of(session, checked, decisions), strict=True):
        case = _case(session, checked, rows)
        if case is None or not can_be_written(checked, case) or not _reviewed(checked, pack, case):
            notes.append(f"line {decision.number}: no case comes out as the row does, so none is made of it")
        else:
            outcomes.setdefault(case_line(case), {}).setdefault(decision.outcome, []).append(decision.number)
    known = {case_line(case) for case in checked.policy.cases}
    lines = []
    for line, by in outcomes.items():
        if len(by) > 1:
            numbers = ", ".join(str(number) for number in sorted(n for some in by.values() for n in some))
            notes.append(f"lines {numbers}: people decided otherwise of rows that are alike in all that the rule reads")
            continue
        (outcome,) = by
        made = line.removesuffix("expect: review}") + f"expect: {outcome}}}"
        if made not in known:
            lines.append(made)
    return Exported(checked.policy, tuple(lines), tuple(notes))


def _rows_of(
    session: Session, checked: CheckedPolicy, decisions: Sequence[Decision]
) -> Iterator[list[dict[str, Value]]]:
    """The rows of each decision; there is one for each that counts, or a group."""
    plan = plan_of(session, checked)
    keys = [key for one in decisions if (key := key_of_decision(one.row, plan)) is not None]
    yield from rows_with(plan, keys, Queries(session.base, session.request.limits))


def _case(session: Session, checked: CheckedPolicy, rows: Sequence[Mapping[str, Value]]) -> Case | None:
    """The case of a row, or of a group with its rows; what it expects is left open."""
    policy = checked.policy
    names = judged_columns(checked.where, checked.must, checked.review_if)
    names += [policy.as_of] if policy.as_of not in (None, JUDGED_ON, *names) and policy.as_of is not None else []
    example = policy.example.cells if policy.example is not None else {}
    day = session.settings.judged_on if policy.as_of == JUDGED_ON else None
    place = policy.cases[0].place
    made = [_differing(checked, names, example, row) for row in rows]
    if policy.per:
        if len(made) > _MOST_ROWS:
            return None
        case = Case(0, {}, tuple(CaseRow(cells) for cells in made), {}, "review", place, judged_on=day)
    else:
        case = Case(0, made[0], None, {}, "review", place, judged_on=day)
    return as_written(case, checked)


def _differing(
    checked: CheckedPolicy, names: Sequence[str], example: Mapping[str, Cell], row: Mapping[str, Value]
) -> dict[str, Cell]:
    """The cells of the columns that the rule names, where they are not those of the example."""
    found = {}
    for name in names:
        column = checked.relation.columns[name]
        given = example.get(name)
        usual = value_of(from_yaml(given.text, given.quoted, column), column.type) if given is not None else None
        if row[name] != usual or (given is None and row[name] is not None):
            found[name] = cell_of(None if row[name] is None else canonical.shown(row[name]), column)
    return found


def _reviewed(checked: CheckedPolicy, pack: Pack, case: Case) -> bool:
    """Whether the rule leaves the case to a person, as it left the row. Other relations may have had a say in that."""
    with CaseBase(pack.readable) as base:
        try:
            (result,) = Trial(checked, base, [case]).results()
        except (ValueError, KeyError):
            return False
        return result.verdict.verdict == "review"


# -- text ------------------------------------------------------------------------------------------------------

_WHY = "the rule leaves these rows to a person; `fiel test` fails until it decides as the person did"


def exported_text(done: Sequence[Exported]) -> str:
    """The cases for each file; and, where there are none, why."""
    lines: list[str] = []
    for one in done:
        if one.lines:
            lines += [f"# {visible(one.policy.file)}", f"# {_WHY}", *(f"  {visible(line)}" for line in one.lines)]
        lines += _notes(one)
    return "\n".join(lines or ["no decision that counts is missing among the cases"]) + "\n"


def write_exported(done: Sequence[Exported]) -> str:
    """Adds the cases to the files, all or none, and says so. Raises UsageError."""
    lines: list[str] = []
    files: list[tuple[Path, str]] = []
    for one in done:
        if one.lines:
            files.append((Path(one.policy.file), with_cases(one.policy, list(one.lines))))
            number = f"{len(one.lines)} case{'' if len(one.lines) == 1 else 's'}"
            lines += [f"added {number} to {visible(one.policy.file)}: {_WHY}"]
            lines += [f"  {visible(line)}" for line in one.lines]
        lines += _notes(one)
    write_whole(files)
    return "\n".join(lines or ["no decision that counts is missing among the cases"]) + "\n"


def _notes(one: Exported) -> list[str]:
    return [f"# {visible(one.policy.file)}: {visible(note)}" for note in one.notes]
