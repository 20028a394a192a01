"""`fiel test --suggest`: the missing cases alone, to be pasted or, with `--write`, added to the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .casework import PolicyTest
from .casework_text import suggested
from .errors import Problem, UsageError
from .publish import write_whole
from .render.problems import visible


def suggestions_text(done: Sequence[PolicyTest]) -> str:
    """The lines for each file; and, where there are none, why."""
    lines: list[str] = []
    for one in done:
        found = suggested(one.attack) if one.attack is not None else []
        if found:
            lines += [f"# {visible(one.policy.file)}", *(f"  {line}" for line in found)]
        lines += _unsaid(one)
    return "\n".join(lines or ["no case is missing"]) + "\n"


def write_suggestions(done: Sequence[PolicyTest]) -> str:
    """Adds the cases to the files, all or none, and says so. Raises UsageError."""
    lines: list[str] = []
    files: list[tuple[Path, str]] = []
    for one in done:
        found = suggested(one.attack) if one.attack is not None else []
        if found:
            path = Path(one.policy.file)
            files.append((path, _with_cases(path, found)))
            number = f"{len(found)} case{'' if len(found) == 1 else 's'}"
            lines += [f"added {number} to {visible(one.policy.file)}: read them, they say what the rule does now"]
            lines += [f"  {line}" for line in found]
        lines += _unsaid(one)
    write_whole(files)
    return "\n".join(lines or ["no case is missing"]) + "\n"


def _unsaid(one: PolicyTest) -> list[str]:
    """What is wrong with the policy and no case would mend."""
    if one.attack is None and not one.ok:
        return [f"# {visible(one.policy.file)}: its own cases are not in order; run `fiel test`"]
    unsolved = [s for s in one.attack.survivors if s.killer is None] if one.attack is not None else []
    return [f"# {visible(one.policy.file)}: no case was found for: {visible(s.mutant.name)}" for s in unsolved]


def _with_cases(path: Path, lines: Sequence[str]) -> str:
    """The text of a policy's file with cases added at the end of its `cases`, everything else as it was."""
    import yaml

    text = path.read_bytes().decode("utf-8")
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    cases = next(value for key, value in root.value if key.value == "cases")
    # `from_yaml` of the loader reads scalars as text: so the comparison below speaks of what is written.
    before = yaml.load(text, Loader=yaml.BaseLoader)
    added = yaml.load("\n".join(lines), Loader=yaml.BaseLoader)
    new = _in_flow(text, cases, lines) if cases.flow_style else _in_block(text, cases, lines)
    after = yaml.load(new, Loader=yaml.BaseLoader)
    if after != {**before, "cases": [*before["cases"], *added]}:
        message = f"the cases of `{path}` are written in a form to which nothing can be added safely"
        raise UsageError(Problem("cannot-add-cases", message, help="paste the lines of `fiel test --suggest` by hand"))
    return new


def _in_flow(text: str, cases: object, lines: Sequence[str]) -> str:
    """Before the closing bracket of `[…]`."""
    end = cases.end_mark.index - 1  # type: ignore[attr-defined]  # a node of yaml, which has no types here
    last = cases.value[-1].end_mark.index  # type: ignore[attr-defined]
    items = ", ".join(line.removeprefix("- ") for line in lines)
    return f"{text[:last]}, {items}{text[last:end].replace(',', '', 1)}{text[end:]}"


def _in_block(text: str, cases: object, lines: Sequence[str]) -> str:
    """Below the last item, as far in as its dash."""
    break_ = "\r\n" if "\r\n" in text else "\n"
    written = text.split(break_)
    last = cases.value[-1]  # type: ignore[attr-defined]
    at = last.end_mark.line
    if not getattr(last, "flow_style", True):
        at -= last.end_mark.column == 0 or not written[at][: last.end_mark.column].strip()
        while not written[at].strip() or written[at].lstrip().startswith("#"):
            at -= 1
    indent = " " * cases.start_mark.column  # type: ignore[attr-defined]
    new = [f"{indent}{line}" for line in lines]
    return break_.join([*written[: at + 1], *new, *written[at + 1 :]])
