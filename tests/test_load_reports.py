"""`report.yaml`: what is wrong with it is said at its place, with the nearest legal name; nothing is passed over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.load import load_packs
from engine.report_plan import OWN_OPTIONS

from .conftest import ROOT
from .essay_samples import inside

MORE = """
score:
  rows: text
  value: marks
  name: {en: Mark}
  formula: {en: as given}
  low: "0"
  high: "1"
  parts:
    - name: {en: Only}
      words: {en: given}
      value: marks
      missing:
        - {if_absent: candidate, words: {en: nobody looked}}
        - {if_unknown: marks, words: {en: nobody gave any}}
        - {words: {en: it is not there}}
corrections: {rows: slip, better: better, why: why, language: language, weight: weight, tags: [weight]}
checks:
  easy: {shows: [word, level]}
"""
SLIP = """slip:
  row: Something that would be written otherwise.
  key: [document, start_at, end_at, run_id]
  columns:
    document: {type: text}
    start_at: {type: int, unit: character}
    end_at: {type: int, unit: character}
    quote: {type: text, required: true}
    better: {type: text, required: true}
    why: {type: text, required: true}
    language: {type: text, required: true}
    weight: {type: levels, levels: [light, grave], required: true}
    run_id: {type: text}
    loose: {type: levels, levels: [light, grave]}
"""


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """The pack of docs/reports.md, with more in its report."""
    page = (ROOT / "docs" / "reports.md").read_text("utf-8")
    found = dict(re.findall(r"`policies/words/(\w+\.yaml)`:\n\n```yaml\n(.*?)```", page, re.DOTALL))
    found["report.yaml"] += MORE
    found["relations.yaml"] = found["relations.yaml"].replace(
        "    reader: {type", "    marks: {type: int, unit: none, may_be_absent: true}\n    reader: {type"
    )
    found["relations.yaml"] += SLIP
    return found


def problems(folder: Path, files: dict[str, str], was: str = "", now: str = "", file: str = "report.yaml") -> list[str]:
    pack = folder / "words"
    pack.mkdir()
    for name, text in files.items():
        assert name != file or was in text, was
        (pack / name).parent.mkdir(exist_ok=True)
        (pack / name).write_text(text.replace(was, now, 1) if name == file and was else text, encoding="utf-8")
    loaded = load_packs(folder, ["words"]).problems
    return [f"{p.place.line if p.place else '-'} {p.code}: {p.message} {p.help or ''}" for p in loaded if p.is_error]


def test_the_report_of_the_manual_has_no_problem(tmp_path: Path, files: dict[str, str]) -> None:
    assert problems(tmp_path, files) == []


WRONG = {
    "a sensor": ("sensors: [finder]", "sensors: [findr]", "did you mean finder"),
    "the document": ("document: text", "document: texts", "unknown-relation"),
    "a document with another key": ("document: text\n", "document: candidate\n", "is not `document`"),
    "an option's column": ("fills: reader", "fills: readr", "did you mean reader"),
    "the rows of finds": ("finds:\n  - {rows: candidate", "finds:\n  - {rows: candidat", "unknown-relation"),
    "rows without a place": ("finds:\n  - {rows: candidate", "finds:\n  - {rows: text", "has no column `start_at`"),
    "a column of finds": ("name: word,", "name: wrd,", "did you mean word"),
    "a reference": ("reference: list", "reference: lst", "did you mean list"),
    "no reference": ("reference: list, ", "", "one of `reference` and `reference_in`"),
    "a column of the reference": ("show: level", "show: lvl", "did you mean level"),
    "a hole": ("who is a {reader}", "who is a {raeder}", "`{raeder}` is no column"),
    "a language without headings": ('missing: {en: "for nobody', 'missing: {fr: "for nobody', "no language `fr`"),
    "a heading that is missing": ("    kind: kind\n", "", "kind"),
    "a key that there is not": ("scale:", "scales:", "scale"),
    "the number of a score": ("value: marks\n  name", "value: mark\n  name", "did you mean marks"),
    "a parameter": ('high: "1"', "high: top", "no parameter `top`"),
    "a reason without a condition before the last": (
        "{if_absent: candidate, words: {en: nobody looked}}",
        "{words: {en: nobody looked}}",
        "a reason has one condition",
    ),
    "a last reason with a condition": (
        "- {words: {en: it is not there}}",
        "- {if_none: text, words: {en: no}}",
        "last",
    ),
    "two conditions": ("{if_absent: candidate,", "{if_absent: candidate, if_none: text,", "a reason has one condition"),
    "a relation that a reason names": ("if_absent: candidate", "if_absent: candidates", "unknown-relation"),
    "a column that a reason names": ("if_unknown: marks", "if_unknown: mark", "did you mean marks"),
    "a weight that may be null": ("weight: weight", "weight: loose", "column-may-be-null"),
    "a weight that is no level": ("weight: weight", "weight: why", "no one to three levels"),
    "a tag": ("tags: [weight]", "tags: [wight]", "did you mean weight"),
    "a sensor that stands twice": ("sensors: [finder]", "sensors: [finder, finder]", "repeated-item"),
    "an option of the command itself": ("  reader: {fills", "  out: {fills", "option of fiel run itself"),
    "a default that is no value": ('help: "child or adult"}', "help: who, default: chld}", "did you mean child"),
    "a language without headings that may be asked for": ("text_language: en", "language: reader", "may be child"),
    "a text language that is none": ("text_language: en", "text_language: in English", "as en or es-MX"),
    "a hole that is not closed": ("who is a {reader}", "who is a {reader", "a brace stands alone"),
    "a hole that was never opened": ("who is a {reader}", "who is a reader}", "a brace stands alone"),
    "a hole in the name of a score": ("name: {en: Mark}", 'name: {en: "Mark {marks}"}', "about no row"),
    "a hole in a reason": ("words: {en: nobody looked}", 'words: {en: "{marks}"}', "about no row"),
    "a level without a place": ("scale: [A1, A2, B1]", "scale: [A1, A2, b1]", "may be B1, for which scale"),
    "a scale the other way": ("scale: [A1, A2, B1]", "scale: [B1, A2, A1]", "another order"),
    "a result that is no number": ("value: marks\n  name", "value: reader\n  name", "reader is no number"),
    "a part that is no number": ("value: marks\n      missing", "value: reader\n      missing", "is no number"),
    "a highest that is the lowest": ('high: "1"', 'high: "0"', "is not below"),
    "words for what is no tag": ("tags: [weight]", "tags: [weight], words: {why: {a: {en: a}}}", "not in tags"),
    "words for what is no value": (
        "tags: [weight]",
        "tags: [weight], words: {weight: {lihgt: {en: light}, grave: {en: grave}}}",
        "did you mean light",
    ),
    "a value without words": (
        "tags: [weight]",
        "tags: [weight], words: {weight: {light: {en: light}}}",
        "may be grave, for which there are no words",
    ),
    "a policy that there is not": ("  easy: {shows", "  esay: {shows", "did you mean easy"),
    "a column that a check shows": ("shows: [word, level]", "shows: [word, lvel]", "did you mean level"),
    "a policy in both lists": ("checks:\n", "policies: [easy]\nchecks:\n", "stands in `policies` too"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_at_its_place(tmp_path: Path, files: dict[str, str], what: str) -> None:
    was, now, said = WRONG[what]
    found = problems(tmp_path, files, was, now)
    assert any(said in one.replace("`", "") or said in one for one in found), found
    assert all(re.match(r"\d+ [a-z-]+: ", one) for one in found), found


def test_a_sensor_is_run_after_what_it_is_given(tmp_path: Path, files: dict[str, str]) -> None:
    model = "reader:\n  kind: llm\n  reads: documents\n  fills: [slip]\n"
    model += "  prompt: prompts/p.md\n  given: {candidate: [word]}\n"
    files = {**files, "sensors.yaml": files["sensors.yaml"] + model, "prompts/p.md": "Find slips.\n\n{{records}}\n"}
    order = ("sensors: [finder]", "sensors: [reader, finder]")
    found = problems(tmp_path, files, *order)
    assert any("`reader` is given `candidate`, which `finder` sees after it" in one for one in found), found


def test_the_options_of_the_command_are_those_that_no_pack_may_have() -> None:
    """Those that are given by another name are there under it: `--max-cost` is no `--max_cost`, and looks like it."""
    listed = set(re.findall(r"^  (?:-\w, )?--([a-z-]+)", inside("run", "--help").stdout, re.MULTILINE))
    assert {one.replace("-", "_") for one in listed} | {"set"} == OWN_OPTIONS


def test_a_place_that_may_be_null_is_refused_where_rows_are_shown(tmp_path: Path, files: dict[str, str]) -> None:
    loose = ("    start_at: {type: int, unit: character, required: true}", "    start_at: {type: int, unit: character}")
    found = problems(tmp_path, files, *loose, file="relations.yaml")
    assert any("column-may-be-null: `start_at` of `candidate`" in one for one in found), found
