"""What a message says to do, done: the mended pack has no problem left.

Each entry of `MENDED` is a sample of `broken/`, the text that the message points at, what the help says to write in its
place, and the words of the message that say so.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from engine.checkup import check_paths
from engine.errors import Problem
from engine.render.problems import render_problems

from .test_load_broken import BROKEN, problems_of

DAY = "2026-01-01"
MENDED: dict[str, tuple[str, str, str]] = {
    "allow_bare_number": (
        "allow: 2%\nparams:\n",
        "allow: few\nparams:\n  few: {value: 2%, origin: convention, because: x}\n",
        "declare the number under `params`",
    ),
    "anchor": ("&a ", "", "remove it"),
    "case_column_reason": (
        "{reason: late, expect: pass}",
        "{rows: [{reason: late}], expect: pass}",
        "rows: [{reason: …}]",
    ),
    "case_columns_beside_rows": ("{height: 120, rows: [], ", "{rows: [{height: 120}], ", "rows: [{height: …}]"),
    "case_decimal_comma": ("120,1", "120.1", "`120.1`"),
    "case_judged_on_unused": ("judged_on: 2024-01-01, ", "", "remove it"),
    "case_misspelt_key": ("expct", "expect", "did you mean it by `expct`"),
    "case_outside_one_of": ("certified", "specific", "`specific`"),
    "case_reason_does_not_fit": (
        "{height: 120, expect: pass, reason",
        "{height: null, expect: no_evidence, reason",
        "no_evidence",
    ),
    "case_repeat_outside_row": ("{repeat: 3, expect", "{rows: [{repeat: 3}], expect", "`rows: [{repeat: 3, …}]`"),
    "case_unknown_column": ("hieght", "height", "`height`"),
    "case_unknown_relation": ("permits:", "permit:", "`permit`"),
    "case_verdict_unknown": ("failed", "fail", "`fail`"),
    "case_wrong_type": ("height: tall", "height: 80", "a number that fits decimal(5,1)"),
    "colon_in_title": (
        "title: Height: a flight stays below the greatest height",
        'title: "Height: a flight stays below the greatest height"',
        "put the text in double quotes",
    ),
    "colon_without_space": ("value:120", "value: 120", "`value: 120`"),
    "colon_without_space_in_block": ("value:120", "value: 120", "`value: 120`"),
    "colon_without_space_in_case": ("height:120", "height: 120", "`height: 120`"),
    "colon_without_space_in_must": ("must:height", "must: height", "`must: height"),
    "column_is_a_word": ("night: bool", "night: {type: bool}", "`{type: bool}`"),
    "column_without_unit": ("places: 1, min", "places: 1, unit: m, min", "add `unit: …`"),
    "date_short": ("2020-1-1", "2020-01-01", "`2020-01-01`"),
    "example_incomplete": ("night: false}", "night: false, grade: null}", "write `null` for what is unknown"),
    "if_none_unknown": ("not_aplicable", "not_applicable", "`not_applicable`"),
    "indented_after_params": (" cannot_see:", "cannot_see:", "move `cannot_see:` to the first column"),
    "indented_cases": (" cases:", "cases:", "move `cases:` to the first column"),
    "indented_expect": ("     expect: pass", "    expect: pass", "move `expect:` to column 5"),
    "indented_first_key": (" policy:", "policy:", "move `policy:` to the first column"),
    "indented_key_of_relation": ("   key:", "  key:", "move `key:` to column 3"),
    "indented_must": (" must:", "must:", "move `must:` to the first column"),
    "indented_unit": ("     unit:", "    unit:", "move `unit:` to column 5"),
    "key_is_no_column": ("[flght]", "[flight]", "`flight`"),
    "key_of_british_spelling": ("can_not_see", "cannot_see", "`cannot_see`"),
    "key_twice": ("title: Another\n", "", "remove one of the two"),
    "key_unknown": ("if_nothing", "if_none", "`if_none`"),
    "levels_missing": ("{type: levels}", "{type: levels, levels: [low, middle, high]}", "levels: [low, middle, high]"),
    "licence_american": ("license", "licence", "`licence`"),
    "must_under_another_word": ("shall:", "must:", "`must`"),
    "name_reserved": ("limit", "limit_", "`limit_`"),
    "pack_name_differs": ("pack: skies", "pack: sky", "`pack: sky`"),
    "param_bare_number": (
        "greatest_height: 120",
        "greatest_height: {value: 120, unit: m, origin: convention, because: x}",
        "{value: 120, unit: …, origin: convention, because: …}",
    ),
    "param_decimal_comma": ("64,9", "64.9", "`64.9`"),
    "param_exponent": ("1.2e2", "120", "write its digits"),
    "param_guess_without_revisit": ("knows.}", f"knows., revisit: {DAY}}}", "add `revisit: YYYY-MM-DD`"),
    "param_law_without_source": ("origin: law}", "origin: law, source: An act}", "add `source: …`"),
    "param_number_with_unit": ("value: 120 m", "value: 120, unit: m", "`value: 120, unit: m`"),
    "param_number_with_unit_twice": ("value: 120 m", "value: 120", "`120`"),
    "param_origin_unknown": ("origin: low", "origin: law", "`law`"),
    "param_percent_of_metres": ("12%", "12", "the number without `%`"),
    "param_quoted_number": ('"120"', "120", "take the quotes away"),
    "param_thousands": ("1,000", "1000", "`1000`"),
    "param_without_origin": ("source:", "origin: law, source:", "`law` (with `source`)"),
    "param_without_unit": ("value: 120,", "value: 120, unit: m,", "add `unit: …`"),
    "policy_without_pack": ("policy: height", "policy: sky.height", "`policy: sky.height`"),
    "quote_unclosed": ("article 2}", 'article 2"}', "add the closing quote"),
    "required_yes": ("required: yes", "required: true", "`true`"),
    "rows_misspelt_absent": ("abset", "absent", "`absent`"),
    "second_document": ("---\n", "", "remove the `---`"),
    "tab_indent": ("\t- {height: 120", "  - {height: 120", "indent with spaces"),
    "type_of_another_tool": ("string", "text", "`text`"),
    "wrong_policy_name": ("sky.heights", "sky.height", "`policy: sky.height`"),
}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def left_of(sample: str, folder: Path) -> list[Problem]:
    """The errors that are left once the edit of the sample was made where its first problem points."""
    first = problems_of(sample, folder)[0]
    assert first.place is not None
    file = Path(first.place.file)
    old, new, _ = MENDED[sample]
    text = file.read_text("utf-8")
    assert text.count(old) >= 1, (old, text)
    file.write_text(text.replace(old, new) if sample == "name_reserved" else text.replace(old, new, 1), "utf-8")
    return [p for p in check_paths([folder / "sky"], date(2026, 1, 1)).problems if p.is_error]


@pytest.mark.parametrize("sample", MENDED)
def test_what_the_message_says_to_do_mends_the_pack(sample: str, tmp_path: Path) -> None:
    assert MENDED[sample][2] in (BROKEN / f"{sample}.expected").read_text("utf-8")
    assert render_problems(left_of(sample, tmp_path)) == ""


def test_enough_kinds_of_mistake_are_mended() -> None:
    assert len(MENDED) >= 40
