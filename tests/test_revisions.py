"""What `diff` makes of repositories in odd states, and of versions whose relations or reasons moved."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engine.comparison import compare
from engine.difference import difference
from engine.mutate.run import mutants

from .conftest import Cli
from .mutant_rules import RULES, loaded, written
from .test_diff import changed, git, repository

# -- repositories ----------------------------------------------------------------------------------------------


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "next")


def loosen(file: Path) -> None:
    text = file.read_text()
    assert "value: 4" in text
    file.write_text(text.replace("value: 4", "value: 5"))


@pytest.mark.parametrize("name", ["with 'quotes\" and blanks ", "p*", ":(exclude)p", "-q", "ñ\u202e\U0001f600", "a\nb"])
def test_a_repository_may_have_any_name(name: str, cli: Cli, tmp_path: Path) -> None:
    place = tmp_path / name
    place.mkdir()
    repository(place)
    done = cli("diff", "HEAD", cwd=place)
    assert (done.returncode, done.stderr) == (1, "")
    assert "LOOSENED  t.plain" in done.stdout
    inner = place / name
    shutil.copytree(place / "policies", inner)
    commit(place)
    loosen(inner / "t" / "plain.yaml")
    done = cli("diff", "HEAD", f"--policies={name}", cwd=place)
    assert (done.returncode, done.stderr) == (1, "")
    assert "LOOSENED  t.plain" in done.stdout


@pytest.mark.parametrize("attributes", ["*.yaml export-ignore", "*.yaml export-subst", "*.yaml eol=crlf ident"])
def test_attributes_of_git_hide_and_change_nothing(attributes: str, cli: Cli, tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / ".gitattributes").write_text(f"{attributes}\n")
    commit(tmp_path)
    loosen(tmp_path / "policies" / "t" / "plain.yaml")
    done = cli("diff", "HEAD", cwd=tmp_path)
    assert done.returncode == 1
    assert "LOOSENED  t.plain" in done.stdout


def test_a_policy_behind_a_link_is_not_taken_for_a_new_one(cli: Cli, tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / "t" / "plain.yaml").rename(tmp_path / "plain.yaml")
    os.symlink("../../plain.yaml", root / "t" / "plain.yaml")
    commit(tmp_path)
    loosen(tmp_path / "plain.yaml")
    done = cli("diff", "HEAD", cwd=tmp_path)
    assert done.returncode == 2
    assert "`t/plain.yaml` of `policies` is a link in `HEAD`" in done.stderr


def test_a_pack_that_is_another_repository_is_not_taken_for_a_new_one(cli: Cli, tmp_path: Path) -> None:
    root = repository(tmp_path)
    commit(tmp_path)
    pack = root / "t"
    git(pack, "init", "-q")
    commit(pack)
    git(tmp_path, "rm", "-r", "-q", "--cached", "policies/t")
    commit(tmp_path)
    loosen(pack / "plain.yaml")
    done = cli("diff", "HEAD", cwd=tmp_path)
    assert done.returncode == 2
    assert "`t` of `policies` is another repository in `HEAD`" in done.stderr
    assert "LOOSENED  t.plain" in cli("diff", "HEAD", "--policies", pack, cwd=tmp_path).stdout


def test_a_repository_without_commits_and_a_folder_without_files_are_refused(cli: Cli, tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    git(tmp_path, "init", "-q")
    assert cli("diff", "HEAD", cwd=tmp_path).returncode == 2
    (tmp_path / "README").write_text("x")
    git(tmp_path, "add", "README")
    git(tmp_path, "commit", "-qm", "one")
    done = cli("diff", "HEAD", "--policies", root, cwd=tmp_path)
    assert done.returncode == 2
    assert "`HEAD` has no folder `policies`" in done.stderr


def test_problems_of_a_revision_stand_in_the_revision(cli: Cli, tmp_path: Path) -> None:
    root = repository(tmp_path)
    file = root / "t" / "plain.yaml"
    good = file.read_text()
    file.write_text(good.replace("words <=", "wrods <="))
    commit(tmp_path)
    file.write_text(good)
    done = cli("diff", "HEAD", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("HEAD:t/plain.yaml:4:7: unknown-column")
    assert "fiel-" not in done.stderr


@pytest.mark.parametrize("name", ["nothing", "policies/t/plain.yaml"])
def test_what_is_no_folder_of_policies_is_named(name: str, cli: Cli, tmp_path: Path) -> None:
    repository(tmp_path)
    done = cli("diff", "HEAD", "--policies", name, cwd=tmp_path)
    assert done.returncode == 2
    assert f"no-such-folder: `{name}` is no folder" in done.stderr


# -- relations -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "old", "new"),
    [
        ("{kind: b, expect: fail}", "one_of: [a, b, c]}\n    name", "one_of: [a, c]}\n    name"),
        ("{score: null, expect: no_evidence}", "score: {type: float", "score: {required: true, type: float"),
        ("{facts: {note: [{note: n, id: a1, good: true}]}, expect: pass}", "    good: {type: bool}\n", ""),
        ("{facts: {note: [{note: n, id: null, good: true}]}, expect: pass}", "id: {type: text}\n    good", "good"),
    ],
)
def test_cases_that_the_relations_no_longer_hold_are_left_out(case: str, old: str, new: str, tmp_path: Path) -> None:
    before, now = changed(tmp_path, "plain", "value: 3", "value: 4")
    file, relations = before / "t" / "plain.yaml", now / "t" / "relations.yaml"
    file.write_text(file.read_text() + f"  - {case}\n")
    assert old in relations.read_text()
    relations.write_text(relations.read_text().replace(old, new))
    (one,) = difference(str(before), now).comparisons
    assert one.kind == "loosened"


# -- reasons ---------------------------------------------------------------------------------------------------


def test_a_reason_that_only_moved_is_no_new_one(tmp_path: Path) -> None:
    before, now = changed(tmp_path, "plain", "top", "most")
    file, old = now / "t" / "plain.yaml", before / "t" / "plain.yaml"
    file.write_text(file.read_text().replace("value: 3", "value: 4"))
    assert difference(str(before), now).unexplained == ["t.plain"]
    old.write_text(old.read_text() + "because: the readers asked\n")
    file.write_text(file.read_text().replace("because: x", "because: the  readers asked"))
    assert difference(str(before), now).unexplained == ["t.plain"]
    file.write_text(file.read_text() + "because: the court said so\n")
    assert difference(str(before), now).unexplained == []


def test_the_same_source_for_another_number_is_no_new_reason(tmp_path: Path) -> None:
    before, now = changed(tmp_path, "dated", "value: 1, source: s", "value: 3, source: s")
    assert difference(str(before), now).unexplained == ["t.dated"]


@pytest.mark.parametrize("name", RULES)
def test_each_direction_is_the_mirror_of_the_other(name: str, tmp_path: Path) -> None:
    checked, pack = loaded(written(tmp_path, name), name)
    every = mutants(checked, pack)
    other = every[len(every) // 2].checked
    there, back = compare(checked, other), compare(other, checked)
    turned = {"loosened": "tightened", "tightened": "loosened"}
    assert back.kind == turned.get(there.kind, there.kind)
    assert {(m.new, m.old) for m in back.moves} == {(m.old, m.new) for m in there.moves}
