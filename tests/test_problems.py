"""Problems as text, and that each code has its entry in the manual."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Place, Problem
from engine.gate.lies import KINDS
from engine.mutate.run import OPERATORS
from engine.render.problems import WIDTH, add_excerpts, excerpt_lines, render_problem, render_problems, visible, width

ROOT = Path(__file__).resolve().parents[1]
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
NO_CODES = frozenset(
    {
        "quote-elsewhere",  # remarks of `diagnostics.jsonl`: docs/sensors.md
        "quote-normalised",
        "span-repeated",
        "choice-refused",
        "quote-absent",
        "quote-ambiguous",
        "quote-empty",
        "quote-surrogate",
        "not-asked",  # why a report has nothing of a sensor
        "asked-otherwise",
        "entries-left-out",
        "nothing-to-read",
        "utf-8",
        "utf-8-sig",
        "rev-parse",
        "ls-tree",
        "cat-file",
        "system-out",
        "system-err",
        "content-type",
        "anthropic-version",
        "date-time",
        "is-added-later",
        "data-key",
        "data-line",
        "data-reason",
        "data-reference",
        *OPERATORS,
        *KINDS,
        "data-column",
        "data-edition",
        "made-up",
        "init-ci",
        "aria-describedby",
        "aria-details",
        "aria-errormessage",
        "aria-labelledby",
        "bidi-override",
    }
)
"""Words with a hyphen in the engine that are no codes; the names of mutants have a page of their own."""


def docstrings(tree: ast.Module) -> set[int]:
    """The texts that stand as statements: they say something to a reader only."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def codes_of_the_engine() -> dict[str, str]:
    """Every code and a file that gives it. A code is any word with a hyphen that stands as a text of its own.

    So none can hide behind a wrapper or a table; whatever else looks like one is named in `NO_CODES`.
    """
    found: dict[str, str] = {}
    for path in sorted((ROOT / "engine").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        said = docstrings(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
                if CODE.fullmatch(node.value) and node.value not in NO_CODES:
                    found[node.value] = path.relative_to(ROOT).as_posix()
    return found


def entries_of_the_manual() -> list[str]:
    return re.findall(r"^## (\S+)$", (ROOT / "docs" / "errors.md").read_text("utf-8"), re.MULTILINE)


def codes_given_to_problems() -> set[str]:
    """The codes that are given to `Problem`, or to a function whose name ends in `problem`, themselves."""
    found = set()
    for path in sorted((ROOT / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name != "Problem" and not name.endswith("problem"):
                continue
            given = [*node.args[:2], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
            found |= {arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str)}
    return {code for code in found if CODE.fullmatch(code)}


def test_the_codes_given_to_problems_are_among_those_that_are_found() -> None:
    given = codes_given_to_problems()
    assert len(given) > 50
    assert given <= set(codes_of_the_engine())


def test_each_code_has_an_entry_in_the_manual() -> None:
    entries = set(entries_of_the_manual())
    missing = {code: file for code, file in codes_of_the_engine().items() if code not in entries}
    assert missing == {}


def test_each_entry_of_the_manual_has_a_code() -> None:
    assert sorted(set(entries_of_the_manual()) - set(codes_of_the_engine())) == []


def test_the_entries_are_in_order_and_none_stands_twice() -> None:
    entries = entries_of_the_manual()
    assert entries == sorted(set(entries))


def test_each_entry_says_what_it_means_shows_an_example_and_mends_it() -> None:
    text = (ROOT / "docs" / "errors.md").read_text("utf-8")
    for entry in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        parts = re.fullmatch(r"(\S+)\n\n(.+?)\n\n```\w+\n(.+?)\n```\n\n(.+)", entry.strip(), re.DOTALL)
        assert parts is not None, entry.split("\n")[0]


# ---- the text


def problem(excerpt: str, column: int, length: int = 1, message: str = "no") -> Problem:
    return Problem("a-code", message, Place("f.yaml", 3, column, length), None, excerpt, "mend it")


def test_a_problem_is_shown_as_the_design_says() -> None:
    place = Place("policies/prose/sentence_length.yaml", 5, 7, 5)
    shown = render_problem(
        Problem(
            "unknown-column",
            "`wrods` is not a column of sentence",
            place,
            None,
            "must: wrods <= max_words",
            "did you mean `words` (int, words)?",
        )
    )
    assert shown == (
        "policies/prose/sentence_length.yaml:5:7: unknown-column: `wrods` is not a column of sentence\n"
        "    must: wrods <= max_words\n"
        "          ^^^^^\n"
        "  help: did you mean `words` (int, words)?\n"
    )


def test_a_problem_without_a_place_names_where_it_is() -> None:
    assert render_problem(Problem("a-code", "no", where="facts.json, row 3")) == "facts.json, row 3: a-code: no\n"
    assert render_problem(Problem("a-code", "no")) == "a-code: no\n"


def test_a_note_says_that_it_is_one() -> None:
    assert render_problem(Problem("a-code", "no", severity="note")) == "note: a-code: no\n"


def test_help_of_several_lines_is_indented() -> None:
    assert render_problem(Problem("a-code", "no", help="do\nthis")) == "a-code: no\n  help: do\n        this\n"


def test_problems_are_sorted_by_place_with_a_line_between() -> None:
    late, early = Problem("b-b", "no", Place("f", 9, 1)), Problem("a-a", "no", Place("f", 10, 1))
    assert render_problems([early, late]) == "f:9:1: b-b: no\n\nf:10:1: a-a: no\n"
    assert render_problems([]) == ""


@pytest.mark.parametrize(
    ("excerpt", "column", "length", "before"),
    [
        ("must: wrods", 7, 5, 6),
        ("\tx: wrods", 5, 5, 3),
        ("漢字: wrods", 5, 5, 6),
        ("e\u0301a\u0308: x", 7, 1, 4),
        ("\u200bx", 2, 1, 6),
        ("🎈 x", 3, 1, 3),
        ("ｆｕｌｌ x", 6, 1, 9),
    ],
)
def test_the_caret_stands_under_its_character(excerpt: str, column: int, length: int, before: int) -> None:
    line, carets = excerpt_lines(excerpt, Place("f", 1, column, length))
    assert carets == " " * before + "^" * length
    assert width(line[: line.index(excerpt[column - 1])]) == before


def test_a_wide_character_has_two_carets() -> None:
    assert excerpt_lines("a: 漢", Place("f", 1, 4, 1))[1] == "   ^^"


def test_what_would_act_on_a_terminal_is_made_visible() -> None:
    hostile = "\x1b[31m\x07\r\x7f\u202e\u2066\u200b\x9b\x00"
    shown = render_problem(problem(f"x {hostile} y", 1, message=f"no `{hostile}`"))
    assert all(character.isprintable() for line in shown.splitlines() for character in line)
    assert "␛[31m␇␍␡\\u202e\\u2066\\u200b\\u009b␀" in shown


def test_a_place_beyond_the_line_or_before_it_is_no_error() -> None:
    for column in (0, 1, 7, 8, 500):
        line, carets = excerpt_lines("must: x", Place("f", 1, column, 3))
        assert line == "must: x"
        assert carets.strip("^ ") == ""
    assert "^" not in render_problem(problem("", 1))
    assert "^" not in render_problem(problem("   ", 1))


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from("ab 漢字é\u0301🎈\t\x1b\u202e"), min_size=1, max_size=300),
    st.integers(1, 300),
    st.integers(1, 50),
)
def test_a_long_line_is_cut_around_its_caret(excerpt: str, column: int, length: int) -> None:
    column = min(column, len(excerpt))
    line, carets = excerpt_lines(excerpt, Place("f", 1, column, length))
    assert width(line) <= WIDTH
    assert len(carets) <= WIDTH
    assert carets.endswith("^")
    marked = visible(excerpt[column - 1].replace("\t", " "))
    if width(marked) and marked.strip():
        under = line_at(line, len(carets) - len(carets.lstrip(" ")))
        assert under.startswith(marked[:1]), (line, carets)


def line_at(line: str, column: int) -> str:
    """The rest of a line from a column of the terminal on, without what takes no column."""
    at = next(at for at in range(len(line) + 1) if width(line[:at]) >= column)
    return line[at:].lstrip("\u0301")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60), st.integers(-3, 80), st.integers(-3, 80))
def test_no_problem_breaks_the_text(message: str, excerpt: str, column: int, length: int) -> None:
    shown = render_problem(problem(excerpt, column, length, message))
    assert shown.endswith("\n")
    assert len(shown.split("\n")) <= 5
    assert all(character.isprintable() or character == "\n" for character in shown)


def test_a_missing_excerpt_is_read_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.yaml").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    first, second = Problem("a-code", "no", Place("f.yaml", 2, 1)), Problem("a-code", "no", Place("g.yaml", 2, 1))
    assert [each.excerpt for each in add_excerpts([first, second])] == ["two", None]
    assert [each.excerpt for each in add_excerpts([Problem("a-code", "no", Place("f.yaml", 99, 1))])] == [None]
