"""What the page says, read without a browser: its sentences, its numbers, its rows and its days."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import DatedValue, Parameter
from engine.render import FORMATS
from engine.render.article import article
from engine.render.page import page
from engine.render.sentences import count, listed, rule_pieces, title_pieces
from engine.verdict import Run

from . import report_run


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    report_run.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return report_run.sample()


def text_of(run: Run) -> str:
    return " ".join(lxml.html.fromstring(FORMATS["html"](run)).text_content().split())


def parameter(shown: str, unit: str | None = "m", kind: str = "number") -> dict[str, Parameter]:
    value = DatedValue(Decimal(shown.rstrip("%")) if kind == "number" else shown, shown)
    return {"p": Parameter("p", kind, unit, (value,), "guess")}


# -- thresholds ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "numbers", "marked"),
    [
        ("within 120 m of it", parameter("120"), ["120 m"]),
        ("within 120 metres", parameter("120"), ["120"]),
        ("within 28 days", parameter("28", "day"), ["28 days"]),
        ("within 1120 m, 120.5 m, A120 and 120-odd", parameter("120"), []),
        ("at most 2% of them, or 2 %", parameter("2%", "share"), ["2%", "2 %"]),
        ("by 2026-01-01", parameter("2026-01-01", None, "date"), ["2026-01-01"]),
        ("is open", parameter("open", None, "text"), []),
        ("no number", {}, []),
    ],
)
def test_a_title_has_its_thresholds_marked(title: str, numbers: dict[str, Parameter], marked: list[str]) -> None:
    assert [p.text for p in title_pieces(title, numbers) if p.threshold] == marked


@given(st.text(st.sampled_from("12 .%m-a\x000"), max_size=30), st.sampled_from(["1", "12", "2.0", "1%"]))
def test_the_pieces_of_a_title_are_the_title(title: str, shown: str) -> None:
    assert "".join(p.text for p in title_pieces(title, parameter(shown))) == title


def test_a_rule_names_a_dated_number_and_shows_the_others(run: Run) -> None:
    by_id = {p.id: p.checked for p in run.policies}
    ceiling = by_id["library.fee_has_a_ceiling"]
    assert [p.text for p in rule_pieces(ceiling.must, ceiling.parameters, None)] == ["fee <= ", "ceiling"]
    assert [p.text for p in rule_pieces(ceiling.must, ceiling.parameters, date(2026, 6, 1))] == ["fee <= ", "12 EUR"]
    loan = by_id["library.back_in_time"]
    pieces = rule_pieces(loan.must, loan.parameters, None)
    assert [(p.text, p.threshold) for p in pieces][-1] == ("28 day", True)


def test_counts_are_words_up_to_twelve() -> None:
    assert [count(n, "row") for n in (1, 2, 12, 13, 4321)] == [
        "one row",
        "two rows",
        "twelve rows",
        "13 rows",
        "4,321 rows",
    ]
    assert [listed(w) for w in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


# -- what stands where -----------------------------------------------------------------------------------------


def test_the_page_begins_with_the_verdict_in_sentences(run: Run) -> None:
    text = text_of(run)
    assert "The verdict is error" in text
    assert "Three rules are broken, by two rows and one group." in text
    assert "One rule holds, within a tolerance." in text


def test_the_heaviest_verdict_comes_first(run: Run) -> None:
    verdicts = [a.verdict for a in page(run).articles]
    assert verdicts == ["error", "fail", "fail", "fail", "no_evidence", "review", "pass", "not_applicable"]


def test_a_tolerated_failure_bears_another_sign_than_one_that_counts(run: Run) -> None:
    signs = {a.verdict: {r.sign for r in a.rows if r.outcome == "fail"} for a in page(run).articles}
    assert (signs["fail"], signs["pass"]) == ({"fail"}, {"tolerated"})
    text = FORMATS["html"](run)
    assert text.count('<symbol id="g-tolerated"') == 1
    assert (
        '<td class="tolerated"><svg class="g" aria-hidden="true" focusable="false"><use href="#g-tolerated"/>' in text
    )
    drawn = dict(re.findall(r'<symbol id="g-(\w+)"[^>]*>(.*?)</symbol>', text))
    assert drawn["tolerated"] != drawn["fail"]


def test_a_policy_says_how_much_it_tolerates(run: Run) -> None:
    told = {a.id: a.tolerates for a in page(run).articles if a.tolerates}
    assert told == {"library.few_long_books": "20% of the rows in scope"}
    assert re.search("<dt>Tolerates</dt><dd>20% of the rows in scope</dd>", FORMATS["html"](run))


def test_a_row_shows_what_decides_where_it_was_read_and_what_would_pass(run: Run) -> None:
    (found,) = [article(p, run.as_of) for p in run.policies if p.id == "library.few_long_books"]
    (row,) = found.rows
    assert (row.outcome, row.sign) == ("fail", "tolerated")
    assert (row.label, row.key, row.spot) == ("fail, tolerated", "l2", "facts/loan.jsonl:2, row 2")
    assert [(h.name, h.unit) for h in found.heads] == [("loan", None), ("pages", "page")]
    assert [(c.text, c.bad) for c in row.cells] == [("l2", False), ("612", True)]
    assert [(b.text, b.rows) for b in found.wishes] == [("pages <= 500", "l2 (112 page lower)")]


def test_a_null_is_said_to_be_missing(run: Run) -> None:
    (found,) = [article(p, run.as_of) for p in run.policies if p.id == "library.back_in_time"]
    (undecided,) = found.rows_of("no_evidence")
    assert [(c.text, c.bad) for c in undecided.cells][-1] == ("not given", True)
    assert [(b.text, b.rows) for b in found.undecided] == [("returned_on is null, in `must`", "l3")]


def test_near_ends_count_from_the_day_of_judging(run: Run) -> None:
    found = page(run)
    assert [(d.kind, d.when) for d in found.due] == [
        ("waiver", "15 days ago"),
        ("waiver", "in 14 days"),
        ("guess", "in 15 days"),
    ]
    assert [w.use.waiver.number for w in found.waivers] == [2, 1, 3]
    assert "Over, 15 days ago, since 2026-11-15: it excuses nothing." in text_of(run)


def test_without_a_day_of_judging_the_page_lists_days_and_counts_none(run: Run) -> None:
    text = text_of(replace(run, as_of=None))
    assert re.search(r"Days to keep in mind 2026-11-15 ?The waiver 2 of library", text)
    assert " ago" not in text
    assert "Ends on 2026-12-14." in text


def test_rows_that_are_not_shown_are_counted(run: Run) -> None:
    policies = tuple(replace(p, witnesses=(), more_witnesses=len(p.witnesses)) for p in run.policies)
    text = text_of(replace(run, policies=policies))
    assert "2 more that this page does not show" in text
    assert "Nothing waits for a person" not in text


def test_what_a_run_does_not_have_is_left_out_or_said_to_be_nothing(run: Run) -> None:
    bare = replace(run, waivers=(), coverage=None, receipt=None, citations=(), blind_spots={})
    made = FORMATS["html"](bare)
    assert all(f'id="{part}"' in FORMATS["html"](run) for part in ("receipt", "coverage", "sources"))
    assert not any(f'id="{part}"' in made for part in ("receipt", "coverage", "sources"))
    assert not any(f'href="#{part}"' in made for part in ("receipt", "coverage", "sources"))
    text = text_of(bare)
    assert "No waiver excuses anything here." in text
    assert "The packs and the relations do not say." in text


def test_every_link_of_the_page_leads_to_one_place(run: Run) -> None:
    tree = lxml.html.fromstring(FORMATS["html"](run))
    ids = [e.get("id") for e in tree.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert {e.get("href") for e in tree.iter() if e.get("href")} <= {f"#{one}" for one in ids}


def test_a_receipt_is_shown_whole(run: Run) -> None:
    text = text_of(run)
    for word in ("0.1.0", "catalogue: edition 2026", "facts/loan.jsonl", "verdict_sha256", "0123456789abcdef" * 4):
        assert word in text
