"""The shipped packs: no problem, every case as expected, and each legal number in the text it is taken from."""

from __future__ import annotations

import re
from datetime import date

import pytest

from engine.cases import run_cases
from engine.check import check_policy
from engine.checked import CheckedPolicy
from engine.checkup import check_paths
from engine.load import load_packs

from .conftest import ROOT, SHARED, need

PACKS = load_packs(ROOT / "policies").packs
POLICIES = {p.id: (p, pack) for pack in PACKS.values() for p in pack.policies.values()}
LEGAL = sorted(i for i, (p, _) in POLICIES.items() if p.source is not None)


def checked(policy_id: str) -> CheckedPolicy:
    found, problems = check_policy(*POLICIES[policy_id])
    assert problems == []
    assert found is not None
    return found


def test_the_shipped_packs_have_no_problem() -> None:
    result = check_paths([ROOT / "policies"], date(2026, 11, 30))
    assert result.problems == ()
    assert result.policies == len(POLICIES) >= 7


@pytest.mark.parametrize("policy_id", sorted(POLICIES))
def test_every_case_is_as_expected(policy_id: str) -> None:
    results = run_cases(checked(policy_id))
    assert [(r.number, r.differences) for r in results if not r.ok] == []
    verdicts = {r.verdict.verdict for r in results}
    assert {"pass", "fail", "no_evidence"} <= verdicts


@pytest.mark.parametrize("policy_id", LEGAL)
def test_a_quote_stands_in_the_text_of_the_law(policy_id: str) -> None:
    policy, _ = POLICIES[policy_id]
    corpus = need(SHARED / "permits" / "corpus")
    text = " ".join(_plain(p.read_text(encoding="utf-8")) for p in sorted(corpus.rglob("*.md")))
    assert policy.source is not None
    quote = policy.source.quote
    assert quote
    assert _plain(quote) in text
    assert len(quote.split()) <= 25


@pytest.mark.parametrize(
    ("policy_id", "parameter", "quoted"),
    [
        ("permits.open_category_height", "height_limit", "maintained within {value} metres"),
        ("permits.open_category_mass", "mass_limit", "maximum take-off mass of less than {value} kg"),
    ],
)
def test_a_legal_number_is_the_number_of_the_text(policy_id: str, parameter: str, quoted: str) -> None:
    text = _plain((need(SHARED / "permits" / "corpus" / "en") / "eu-2019-947-fragments-en.md").read_text("utf-8"))
    value = checked(policy_id).parameters[parameter].values[0]
    assert quoted.format(value=value.shown) in text


def test_the_light_is_required_from_the_day_that_the_amending_text_gives() -> None:
    text = _plain((need(SHARED / "permits" / "corpus" / "en") / "eu-2022-425-en.md").read_text("utf-8"))
    value = checked("permits.green_light_at_night").parameters["light_required"].values[0]
    assert value.start == date(2022, 7, 1)
    assert "UAS.OPEN.060(2)(g) UAS.SPEC.050(1)(l)(i) of the Annex shall apply from 1 July 2022" in text


def _plain(text: str) -> str:
    """The words, without line breaks and emphasis."""
    return re.sub(r"\s+", " ", re.sub(r"[*_]", "", text))
