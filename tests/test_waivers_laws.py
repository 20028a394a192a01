"""Laws of waivers over random ones, against a second evaluator, and what `explain` says of them."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.check import check_policy
from engine.facts import from_rows
from engine.judging import Settings, judge_policy
from engine.load import load_packs
from engine.waivers import check_waivers, in_force

from . import packs
from .conftest import Cli
from .waiver_samples import DAY, FAILING, RULE, entry, judged, listed, waived, write

# -- laws ------------------------------------------------------------------------------------------------------

PAIR = packs.RELATIONS.replace("key: [id]", "key: [id, kind]")
CELLS = [{}, {"kind": "a"}, {"kind": "b"}, {"id": "a"}, {"id": "b"}, {"id": "a", "kind": "a"}, {"id": "c", "kind": "b"}]
WAIVERS = st.lists(
    st.builds(
        lambda rows, until, at_most: entry(
            rows=str(rows).replace("'", "") if rows else None, until=until, at_most=at_most
        ),
        st.sampled_from(CELLS),
        st.sampled_from(["2027-01-01", "2026-12-02", "2027-01-01", "2026-12-01"]),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda each: str(each.get("rows")),
)
PAIRS = [(one, kind) for one in "abc" for kind in "ab"]
ROWS = st.lists(st.sampled_from([9, 9, 9, 1, None, 0]), min_size=6, max_size=6).map(
    lambda words: [(*pair, each) for pair, each in zip(PAIRS, words, strict=True) if each != 0]
)


def outcomes_with(folder: Path, waivers: list[dict[str, object]], rows: list[tuple[str, str, int | None]]) -> Any:
    """The verdict of the rule over these rows, through Python."""
    root = packs.write(folder, {"rule": RULE}, PAIR)
    (root / "t" / "waivers.yaml").unlink(missing_ok=True)
    if waivers:
        (root / "t" / "waivers.yaml").write_text(listed(*waivers), encoding="utf-8")
    pack = load_packs(root).packs["t"]
    checked, _ = check_policy(pack.policies["rule"], pack)
    usable, problems = check_waivers(pack)
    assert checked is not None
    assert problems == []
    holding = [each for each in usable if in_force(each.waiver, date.fromisoformat(DAY))]
    given = {"item": [{"id": i, "kind": k, "words": w} for i, k, w in rows]}
    with from_rows(given, pack.relations, threads=1) as base:
        return judge_policy(checked, base, Settings(witnesses=99), holding)


def outcome_of(verdict: Any) -> dict[tuple[object, ...], tuple[str, int | None]]:
    return {tuple(w.key.values()): (w.outcome, w.waiver) for w in verdict.witnesses}


def expected(waivers: list[dict[str, object]], rows: list[tuple[str, str, int | None]]) -> dict[Any, Any]:
    """The page's sentence in plain Python: row by row in key order, the first waiver that matches and has some left."""
    left = {n: int(str(w["at_most"])) for n, w in enumerate(waivers, 1) if str(w["until"]) > DAY}
    named = {n: dict(re.findall(r"(\w+): (\w+)", str(w.get("rows", "")))) for n, w in enumerate(waivers, 1)}
    found: dict[Any, Any] = {}
    for one, kind, words in sorted(rows, key=lambda row: row[:2]):
        if words is None:
            found[one, kind] = ("no_evidence", None)
        elif words > 3:
            fits = (n for n in left if left[n] and named[n].items() <= {"id": one, "kind": kind}.items())
            number = next(fits, None)
            found[one, kind] = ("fail", None) if number is None else ("waived", number)
            if number is not None:
                left[number] -= 1
    return found


def test_the_laws_of_waivers(tmp_path: Path) -> None:
    """Few examples, and what they met is counted: laws over nothing would hold too."""
    met: Counter[str] = Counter()

    @settings(max_examples=25, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(WAIVERS, ROWS)
    def laws(waivers: list[dict[str, object]], rows: list[tuple[str, str, int | None]]) -> None:
        plain, some = outcomes_with(tmp_path, [], rows), outcomes_with(tmp_path, waivers, rows)
        before, after = outcome_of(plain), outcome_of(some)
        assert after == expected(waivers, rows)
        # Nothing changes but failures that are waived; what is counted stays counted.
        assert {key: old for key, (old, _) in before.items()} == {
            key: "fail" if new == "waived" else new for key, (new, _) in after.items()
        }
        assert some.counts.in_scope == plain.counts.in_scope
        assert some.counts.failed + some.counts.waived == plain.counts.failed
        # No waiver covers more than its number, nor one that is over anything.
        for number, waiver in enumerate(waivers, 1):
            count, most = some.covered.get(number, 0), int(str(waiver["at_most"]))
            over = str(waiver["until"]) <= DAY
            assert count <= (0 if over else most)
            assert count == sum(1 for _, by in after.values() if by == number)
            met["over" if over else "full" if count == most else "some left" if count else "unused"] += 1
        # With only expired waivers all is as without.
        if all(str(each["until"]) <= DAY for each in waivers):
            met["only expired"] += 1
            assert (some.counts, some.verdict) == (plain.counts, plain.verdict)
        # One more waiver at the end changes nothing of those before it, and waives at most its number more.
        fewer = outcomes_with(tmp_path, waivers[:-1], rows)
        lost = {key: now for key, now in outcome_of(fewer).items() if now != after[key]}
        assert set(lost.values()) <= {("fail", None)}
        assert len(lost) <= int(str(waivers[-1]["at_most"]))
        met.update(f"last covers {min(len(lost), 2)}" for _ in waivers[1:2])
        met.update(outcome for outcome, _ in after.values())

    laws()
    for what in ("over", "full", "some left", "unused", "only expired", "last covers 0", "last covers 1"):
        assert met[what], met
    assert min(met[what] for what in ("fail", "waived", "no_evidence")) > 10, met


# -- explain ---------------------------------------------------------------------------------------------------


def told(cli: Cli, folder: Path, waivers: str, row: str, *more: str) -> list[str]:
    """The lines of `explain --row` that speak of waivers."""
    facts = packs.facts(folder, {"item": FAILING})
    arguments = ("--policies", write(folder, waivers), "--facts", facts, "--row", row)
    done = cli("explain", "t.rule", *arguments, *more)
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines() if "waiver" in line]


def test_explain_says_which_waiver_covers_a_row(cli: Cli, tmp_path: Path) -> None:
    waivers = listed(entry(rows="{id: c}"), entry(at_most=2, owner="you"))
    on = ("--as-of", DAY)
    mine = "waived: waiver 1 of me covers it until 2027-01-01, because: So."
    yours = "waived: waiver 2 of you covers it until 2027-01-01, because: So."
    spent = "waiver 2 of you is for such a failure, but others take its 2: it does not cover this one"
    assert {row: told(cli, tmp_path, waivers, row, *on) for row in "abcde"} == {
        "a": [yours],
        "b": [yours],
        "c": [mine],
        "d": [spent],
        "e": [spent],
    }


def test_explain_covers_the_rows_that_judge_covers(cli: Cli, tmp_path: Path) -> None:
    waivers = listed(entry(rows="{id: d}"), entry(at_most=2), entry(rows="{id: b}"))
    by_judge = waived(judged(cli, tmp_path, waivers, {"item": FAILING}))
    covering = {
        row: int(line.split()[2])
        for row in "abcde"
        for line in told(cli, tmp_path, waivers, row, "--as-of", DAY)
        if line.startswith("waived: ")
    }
    assert covering == by_judge
    assert covering


def test_explain_without_a_day_covers_nothing_and_says_how_to_know(cli: Cli, tmp_path: Path) -> None:
    (line,) = told(cli, tmp_path, listed(entry(rows="{id: c}")), "c")
    assert (
        line == "waiver 1 of me is for such a failure, until 2027-01-01: `--as-of DATE` says whether it covers this one"
    )
    assert told(cli, tmp_path, listed(entry(rows="{id: c}")), "d") == []


def test_explain_says_of_a_waiver_that_it_is_over(cli: Cli, tmp_path: Path) -> None:
    waivers = listed(entry(until=DAY))
    assert told(cli, tmp_path, waivers, "a", "--as-of", DAY) == [f"waiver 1 of me ended on {DAY} and does not cover it"]


def test_explain_says_nothing_of_waivers_where_nothing_fails(cli: Cli, tmp_path: Path) -> None:
    root = write(tmp_path, listed(entry()))
    facts = packs.facts(tmp_path, {"item": [{**packs.ROW, "words": 1}]})
    done = cli("explain", "t.rule", "--policies", root, "--facts", facts, "--row", "a", "--as-of", DAY)
    assert (done.returncode, "waiver" in done.stdout) == (0, False)


def test_explain_refuses_a_waiver_that_judge_refuses(cli: Cli, tmp_path: Path) -> None:
    root = write(tmp_path, listed(entry(rows="{words: 3}")))
    facts = packs.facts(tmp_path, {"item": FAILING})
    done = cli("explain", "t.rule", "--policies", root, "--facts", facts, "--row", "a", "--as-of", DAY)
    assert done.returncode == 2
    assert "not-in-key" in done.stderr


def test_explain_says_which_waiver_covers_a_group(cli: Cli, tmp_path: Path) -> None:
    rule = packs.policy("max(words) <= top", more="per: [kind]\nwhere: kind is not null\n").replace(
        "{words: 1, expect", "{rows: [{}], expect"
    )
    root = write(tmp_path, listed(entry(rows="{kind: b}")), rule)
    rows = [{**packs.ROW, "id": each, "kind": kind, "words": 9} for each, kind in (("x", "a"), ("y", "b"))]
    facts = packs.facts(tmp_path, {"item": rows})
    told = {
        kind: cli("explain", "t.rule", "--policies", root, "--facts", facts, "--row", kind, "--as-of", DAY).stdout
        for kind in "ab"
    }
    assert "kind b: fail\n  waived: waiver 1 of me covers it until 2027-01-01, because: So.\n" in told["b"]
    assert "kind a: fail\n  must\n" in told["a"]


def test_a_waiver_s_words_reach_no_terminal_as_they_are(cli: Cli, tmp_path: Path) -> None:
    (line,) = told(cli, tmp_path, listed(entry(owner='"a\\e[2Jb"', because='"c\\nd"')), "a", "--as-of", DAY)
    assert "\x1b" not in line
    assert "c␊d" in line


@pytest.mark.parametrize(
    ("at_most", "rows", "heading"),
    [
        (1, 1, 'The verdict is <span class="pass">pass</span>, with 1 failure waived</h1>'),
        (2, 2, 'The verdict is <span class="pass">pass</span>, with 2 failures waived</h1>'),
        (1, 2, 'The verdict is <span class="fail">fail</span>, with 1 failure waived</h1>'),
    ],
)
def test_a_page_says_beside_the_verdict_that_failures_are_waived(
    at_most: int, rows: int, heading: str, cli: Cli, tmp_path: Path
) -> None:
    root, facts = write(tmp_path, listed(entry(at_most=at_most))), packs.facts(tmp_path, {"item": FAILING[:rows]})
    page = cli("judge", "--policies", root, "--facts", facts, "--as-of", DAY, "--format", "html").stdout
    assert heading in page
    (root / "t" / "waivers.yaml").unlink()
    assert "waived</h1>" not in cli("judge", "--policies", root, "--facts", facts, "--format", "html").stdout
