"""`fiel diff`: the policies against those of another revision, and against facts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import BinaryIO

from . import canonical
from .check import check_policy
from .checked import CheckedPolicy
from .comparison import Comparison, comparable, compare, under
from .compile import compile_policy
from .decision import Decision
from .decisions import decide, read_decisions
from .errors import EvaluationError, PolicyError, Problem, UsageError, did_you_mean
from .evaluate import Queries, refuse_strays
from .facts import FactBase, load, relations_in, table
from .frozen import dataclass, replace
from .judging import Settings, judge_policy, tables_of
from .lang.dialects import duckdb as dialect
from .load import load_packs
from .model import JUDGED_ON, Pack, Waiver
from .pipeline import merged_relations, rulings_on, shelf_of
from .render.problems import visible
from .render.text import count_line
from .revision import earlier_policies
from .verdict import value_of

_MOST_ROWS = 20


@dataclass(frozen=True, slots=True)
class MovedRows:
    """The rows of facts whose outcome is another: how many, and the first as lines. `note`: why none were compared."""

    number: int = 0
    lines: tuple[str, ...] = ()
    note: str | None = None
    verdicts: tuple[str, str] | None = None
    """What the old and the new version say of all the facts: a tolerance moves no row."""
    undone: int = 0
    """How many decisions count under the old version and not under the new."""


@dataclass(frozen=True, slots=True)
class Difference:
    """All policies of both versions, by name, with the name of the earlier version."""

    against: str
    comparisons: tuple[Comparison, ...]
    rows: Mapping[str, MovedRows]
    accepted: frozenset[str] = frozenset()
    waivers: tuple[str, ...] = ()
    """Waivers that are there and were not, or the reverse, a line each."""

    @property
    def unexplained(self) -> list[str]:
        """The policies that let more through, for which nobody gives a reason."""
        return [c.policy for c in self.comparisons if not c.ok and c.policy not in self.accepted]


def difference(
    revision: str,
    policies: Path,
    facts: Sequence[str] = (),
    as_of: date | None = None,
    accepted: Sequence[str] = (),
    stdin: BinaryIO | None = None,
    references: Sequence[Path] = (),
    decisions: Path | None = None,
) -> Difference:
    """Compares every policy of `policies` with its earlier version. Raises PolicyError, FactError, UsageError."""
    with earlier_policies(revision, policies) as (folder, name):
        new_packs, new = _checked(policies)
        old_packs, old = _checked_earlier(folder, revision)
        every = sorted({*old, *new})
        for one in accepted:
            if one not in every:
                help_text = did_you_mean(one, every, "policies")
                raise UsageError(Problem("unknown-policy", f"`{one}` is no policy of either version", help=help_text))
        comparisons = tuple(_compared(i, old.get(i), new.get(i)) for i in every)
        rows: dict[str, MovedRows] = {}
        if facts:
            moving = [c.policy for c in comparisons if c.kind not in ("added", "removed", "unchanged")]
            shelf = shelf_of([side[i] for i in moving for side in (old, new)], references)
            if shelf.problems:
                raise UsageError([shelf.problems[name] for name in sorted(shelf.problems)])
            decided = read_decisions(decisions) if decisions is not None else ()
            survey, relations = relations_in(facts, stdin=stdin), merged_relations(new_packs)
            with load(survey, relations, tables=tables_of(shelf)) as base:
                for i in moving:
                    rows[i] = _moved(old[i], new[i], base, as_of, decided)
        waivers = (*_waiver_lines(old_packs, new_packs), *_reference_lines(old_packs, new_packs))
        return Difference(name, comparisons, rows, frozenset(accepted), waivers)


def _waiver_lines(old: Mapping[str, Pack], new: Mapping[str, Pack]) -> Iterator[str]:
    """A waiver bears its own reason and its end, so a new one is said and fails nothing."""
    before, now = ({_waiver_text(w) for pack in side.values() for w in pack.waivers} for side in (old, new))
    yield from (f"waiver added: {text}" for text in sorted(now - before))
    yield from (f"waiver gone: {text}" for text in sorted(before - now))


def _reference_lines(old: Mapping[str, Pack], new: Mapping[str, Pack]) -> Iterator[str]:
    """Another file or edition changes what is official: `fiel reference diff` says what."""
    before, now = ({name: one for p in side.values() for name, one in p.references.items()} for side in (old, new))
    for name in sorted(before.keys() | now.keys()):
        was, is_now = before.get(name), now.get(name)
        if was is None or is_now is None:
            yield f"reference {'added' if was is None else 'gone'}: {name}"
        elif was.sha256 != is_now.sha256:
            yield f"reference {name}: edition {was.edition} → {is_now.edition}, another file ({is_now.sha256[:16]}…)"
        elif was != is_now:
            yield f"reference {name}: the same file, read or described otherwise"


def _waiver_text(waiver: Waiver) -> str:
    rows = ", ".join(f"{name} {cell.text}" for name, cell in waiver.rows.items()) or "any row"
    about = f"at most {waiver.at_most}, until {waiver.until}, {waiver.owner}: {waiver.because}"
    return f"{waiver.policy}, {rows}, {about}"


def _checked(folder: Path) -> tuple[Mapping[str, Pack], dict[str, CheckedPolicy]]:
    loaded = load_packs(folder)
    problems = [p for p in loaded.problems if p.is_error]
    found = {}
    for pack in loaded.packs.values():
        for policy in pack.policies.values():
            checked, more = check_policy(policy, pack)
            problems += [p for p in more if p.is_error]
            if checked is not None:
                found[policy.id] = checked
    if problems:
        raise PolicyError(problems)
    if not found:
        raise UsageError(Problem("no-policies", f"there is no policy to compare in `{folder}`", help="name another"))
    return loaded.packs, found


def _checked_earlier(folder: Path, revision: str) -> tuple[Mapping[str, Pack], dict[str, CheckedPolicy]]:
    """The earlier policies. Problems of theirs stand where the user finds them, not in our private folder."""
    try:
        return _checked(folder)
    except PolicyError as error:
        if folder == Path(revision):
            raise
        raise PolicyError([_in_revision(p, str(folder), revision) for p in error.problems]) from None


def _in_revision(problem: Problem, folder: str, revision: str) -> Problem:
    place = problem.place
    if place is not None and place.file.startswith(folder):
        place = replace(place, file=f"{revision}:{place.file.removeprefix(folder).lstrip(os.sep)}")
    return replace(problem, place=place, message=problem.message.replace(folder, revision))


def _compared(name: str, old: CheckedPolicy | None, new: CheckedPolicy | None) -> Comparison:
    if new is None:
        return Comparison(name, "removed")
    return compare(old, new) if old is not None else Comparison(name, "added")


def _moved(
    old: CheckedPolicy, new: CheckedPolicy, base: FactBase, as_of: date | None, decisions: Sequence[Decision]
) -> MovedRows:
    """The rows or groups of the facts whose outcome the two versions, with their decisions, see differently."""
    if not comparable(old, new) or old.key != new.key:
        return MovedRows(note="the two versions do not judge the same rows")
    needed = [n for one in (old, new) for n in (one.policy.relation, one.policy.each_of) if n]
    if any(n not in one.present(base.present) for one in (old, new) for n in needed):
        return MovedRows(note="the facts bring no such relation")
    if as_of is None and JUDGED_ON in (old.policy.as_of, new.policy.as_of):
        return MovedRows(note="it judges as of a given day: add --as-of DATE")
    tables = {n: table(n) for n in base.present}
    plans = [compile_policy(one, tables, as_of) for one in (under(old, new), new)]
    query = Queries(base, Settings().limits)
    for plan in plans:
        try:
            refuse_strays(plan, query)
        except EvaluationError as error:
            return MovedRows(note=f"there is no verdict: {error.problems[0].message}")
    rulings = [rulings_on(one, decisions) for one in (old, new)]
    decided = [decide(plan, some, query) for plan, some in zip(plans, rulings, strict=True)]
    before, now = (plan.keys_and_outcomes() for plan, _ in decided)
    fitting, still = ({use.decision.number for use in uses if use.applied} for _, uses in decided)
    keys = [dialect.quote(k) for k in new.key]
    both = f"({before}) AS a FULL JOIN ({now}) AS b USING ({', '.join(keys)})"
    chosen = f"SELECT {', '.join(keys)}, a._o AS _was, b._o AS _now FROM {both} WHERE a._o IS DISTINCT FROM b._o"
    number = query(f"SELECT count(*) AS _n FROM ({chosen})")[0]["_n"]
    rows = query(f"{chosen} ORDER BY {', '.join(keys)} LIMIT {_MOST_ROWS}")
    columns = new.relation.columns
    lines = []
    for row in rows:
        key = ", ".join(f"{n} {canonical.shown(value_of(row[n], columns[n].type))}" for n in new.key)
        was, is_now = ((row[c] or "out of scope").replace("_", " ") for c in ("_was", "_now"))
        lines.append(f"{key}: {was} → {is_now}")
    settings = Settings(judged_on=as_of, witnesses=0)
    pairs = zip((under(old, new), new), rulings, strict=True)
    verdicts = [judge_policy(one, base, settings, rulings=some) for one, some in pairs]
    texts = [f"{v.verdict.replace('_', ' ')} ({count_line(v)})" for v in verdicts]
    return MovedRows(number, tuple(lines), verdicts=(texts[0], texts[1]), undone=len(fitting - still))


# -- text ------------------------------------------------------------------------------------------------------

_INDENT = "      "


def difference_text(found: Difference) -> str:
    """The report, with a line feed at the end."""
    lines = [f"compared with {visible(found.against)}", ""]
    still = [c for c in found.comparisons if c.kind == "unchanged"]
    for one in found.comparisons:
        if one not in still:
            lines += [*_comparison(found, one), ""]
    lines += [visible(line) for line in found.waivers]
    if still:
        lines.append(f"unchanged: {', '.join(c.policy for c in still)}")
    lines.append(_summary(found))
    return "\n".join(lines) + "\n"


def _comparison(found: Difference, one: Comparison) -> Iterator[str]:
    yield f"{one.kind.upper()}  {one.policy}"
    for change in one.parameters:
        yield f"{_INDENT}{change.name}: {visible(change.old or 'not there')}"
        yield f"{_INDENT}{' ' * len(change.name)}→ {visible(change.new or 'not there')}"
    for move in one.moves:
        yield f"{_INDENT}{move.old.replace('_', ' ')} → {move.new.replace('_', ' ')}, as in {visible(move.line[2:])}"
    if one.tried:
        yield f"{_INDENT}{one.tried} generated cases were compared, around every constant of both; that is no proof"
    if one.kind == "incomparable":
        yield f"{_INDENT}it reads columns or views that are not what they were, so what it lets through is not known"
    if one.loosens:
        yield from (f"{_INDENT}reason given: {visible(reason)}" for reason in one.reasons)
        if one.policy in found.accepted:
            yield f"{_INDENT}accepted with --accept"
        elif not one.reasons:
            yield f"{_INDENT}no new `because` and no new source says why: give one, or --accept {one.policy}"
    rows = found.rows.get(one.policy)
    if rows is not None and rows.note:
        yield f"{_INDENT}facts not compared: {visible(rows.note)}"
    elif rows is not None:
        if rows.verdicts is not None:
            yield f"{_INDENT}on these facts: {rows.verdicts[0]} → {rows.verdicts[1]}"
        if rows.undone:
            number = f"{rows.undone} decision{'' if rows.undone == 1 else 's'}"
            yield f"{_INDENT}{number} counted under the old version only: those rows have to be decided again"
        yield f"{_INDENT}{rows.number} of the facts' rows come out otherwise"
        yield from (f"{_INDENT}  {visible(line)}" for line in rows.lines)
        if rows.number > len(rows.lines):
            yield f"{_INDENT}  and {rows.number - len(rows.lines)} more"


def _summary(found: Difference) -> str:
    kinds = ("added", "removed", "loosened", "tightened", "both", "changed", "incomparable", "unchanged")
    tally = [f"{n} {k}" for k in kinds if (n := sum(1 for c in found.comparisons if c.kind == k))]
    number = len(found.comparisons)
    text = f"{number} {'policy' if number == 1 else 'policies'}: {', '.join(tally)}"
    return text + (f"; without a reason: {', '.join(found.unexplained)}" if found.unexplained else "")
