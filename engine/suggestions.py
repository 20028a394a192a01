"""`fiel test --suggest`: the missing cases alone, to be pasted or, with `--write`, added to the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .casework import PolicyTest
from .casework_text import not_sought, suggested
from .errors import Problem, UsageError
from .frozen import replace
from .load import policy_of_bytes
from .model import Policy
from .mutate.paste import case_line
from .publish import write_whole
from .render.problems import visible


def suggestions_text(done: Sequence[PolicyTest]) -> str:
    """The lines for each file; and, where there are none, why."""
    lines: list[str] = []
    for one in done:
        found = _found(one)
        if found:
            lines += [f"# {visible(one.policy.file)}", *(f"  {line}" for line in found)]
        lines += _unsaid(one)
    return "\n".join(lines or ["no case is missing"]) + "\n"


def write_suggestions(done: Sequence[PolicyTest]) -> str:
    """Adds the cases to the files, all or none, and says so. Raises UsageError."""
    lines: list[str] = []
    files: list[tuple[Path, str]] = []
    for one in done:
        found = _found(one)
        if found:
            files.append((Path(one.policy.file), with_cases(one.policy, found)))
            number = f"{len(found)} case{'' if len(found) == 1 else 's'}"
            lines += [f"added {number} to {visible(one.policy.file)}: read them, they say what the rule does now"]
            lines += [f"  {line}" for line in found]
        lines += _unsaid(one)
    write_whole(files)
    lines += ["run `fiel test` again"] if files else []
    return "\n".join(lines or ["no case is missing"]) + "\n"


def _found(one: PolicyTest) -> list[str]:
    """The cases to add: those that notice survivors, or that of no rows without which no mutant is tried."""
    if one.attack is not None:
        return suggested(one.attack)
    return [case_line(one.nothing)] if one.nothing is not None else []


def _unsaid(one: PolicyTest) -> list[str]:
    """What is wrong with the policy and no case would mend."""
    if one.nothing is not None:
        return []
    if one.attack is None and not one.ok:
        said = [f"# {visible(one.policy.file)}: {lack}" for lack in one.lacks]
        if not said or not all(result.ok for result in one.results):
            said.append(f"# {visible(one.policy.file)}: its own cases are not in order; run `fiel test`")
        return said
    if one.attack is None:
        return []
    unsolved = [s for s in one.attack.survivors if s.killer is None and s.sought]
    found = [f"no case was found for: {visible(s.mutant.name)}" for s in unsolved]
    found += [more] if (more := not_sought(one.attack)) else []
    return [f"# {visible(one.policy.file)}: {line}" for line in found]


def with_cases(policy: Policy, lines: Sequence[str]) -> str:
    """The text of a policy's file with cases added at the end of its `cases`, everything else as it was.

    Raises UsageError where the file is not what was tested, or the cases would not be read as they are meant.
    """
    import yaml

    data = Path(policy.file).read_bytes()
    if policy_of_bytes(data, policy) != policy:
        message = f"`{visible(policy.file)}` was changed while it was tested"
        raise UsageError(Problem("cannot-add-cases", message, help="run the command again"))
    text = data.decode("utf-8")
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    cases = next(value for key, value in root.value if key.value == "cases")
    new = _in_flow(text, cases, lines) if cases.flow_style else _in_block(text, cases, lines)
    again = policy_of_bytes(new.encode("utf-8"), policy)
    number = len(policy.cases)
    if (
        again is None
        or replace(again, cases=again.cases[:number]) != policy
        or [case_line(case) for case in again.cases[number:]] != lines
    ):
        message = f"the cases of `{visible(policy.file)}` are written in a form to which nothing can be added safely"
        raise UsageError(Problem("cannot-add-cases", message, help="paste the lines of `fiel test --suggest` by hand"))
    return new


def _in_flow(text: str, cases: Any, lines: Sequence[str]) -> str:
    """Behind the last item of `[…]`; a comma after it stays where it is."""
    last = cases.value[-1].end_mark.index
    items = ", ".join(line.removeprefix("- ") for line in lines)
    return f"{text[:last]}, {items}{text[last:]}"


def _in_block(text: str, cases: Any, lines: Sequence[str]) -> str:
    """Below the last line of the last item, as far in as its dash."""
    end = _end(cases)
    at = end if text[end - 1] == "\n" else text.find("\n", end) + 1
    break_ = "\r\n" if "\r\n" in text else "\n"
    indent = " " * cases.start_mark.column
    new = break_.join(f"{indent}{line}" for line in lines)
    return f"{text[:at]}{new}{break_}{text[at:]}" if at else f"{text}{break_}{new}"


def _end(node: Any) -> int:
    """Where what is written of a node ends. (A block's own mark lies behind the comments that follow it.)"""
    if not getattr(node, "flow_style", True):
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)
