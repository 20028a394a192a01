"""From a folder to packs: what is built, what is refused, and that nothing is skipped in silence."""

from __future__ import annotations

import shutil
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.checkup import check_paths
from engine.load import Loaded, load_packs
from engine.model import ValueType

BASE = Path(__file__).parent / "broken" / "base"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory with the pack `sky` in the folder `packs`."""
    shutil.copytree(BASE, tmp_path / "packs" / "sky")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "packs"


def codes(loaded: Loaded) -> list[str]:
    return [problem.code for problem in loaded.problems]


def places(loaded: Loaded) -> list[str]:
    return [str(problem.place) for problem in loaded.problems]


def test_a_pack_is_built_as_its_files_say(folder: Path) -> None:
    loaded = load_packs(folder)
    assert loaded.problems == ()
    pack = loaded.packs["sky"]
    assert (pack.name, pack.version, pack.folder) == ("sky", "0.1.0", "packs/sky")
    flight = pack.relations["flight"]
    assert flight.key == ("flight",)
    assert flight.columns["flight"].required
    assert not flight.columns["category"].required
    assert flight.columns["category"].one_of == ("open", "specific")
    assert flight.columns["height"].type == ValueType("decimal", 5, 1)
    assert (flight.columns["height"].low, flight.columns["height"].unit) == (Decimal(0), "m")
    assert flight.columns["grade"].type.levels == ("low", "middle", "high")
    assert flight.columns["remarks"].may_be_absent
    assert pack.relations["permit"].columns["flight"].required
    assert pack.parameters["night_height"].values[0].value == Decimal(60)
    policy = pack.policies["height"]
    assert (policy.id, policy.relation, policy.if_none) == ("sky.height", "flight", "not_applicable")
    assert policy.must is not None
    assert (policy.must.text, policy.must.locate(0)) == ("height <= greatest_height", (6, 7))
    assert policy.places["must"].line == 6
    assert [case.expect for case in policy.cases] == ["pass", "fail", "no_evidence", "not_applicable"]
    assert [case.number for case in policy.cases] == [1, 2, 3, 4]
    assert policy.cases[2].cells["height"].text is None
    assert policy.example is not None
    assert policy.example.cells["day"].text == "2024-05-02"


def test_a_pack_its_folder_and_one_of_its_files_give_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = load_packs(folder)
    assert load_packs(folder / "sky") == whole
    assert load_packs(folder / "sky" / "height.yaml") == whole
    monkeypatch.chdir(folder / "sky")
    assert set(load_packs(Path(".")).packs) == {"sky"}


def test_every_key_of_a_policy_arrives(folder: Path) -> None:
    (folder / "sky" / "night.yaml").write_text(
        """policy: sky.night
title: Few flights at night
for: flight
where: >-
  night
review_if: "grade = 'middle'"
must: count(*) <= few
per: [category]
each_of: permit
allow: spare
as_of: judged_on
params:
  few:
    unit: none
    origin: law
    source: A made-up act
    checked: 2024-01-01
    values: [{from: 2020-01-01, until: 2021-01-01, value: 1}, {from: 2021-01-01, value: 2, source: Another}]
  spare: {value: 2%, unit: share, origin: guess, because: So., revisit: 2030-01-01}
source: {act: A made-up act, article: "2", edition: 1.10, quote: Few words.}
cannot_see: The moon.
example: {flight: f1, category: open, day: 2024-05-02, height: 80, night: true, grade: low}
example_facts: {permit: [{permit: p1, flight: f1, expires: null, repeat: 2}]}
cases:
  - rows: [{flight: f2, repeat: 3}, {}]
    facts: {permit: absent}
    judged_on: 2020-06-01
    expect: no_evidence
    reason: absent_relation
    expect_rows: [{category: open, outcome: pass}]
  - {rows: absent, judged_on: 2020-06-01, expect: no_evidence}
""",
        "utf-8",
    )
    loaded = load_packs(folder)
    assert loaded.problems == ()
    policy = loaded.packs["sky"].policies["night"]
    assert policy.where is not None
    assert policy.where.text == "night"
    assert policy.where.locate(2) == (5, 5)
    assert (policy.per, policy.each_of, policy.allow, policy.as_of) == (("category",), "permit", "spare", "judged_on")
    few, spare = policy.params["few"], policy.params["spare"]
    assert few.dated
    assert [(v.value, v.start, v.until, v.source) for v in few.values] == [
        (Decimal(1), date(2020, 1, 1), date(2021, 1, 1), None),
        (Decimal(2), date(2021, 1, 1), None, "Another"),
    ]
    assert (spare.values[0].value, spare.values[0].shown, spare.revisit) == (Decimal("0.02"), "2%", date(2030, 1, 1))
    assert str(policy.source) == "A made-up act, 2, edition 1.10"
    first, second = policy.cases
    assert isinstance(first.rows, tuple)
    assert [(sorted(row.cells), row.repeat) for row in first.rows] == [(["flight"], 3), ([], 1)]
    assert first.facts == {"permit": "absent"}
    assert (first.judged_on, first.reason) == (date(2020, 6, 1), "absent_relation")
    assert [(sorted(row.key), row.outcome) for row in first.expect_rows] == [(["category"], "pass")]
    assert second.rows == "absent"
    assert policy.example_facts["permit"][0].repeat == 2


def test_work_that_comes_later_is_listed_and_not_ignored(folder: Path) -> None:
    sky = folder / "sky"
    text = (sky / "height.yaml").read_text()
    (sky / "height.yaml").write_text(text + "obliges: {procedure: p, authority: a}\n")
    loaded = load_packs(folder)
    assert loaded.problems == ()
    assert sorted(loaded.packs["sky"].policies["height"].later) == ["obliges"]


@pytest.mark.parametrize(
    "name", ["foo.yml", "Policy.yaml", "rule.py", "notes.txt", "a-b.yaml", "1.yaml", "pack.yaml.bak", "relations.yml"]
)
def test_a_file_that_does_not_belong_is_a_problem(folder: Path, name: str) -> None:
    (folder / "sky" / name).write_text("x: 1\n")
    loaded = load_packs(folder)
    assert (codes(loaded), places(loaded)) == (["unknown-file"], [f"packs/sky/{name}:1:1"])


def test_a_readme_prompts_and_hidden_files_may_stand_in_a_pack(folder: Path) -> None:
    sky = folder / "sky"
    (sky / "README.md").write_text("# Sky\n")
    (sky / ".hidden").write_text("x")
    (sky / "prompts").mkdir()
    (sky / "prompts" / "a.md").write_text("x")
    (folder / "README.md").write_text("x")
    assert load_packs(folder).problems == ()


def test_a_folder_within_a_pack_is_a_problem(folder: Path) -> None:
    (folder / "sky" / "more").mkdir()
    assert codes(load_packs(folder)) == ["unknown-file"]


def test_a_folder_without_a_pack_file_is_a_problem_and_hides_nothing(folder: Path) -> None:
    (folder / "sea").mkdir()
    (folder / "stray.yaml").write_text("policy: x\n")
    loaded = load_packs(folder)
    assert sorted(codes(loaded)) == ["missing-file", "unknown-file"]
    assert set(loaded.packs) == {"sky"}


@pytest.mark.parametrize("name", ["none", "empty"])
def test_no_pack_at_all_is_a_problem(folder: Path, name: str) -> None:
    (folder.parent / "empty").mkdir()
    assert codes(load_packs(folder.parent / name)) == ["no-packs"]


def test_a_pack_that_is_not_there_is_a_problem_with_the_nearest_name(folder: Path) -> None:
    loaded = load_packs(folder, only=["skt"])
    assert codes(loaded) == ["unknown-pack"]
    assert loaded.problems[0].help == "did you mean `sky`?"
    assert loaded.packs == {}


def test_only_the_packs_that_are_wanted_are_read(folder: Path) -> None:
    shutil.copytree(folder / "sky", folder / "sea")
    assert "pack-name" in codes(load_packs(folder))
    assert load_packs(folder, only=["sky"]).problems == ()


@pytest.mark.parametrize("missing", ["pack.yaml", "relations.yaml"])
def test_a_pack_without_one_of_its_two_files_is_not_loaded(folder: Path, missing: str) -> None:
    (folder / "sky" / missing).unlink()
    loaded = load_packs(folder)
    assert "missing-file" in codes(loaded)
    assert loaded.packs == {}


def test_a_missing_file_is_missing_in_a_folder_and_its_lines_are_shown(folder: Path) -> None:
    (folder / "sky" / "relations.yaml").unlink()
    (problem,) = load_packs(folder).problems
    assert (problem.code, problem.place, problem.where) == ("missing-file", None, "packs/sky")
    assert problem.help is not None
    (folder / "sky" / "relations.yaml").write_text(problem.help.partition("\n")[2])
    assert load_packs(folder).problems == ()
    (folder / "sky" / "pack.yaml").unlink()
    for root in (folder, folder / "sky", folder / "sky" / "height.yaml"):
        (problem,) = load_packs(root).problems
        assert (problem.code, problem.place, problem.where) == ("missing-file", None, "packs/sky")
    assert problem.help is not None
    (folder / "sky" / "pack.yaml").write_text(problem.help.partition("\n")[2])
    assert load_packs(folder).problems == ()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("relation.yaml", "relations.yaml"),
        ("Relations.yaml", "relations.yaml"),
        ("relations.yml", "relations.yaml"),
        ("parameter.yaml", "parameters.yaml"),
        ("params.yaml", "parameters.yaml"),
        ("packs.yaml", "pack.yaml"),
        ("pack.yml", "pack.yaml"),
    ],
)
def test_a_file_under_nearly_the_name_of_a_packs_file_is_the_one_problem(
    folder: Path, written: str, meant: str
) -> None:
    sky = folder / "sky"
    if meant == "parameters.yaml":
        text = (sky / "height.yaml").read_text().replace("must: height <= greatest_height", "must: height <= a_bound")
        (sky / "height.yaml").write_text(text)
    (sky / meant).rename(sky / written)
    found = check_paths([folder], date(2026, 1, 1)).problems
    assert [(str(problem.place), problem.help) for problem in found] == [
        (f"packs/sky/{written}:1:1", f"did you mean to call this `{meant}`?")
    ]


@pytest.mark.parametrize("name", ["reference.yaml", "waiver.yaml", "sensor.yaml", "view.sql"])
def test_the_files_that_a_pack_may_have_are_known_under_nearly_their_names(folder: Path, name: str) -> None:
    (folder / "sky" / name).write_text("a: 1\n")
    (problem,) = load_packs(folder).problems
    assert problem.help is not None
    assert problem.help.startswith("did you mean to call this")


def test_a_policy_may_bear_a_name_like_that_of_a_packs_file(folder: Path) -> None:
    sky = folder / "sky"
    (sky / "waiver.yaml").write_text((sky / "height.yaml").read_text().replace("sky.height", "sky.waiver"))
    loaded = load_packs(folder)
    assert loaded.problems == ()
    assert sorted(loaded.packs["sky"].policies) == ["height", "waiver"]


def test_a_pack_straight_in_the_folder_of_packs_is_one_problem(folder: Path) -> None:
    pack = folder / "sky"
    shutil.copytree(pack, folder / "sky" / "sea")
    for file in ("pack.yaml", "height.yaml"):
        (pack / file).write_text((pack / file).read_text().replace("sky", "apples"))
    (pack / "two.yaml").write_text((pack / "height.yaml").read_text().replace("apples.height", "apples.two"))
    (problem,) = load_packs(pack).problems
    assert problem.code == "pack-name"
    assert problem.help == "move these files into `packs/sky/apples/`, or name the folder `apples`"


def test_parameters_that_could_not_be_read_are_the_one_problem(folder: Path) -> None:
    sky = folder / "sky"
    (sky / "height.yaml").write_text((sky / "height.yaml").read_text().replace("<= greatest", "<= night"))
    (sky / "parameters.yaml").write_text("night_height: {value: 60\n")
    assert [problem.code for problem in check_paths([folder], date(2026, 1, 1)).problems] == ["yaml-syntax"]


def test_problems_of_all_files_come_together_sorted_by_place(folder: Path) -> None:
    sky = folder / "sky"
    for file in ("pack.yaml", "relations.yaml", "parameters.yaml", "height.yaml"):
        path = sky / file
        path.write_text("zzz: 1\n" + path.read_text())
    (sky / "other.yaml").write_text("must: 'a' = b\n")
    loaded = load_packs(folder)
    files = [problem.place.file for problem in loaded.problems if problem.place is not None]
    assert files == sorted(files)
    assert {Path(file).name for file in files} == {
        "pack.yaml", "relations.yaml", "parameters.yaml", "height.yaml", "other.yaml"
    }  # fmt: skip


def test_what_could_not_be_read_is_named(folder: Path) -> None:
    sky = folder / "sky"
    (sky / "relations.yaml").write_text((sky / "relations.yaml").read_text().replace("{type: bool}", "{type: bol}"))
    (sky / "parameters.yaml").write_text("night_height: {value: 60, origin: convention, because: So.}\n")
    loaded = load_packs(folder)
    assert loaded.unusable["sky"] == {"flight", "night_height"}
    assert "flight" not in loaded.packs["sky"].relations


def test_a_relation_of_two_packs_is_declared_in_equal_words(folder: Path) -> None:
    shutil.copytree(folder / "sky", folder / "sea")
    for file in ("pack.yaml", "height.yaml"):
        path = folder / "sea" / file
        path.write_text(path.read_text().replace("sky", "sea"))
    assert load_packs(folder).problems == ()
    path = folder / "sky" / "relations.yaml"
    path.write_text(path.read_text().replace("digits: 5", "digits: 6"))
    loaded = load_packs(folder)
    assert codes(loaded) == ["relations-differ"]
    assert "the column `height` differs" in loaded.problems[0].message


@pytest.mark.parametrize("word", ["order", "limit", "judged", "judged_on", "table", "cast", "map"])
def test_a_word_of_the_language_is_no_name(folder: Path, word: str) -> None:
    sky = folder / "sky"
    path = sky / "relations.yaml"
    path.write_text(path.read_text().replace("remarks:", f"{word}:"))
    (sky / "parameters.yaml").write_text(f"{word}: {{value: 60, unit: m, origin: convention, because: So.}}\n")
    text = (sky / "height.yaml").read_text()
    (sky / f"{word}.yaml").write_text(text.replace("sky.height", f"sky.{word}"))
    assert codes(load_packs(folder)).count("reserved-name") == 3


def test_two_policies_may_have_a_parameter_of_one_name_but_not_that_of_the_pack(folder: Path) -> None:
    sky = folder / "sky"
    text = (sky / "height.yaml").read_text()
    (sky / "other.yaml").write_text(text.replace("sky.height", "sky.other"))
    assert load_packs(folder).problems == ()
    (sky / "parameters.yaml").write_text("greatest_height: {value: 60, unit: m, origin: convention, because: So.}\n")
    assert codes(load_packs(folder)) == ["name-taken", "name-taken"]


def test_a_policy_that_is_a_link_to_nowhere_is_a_problem(folder: Path) -> None:
    (folder / "sky" / "gone.yaml").symlink_to(folder / "nowhere.yaml")
    assert codes(load_packs(folder)) == ["unreadable-file"]


def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    import os

    os.mkfifo(folder / "sky" / "pipe.yaml")
    assert codes(load_packs(folder)) == ["unreadable-file"]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["pack.yaml", "relations.yaml", "parameters.yaml", "height.yaml"]), st.data())
def test_no_damage_to_a_file_is_more_than_a_problem(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    pack = tmp_path_factory.mktemp("damage") / "sky"
    shutil.copytree(BASE, pack)
    text = (pack / name).read_text("utf-8")
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    put = data.draw(st.text(st.sampled_from("ab1:-?[]{},&*!|>'\"%@# \n"), max_size=8))
    (pack / name).write_text(text[:start] + put + text[end:], "utf-8")
    loaded = load_packs(pack)
    assert loaded.packs or any(problem.is_error for problem in loaded.problems)
    for problem in loaded.problems:
        assert "\n" not in problem.message
