"""`diff`: what a change of policies lets through or stops, and that nobody lets more through without a reason."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from engine.difference import difference

from . import packs, view_pack
from .conftest import Cli
from .mutant_rules import RULES, written
from .test_explain import ITEM


def changed(tmp_path: Path, name: str, old: str, new: str) -> tuple[Path, Path]:
    """Two folders with one policy, in which `old` became `new`."""
    before, now = written(tmp_path / "before", name), written(tmp_path / "now", name)
    file = now / "t" / f"{name}.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    return before, now


def kind_of(before: Path, now: Path) -> str:
    (one,) = difference(str(before), now).comparisons
    return one.kind


@pytest.mark.parametrize(
    ("name", "old", "new", "kind"),
    [
        ("plain", "value: 3", "value: 4", "loosened"),
        ("plain", "value: 3", "value: 2", "tightened"),
        ("plain", "words <= top", "words < top", "tightened"),
        ("plain", "words <= top", "words >= top", "both"),
        ("plain", "words <= top", "not (words > top)", "changed"),
        ("plain", "because: x", "because: y", "changed"),
        ("plain", "title: T", "title: Another", "unchanged"),
        ("closed", "kind in ('a', 'b')", "kind = 'a'", "tightened"),
        ("closed", "must: not (kind = 'a') or ok", "must: not (kind = 'b') or ok", "both"),
        ("dated", "from: 2026-01-01", "from: 2026-01-02", "loosened"),
        ("tolerant", "value: 2%", "value: 3%", "loosened"),
        ("counted", "value: 2,", "value: 1,", "tightened"),
        ("related", "and good", "", "loosened"),
        ("grouped", "value: 1, unit: none", "value: 2, unit: none", "tightened"),
        ("days", "value: 3, unit: day", "value: 4, unit: day", "loosened"),
    ],
)
def test_a_change_is_named_for_what_it_lets_through(name: str, old: str, new: str, kind: str, tmp_path: Path) -> None:
    before, now = changed(tmp_path, name, old, new)
    assert kind_of(before, now) == kind


@pytest.mark.parametrize("name", RULES)
def test_a_policy_is_unchanged_against_itself_and_each_way_is_the_other_turned(name: str, tmp_path: Path) -> None:
    root = written(tmp_path, name)
    assert kind_of(root, root) == "unchanged"


def test_both_directions_mirror_one_another(tmp_path: Path) -> None:
    before, now = changed(tmp_path, "plain", "value: 3", "value: 4")
    assert (kind_of(before, now), kind_of(now, before)) == ("loosened", "tightened")


def test_a_loosening_without_a_reason_fails_and_one_with_a_reason_does_not(cli: Cli, tmp_path: Path) -> None:
    before, now = changed(tmp_path, "plain", "value: 3", "value: 4")
    done = cli("diff", before, "--policies", now)
    assert done.returncode == 1
    assert "LOOSENED  t.plain" in done.stdout
    assert "top: 3 word: convention, x" in done.stdout
    assert "→ 4 word: convention, x" in done.stdout
    assert "fail → pass, as in {words: 4, expect: pass}" in done.stdout
    assert "that is no proof" in done.stdout
    assert "no new `because` and no new source says why" in done.stdout
    assert cli("diff", before, "--policies", now, "--accept", "t.plain").returncode == 0
    file = now / "t" / "plain.yaml"
    file.write_text(file.read_text().replace("because: x", "because: readers asked for it"))
    again = cli("diff", before, "--policies", now)
    assert again.returncode == 0
    assert "reason given: readers asked for it" in again.stdout


def test_a_reason_of_the_policy_itself_will_do(cli: Cli, tmp_path: Path) -> None:
    before, now = changed(tmp_path, "below", "must: score < top", "because: the court said so\nmust: score <= top")
    done = cli("diff", before, "--policies", now)
    assert done.returncode == 0
    assert "reason given: the court said so" in done.stdout


def test_a_policy_that_is_gone_lets_everything_through(cli: Cli, tmp_path: Path) -> None:
    before = written(tmp_path / "before", "plain")
    written(tmp_path / "before", "below")
    now = written(tmp_path / "now", "plain")
    done = cli("diff", before, "--policies", now)
    assert done.returncode == 1
    assert "REMOVED  t.below" in done.stdout
    assert cli("diff", now, "--policies", before).returncode == 0


def test_a_relation_that_changed_is_not_compared_in_silence(cli: Cli, tmp_path: Path) -> None:
    before, now = written(tmp_path / "before", "plain"), written(tmp_path / "now", "plain")
    relations = now / "t" / "relations.yaml"
    relations.write_text(
        relations.read_text().replace("words: {type: int, unit: word}", "words: {type: float, unit: word}", 1)
    )
    done = cli("diff", before, "--policies", now)
    assert done.returncode == 1
    assert "INCOMPARABLE  t.plain" in done.stdout


def test_with_facts_the_rows_that_move_are_listed(cli: Cli, tmp_path: Path) -> None:
    before, now = changed(tmp_path, "plain", "value: 3", "value: 4")
    rows = [{**ITEM, "id": f"r{n}", "words": n} for n in (3, 4, 5)]
    done = cli("diff", before, "--policies", now, "--facts", packs.facts(tmp_path, {"item": rows}))
    assert "1 of the facts' rows come out otherwise" in done.stdout
    assert "id r4: fail → pass" in done.stdout
    assert "r5" not in done.stdout


def test_with_facts_a_verdict_that_flips_by_a_tolerance_is_said(cli: Cli, tmp_path: Path) -> None:
    before, now = changed(tmp_path, "tolerant", "value: 2%", "value: 60%")
    rows = [{**ITEM, "id": "r1", "ok": False}, ITEM]
    done = cli("diff", before, "--policies", now, "--facts", packs.facts(tmp_path, {"item": rows}))
    assert "on these facts: fail (1 failed of 2 rows, 0 allowed) → pass (1 failed of 2 rows, 1 allowed)" in done.stdout


def test_a_new_waiver_is_said_with_its_reason_and_its_end(cli: Cli, tmp_path: Path) -> None:
    before, now = written(tmp_path / "before", "plain"), written(tmp_path / "now", "plain")
    waiver = "{policy: t.plain, rows: {id: a1}, owner: me, because: it was agreed, until: 2027-01-01, at_most: 1}"
    (now / "t" / "waivers.yaml").write_text(f"- {waiver}\n")
    done = cli("diff", before, "--policies", now)
    assert done.returncode == 0
    assert "waiver added: t.plain, id a1, at most 1, until 2027-01-01, me: it was agreed" in done.stdout
    assert "waiver gone: t.plain" in cli("diff", now, "--policies", before).stdout


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def repository(tmp_path: Path) -> Path:
    root = written(tmp_path, "plain")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    file = root / "t" / "plain.yaml"
    file.write_text(file.read_text().replace("value: 3", "value: 4"))
    return root


def test_a_revision_is_what_git_calls_one(cli: Cli, tmp_path: Path) -> None:
    root = repository(tmp_path)
    done = cli("diff", "HEAD", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("compared with HEAD (")
    assert "LOOSENED  t.plain" in done.stdout
    git(tmp_path, "commit", "-qam", "second")
    assert cli("diff", "HEAD", cwd=tmp_path).returncode == 0
    assert cli("diff", "HEAD~1", "--policies", root / "t", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize("revision", ["nain", "--output=x", "HEAD:policies", "-h", ""])
def test_what_is_no_revision_is_refused(cli: Cli, tmp_path: Path, revision: str) -> None:
    repository(tmp_path)
    done = cli("diff", "--", revision, cwd=tmp_path)
    assert done.returncode == 2
    assert "no-such-revision" in done.stderr or "usage" in done.stderr
    assert not (tmp_path / "x").exists()


def test_a_folder_that_git_does_not_know_is_refused(cli: Cli, tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    done = cli("diff", "HEAD", "--policies", root, cwd=tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert done.returncode == 2
    assert "no-such-revision" in done.stderr


def test_a_broken_earlier_version_is_said(cli: Cli, tmp_path: Path) -> None:
    before, now = changed(tmp_path, "plain", "value: 3", "value: 4")
    file = before / "t" / "plain.yaml"
    file.write_text(file.read_text().replace("words <=", "wrods <="))
    done = cli("diff", before, "--policies", now)
    assert done.returncode == 2
    assert "unknown-column" in done.stderr


def test_no_private_folder_is_left_behind(cli: Cli, tmp_path: Path) -> None:
    repository(tmp_path)
    private = tmp_path / "private"
    private.mkdir()
    cli("diff", "HEAD", cwd=tmp_path, TMPDIR=str(private))
    assert list(private.iterdir()) == []
    shutil.rmtree(private)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("-- key", "-- A remark.\n-- key", "unchanged"),
        ("where l.price", "where  l.price", "unchanged"),
        ("sum(l.price * factor)", "min(l.price * factor)", "loosened"),
        ("l.price > 0", "l.price > 1", "incomparable"),  # no case has a price between
        ("sum(l.price * factor)", "sum(l.price * factor) + sum(l.price * factor)", "incomparable"),  # stricter, or more
    ],
)
def test_a_change_of_a_view_is_a_change_of_the_policies_over_it(
    cli: Cli, tmp_path: Path, old: str, new: str, kind: str
) -> None:
    before = view_pack.lay(tmp_path / "before")
    now = view_pack.lay(tmp_path / "now", view_pack.VIEWS.replace(old, new))
    assert old in view_pack.VIEWS
    done = cli("diff", before, "--policies", now)
    assert f"{kind.upper()}  shop.dear" in done.stdout or f"{kind}: shop.dear" in done.stdout, done.stdout + done.stderr
    assert done.returncode == (0 if kind == "unchanged" else 1)


def test_a_number_that_only_a_view_reads_counts_as_well(cli: Cli, tmp_path: Path) -> None:
    before, now = view_pack.lay(tmp_path / "before"), view_pack.lay(tmp_path / "now", factor="0.5")
    done = cli("diff", before, "--policies", now)
    assert (done.returncode, "LOOSENED  shop.dear" in done.stdout) == (1, True), done.stdout
    assert "factor: 1: convention, x" in done.stdout
