"""What came of `fiel test`, as text: a line for each policy, what differs, and the cases to paste."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .cases.run import CaseResult
from .casework import PolicyTest
from .mutate import Attack
from .render.problems import visible
from .render.text import count_line, witness_lines

_INDENT = "      "


def report_text(done: Sequence[PolicyTest], each_case: bool = False) -> str:
    """The report, with a line feed at the end. `each_case` also shows the cases that are as expected."""
    lines: list[str] = []
    for one in done:
        lines += _policy(one, each_case)
    cases = _cases(sum(one.numbered for one in done), sum(one.with_example for one in done))
    wrong = sum(1 for one in done for r in one.results if not r.ok)
    lacking = sum(1 for one in done if one.lacks)
    lack = f"{lacking} without a kind of case that a policy needs"
    policies = f"{len(done)} {'policy' if len(done) == 1 else 'policies'}"
    lines += [f"{policies}, {cases}: {wrong} not as expected; {lack}", _mutants(done)]
    return "\n".join(lines) + "\n"


def _mutants(done: Sequence[PolicyTest]) -> str:
    """The sum over all policies whose mutants were tried; an exact fraction, never a rounded one."""
    tried = [one.attack for one in done if one.attack is not None]
    if not tried:
        return "mutants: not tried"
    text = f"mutants: {sum(a.killed for a in tried)} of {sum(a.total for a in tried)} killed"
    proved, excluded = sum(a.equivalent for a in tried), sum(len(a.excluded) for a in tried)
    text += f", {proved} more proved to mean the same" if proved else ""
    text += f", {excluded} excluded" if excluded else ""
    left = len(done) - len(tried)
    return text + (f"; not tried for {left} {'policy' if left == 1 else 'policies'}" if left else "")


def _number(n: int, word: str) -> str:
    return f"{n} {word}{'' if n == 1 else 's'}"


def _cases(numbered: int, examples: int) -> str:
    """How many cases, and the examples, which are judged like cases."""
    also = {0: "", 1: " and the example"}.get(examples, f" and {examples} examples")
    return _number(numbered, "case") + also


def _policy(one: PolicyTest, each_case: bool) -> Iterator[str]:
    if one.policy.later:
        yield f"NOT YET  {one.policy.id}: uses {', '.join(f'`{key}`' for key in one.policy.later)}"
        return
    tally = _cases(one.numbered, one.with_example)
    if one.attack is not None:
        tally += f", {one.attack.killed} of {one.attack.total} mutants killed"
    yield f"{'ok' if one.ok else 'FAIL'}  {one.policy.id}  {tally}"
    for result in one.results:
        if each_case or not result.ok:
            yield from _case(result)
    for lack in one.lacks:
        yield f"{_INDENT}{visible(one.policy.file)}: {lack}"
    if one.attack is not None:
        yield from _attack(one, one.attack, each_case)


def _case(result: CaseResult) -> Iterator[str]:
    what = "the example: " if result.number == 0 else ""
    found = result.verdict
    for difference in result.differences:
        yield f"{_INDENT}{result.place}: {what}{visible(difference)}"
    if result.ok:
        reason = f" ({found.reason})" if found.reason else ""
        yield f"{_INDENT}{result.place}: {what}{found.verdict}{reason}, as expected"
    if not result.ok:
        yield f"{_INDENT}counted: {count_line(found)}"
    for note in found.notes:
        yield f"{_INDENT}{visible(note)}"
    for witness in found.witnesses:
        yield from witness_lines(found, witness)
    for line in result.terms:
        yield f"{_INDENT}  {visible(line)}"


def _attack(one: PolicyTest, attack: Attack, each_case: bool) -> Iterator[str]:
    for survivor in attack.survivors:
        if not survivor.sought:
            continue
        yield f"{_INDENT}{survivor.mutant.place}: survives: {visible(survivor.mutant.name)}"
        if survivor.killer is None:
            yield f"{_INDENT}  no case was found that would notice it: mend the rule, or give a reason in `exclusions`"
    lines = suggested(attack)
    if lines:
        yield f"{_INDENT}to paste under `cases:` of {visible(one.policy.file)}, if that is what is meant:"
        yield from (f"  {line}" for line in lines)
    if more := not_sought(attack):
        yield f"{_INDENT}{more}"
    for exclusion in attack.idle:
        place = f"{exclusion.place}: " if exclusion.place is not None else ""
        yield f"{_INDENT}{place}this exclusion names no mutant that survives: {visible(exclusion.mutant)}"
    for exclusion in attack.excluded if each_case else ():
        yield f"{_INDENT}excluded: {visible(exclusion.mutant)}, because {visible(exclusion.because)}"


def not_sought(attack: Attack) -> str | None:
    """How many more survive for which no case was looked for, and what to do."""
    left = sum(1 for s in attack.survivors if not s.sought)
    first = len(attack.survivors) - left
    return (
        f"{left} more survive: cases were looked for for the first {first}; add those and test again" if left else None
    )


def suggested(attack: Attack) -> list[str]:
    """The cases that would notice the survivors, each once, as lines of YAML."""
    return list(dict.fromkeys(s.killer.line for s in attack.survivors if s.killer is not None))
