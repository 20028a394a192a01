"""`fiel new`: drafts pass `check` and `test` at once, judge the facts they came from, and write over nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.casework import run_tests
from engine.checkup import check_paths
from engine.draft.foreign import meant_by_texts
from engine.draft.sample import MOST_ROWS
from engine.drafting import from_facts, publish
from engine.errors import FielError
from engine.format import format_paths
from engine.load import load_packs
from engine.pipeline import Request, judge

from .conftest import ROOT, Cli
from .packs import policy, write

TODAY = date(2026, 11, 30)
SAMPLE = ROOT / "facts" / "prose" / "sample.json"


def is_green(root: Path, said: Sequence[str] = ()) -> None:
    """Every pack of a folder passes `check` and `test`, and is in the one form.

    A mutant of a draft may survive only if the draft says so.
    """
    assert [p for p in check_paths([root], TODAY).problems if p.is_error] == []
    for one in run_tests([root]):
        assert one.cases_ok, one
        assert one.attack is not None
        assert [s for s in one.attack.survivors if not any(s.mutant.name in line for line in said)] == []
        assert [s for s in one.attack.survivors if s.killer is not None] == []
    assert format_paths([root]).changed == ()


def drafted(folder: Path, document: object, name: str = "sample.json", pack: str | None = None) -> Path:
    """The folder of packs drafted from a JSON document, or from the text of a file."""
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    root = folder / "policies"
    draft = from_facts(root, str(path), pack, ",", TODAY)
    publish(draft)
    is_green(root, draft.said)
    judge(Request((str(path),), root, use_cache=False))
    return root


def refused(folder: Path, document: object, name: str = "sample.json") -> list[str]:
    with pytest.raises(FielError) as caught:
        drafted(folder, document, name)
    assert not (folder / "policies").exists()
    assert all(p.help for p in caught.value.problems if p.code.startswith("draft-"))
    return [p.code for p in caught.value.problems]


# ---- by name


def test_a_pack_a_relation_and_a_policy_are_green_at_once(tmp_path: Path, cli: Cli) -> None:
    for words in (["pack", "mine"], ["relation", "mine.loan"], ["policy", "mine.short", "--for", "loan"]):
        done = cli("new", *words, "--today", "2026-11-30", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    is_green(tmp_path / "policies")
    assert cli("check", cwd=tmp_path).returncode == 0
    assert cli("test", "policies/mine", cwd=tmp_path).returncode == 0
    assert "revisit: 2027-05-31" in (tmp_path / "policies/mine/short.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], "draft-what"),
        (["pack"], "draft-what"),
        (["relation", "loan"], "draft-what"),
        (["pack", "Mine"], "draft-name"),
        (["pack", "select"], "draft-name"),
        (["pack", "../up"], "draft-name"),
        (["relation", "mine.order"], "draft-name"),
        (["policy", "mine.a-b"], "draft-name"),
        (["policy", "mine.x", "--for", "itme"], "unknown-relation"),
        (["pack", "x", "--for", "item"], "draft-what"),
        (["pack", "mine"], "draft-exists"),
        (["relation", "mine.item"], "draft-exists"),
        (["relation", "mine.most_size"], "draft-exists"),
        (["policy", "mine.first_rule"], "draft-exists"),
        (["policy", "mine.item"], "draft-exists"),
        (["relation", "mnie.x"], "unknown-pack"),
        (["pack", "x", "--from-facts", "f.json"], "draft-what"),
        (["--from-facts", "no.json"], "fact-file-missing"),
        (["--from-facts", "-"], "no-facts"),
    ],
)
def test_what_cannot_be_drafted_is_told_and_nothing_is_written(
    words: list[str], code: str, tmp_path: Path, cli: Cli
) -> None:
    assert cli("new", "pack", "mine", cwd=tmp_path).returncode == 0
    before = {p: p.read_bytes() for p in tmp_path.rglob("*.yaml")}
    done = cli("new", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.split(": ")[0] == code or f": {code}: " in done.stderr
    assert "help:" in done.stderr or code.startswith("fact-")
    assert {p: p.read_bytes() for p in tmp_path.rglob("*.yaml")} == before


def test_a_broken_pack_is_mended_first(tmp_path: Path, cli: Cli) -> None:
    root = write(tmp_path, {"rule": policy("words <= top")})
    (root / "t" / "relations.yaml").write_text("item:\n  row: x\n")
    done = cli("new", "policy", "t.other", cwd=tmp_path)
    assert done.returncode == 2
    assert "missing-key" in done.stderr
    assert not (root / "t" / "other.yaml").exists()


def test_a_dangling_link_is_not_written_through(tmp_path: Path, cli: Cli) -> None:
    assert cli("new", "pack", "mine", cwd=tmp_path).returncode == 0
    (tmp_path / "policies/mine/other.yaml").symlink_to(tmp_path / "outside.yaml")
    assert cli("new", "policy", "mine.other", cwd=tmp_path).returncode == 2
    assert not (tmp_path / "outside.yaml").exists()


@pytest.mark.parametrize(
    "inside", [(), ("notes.txt", "x"), ("loan_rule.yaml", "policy: library.loan_rule\n")], ids=repr
)
def test_a_folder_without_pack_yaml_is_free(inside: tuple[str, ...], tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "policies" / "library"
    folder.mkdir(parents=True)
    refusal = cli("new", "relation", "library.loan", cwd=tmp_path)
    assert "help: draft it: `fiel new pack library`" in refusal.stderr
    if inside:
        (folder / inside[0]).write_text(inside[1])
    done = cli("new", "pack", "library", cwd=tmp_path)
    if not inside:
        assert (done.returncode, done.stderr) == (0, "")
        is_green(tmp_path / "policies")
        assert cli("new", "relation", "library.loan", cwd=tmp_path).returncode == 0
    else:  # what else is in the folder has to be in order before a pack is made of it
        assert (done.returncode, [p.name for p in folder.iterdir()]) == (2, [inside[0]])
        assert f"policies/library/{inside[0]}" in done.stderr
        assert "/tmp" not in done.stderr


def test_from_facts_takes_an_empty_folder_of_the_pack(tmp_path: Path) -> None:
    (tmp_path / "policies" / "sample").mkdir(parents=True)
    drafted(tmp_path, {"item": [{"id": 1, "size": 3}]})


def test_what_is_made_up_says_so_and_what_is_next(tmp_path: Path, cli: Cli) -> None:
    done = cli("new", "pack", "mine", cwd=tmp_path)
    assert "put your relation in the place of the made-up one, then its columns, then the policy" in done.stdout
    for name in ("relations", "first_rule"):
        assert "made up" in (tmp_path / f"policies/mine/{name}.yaml").read_text("utf-8").split("\n")[0]
    assert "`fiel new policy mine.NAME --for loan`" in cli("new", "relation", "mine.loan", cwd=tmp_path).stdout


def test_with_several_relations_a_policy_says_which_one_it_is_for(tmp_path: Path, cli: Cli) -> None:
    cli("new", "pack", "mine", cwd=tmp_path)
    assert cli("new", "policy", "mine.one", cwd=tmp_path).returncode == 0
    cli("new", "relation", "mine.loan", cwd=tmp_path)
    done = cli("new", "policy", "mine.other", cwd=tmp_path)
    assert done.returncode == 2
    assert "help: add `--for item` or `--for loan`" in done.stderr
    taken = cli("new", "policy", "mine.one", "--for", "loan", cwd=tmp_path)
    assert "help: edit `policies/mine/one.yaml`, or delete it and draft anew" in taken.stderr


def test_the_next_command_has_the_delimiter_that_was_given(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "job.csv").write_text("id;n\na;1\nb;2\n")
    done = cli("new", "--from-facts", "job.csv", "--csv-delimiter", ";", cwd=tmp_path)
    assert "fiel judge --facts job.csv --pack job --csv-delimiter ';'" in done.stdout


def test_a_refusal_names_the_file_that_would_be_written(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "job.csv").write_text("id,n\na,1\nb,2\n")
    words = ("new", "--from-facts", "../job.csv", "--pack", "jobs")
    assert cli(*words, cwd=tmp_path / "jobs").returncode == 0
    (tmp_path / "jobs/policies/jobs/job_rule.yaml").unlink()
    (tmp_path / "job.csv").write_text("id,m\na,1\nb,2\n")
    done = cli(*words, cwd=tmp_path / "jobs")
    assert done.returncode == 2
    assert "in policies/jobs/relations.yaml:6" in done.stderr
    assert "fiel-" not in done.stderr


# ---- from facts


def test_the_sample_makes_a_pack_in_an_empty_folder(tmp_path: Path, cli: Cli) -> None:
    done = cli("new", "--from-facts", SAMPLE, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    is_green(tmp_path / "policies")
    assert [p.name for p in (tmp_path / "policies").iterdir()] == ["prose"]
    tested = cli("test", cwd=tmp_path)
    assert tested.returncode == 0, tested.stdout  # no mutant survives
    judged = cli("judge", "--facts", SAMPLE, cwd=tmp_path)
    assert judged.returncode == 3
    text = "".join(p.read_text("utf-8") for p in sorted((tmp_path / "policies/prose").glob("*.yaml")))
    assert "number: {type: int, unit: none, required: true}  # guessed: what unit?" in text
    assert "kind: {type: text, one_of: [body, heading, quote]}  # guessed: no other values?" in text
    again = cli("new", "--from-facts", SAMPLE, cwd=tmp_path)
    assert again.returncode == 2
    assert "draft-exists" in again.stderr


def test_a_pack_that_declares_the_relation_gets_a_policy_only(tmp_path: Path, cli: Cli) -> None:
    shutil.copytree(ROOT / "policies", tmp_path / "policies")
    before = (tmp_path / "policies/prose/relations.yaml").read_bytes()
    done = cli("new", "--from-facts", SAMPLE, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "relation sentence: declared by the pack prose already" in done.stdout
    assert (tmp_path / "policies/prose/relations.yaml").read_bytes() == before
    assert "unit: word" in (tmp_path / "policies/prose/sentence_rule.yaml").read_text("utf-8")
    is_green(tmp_path / "policies")


def test_a_second_pack_declares_a_relation_in_the_words_of_the_first(tmp_path: Path, cli: Cli) -> None:
    shutil.copytree(ROOT / "policies", tmp_path / "policies")
    for number, facts in enumerate(("facts/prose/json/sample.json", "facts/permits/flights.json")):
        done = cli("new", "--from-facts", ROOT / facts, "--pack", f"second_{number}", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    is_green(tmp_path / "policies")


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv", "parquet"])
def test_the_four_formats_give_one_draft(kind: str, tmp_path: Path) -> None:
    root = tmp_path / "policies"
    publish(from_facts(root, str(ROOT / "facts/prose" / kind), "p", ",", TODAY))
    is_green(root)
    relations = load_packs(root).packs["p"].relations
    claim = relations["prose_claim"]
    assert claim.key == ("claim_id", "question")
    kinds = {"claim_id": "text", "question": "text", "answer": "bool", "p_yes": "float", "model": "text"}
    assert {n: c.type.kind for n, c in claim.columns.items()} == {**kinds, "asked_at": "instant", "run_id": "text"}
    assert relations["sentence"].key == ("document", "number")


def test_types_are_those_that_read_every_value(tmp_path: Path) -> None:
    one = {"id": "007", "whole": 1, "broken": 1, "day": "2026-01-01", "yes": True, "none": None}
    other = {"id": "008", "whole": -5, "broken": 0.5, "day": "2026-02-28", "yes": None, "none": None}
    rows = [{**one, "big": 2**70 + 1, "code": "12"}, {**other, "big": 1, "code": "a"}]
    columns = load_packs(drafted(tmp_path, {"item": rows})).packs["sample"].relations["item"].columns
    kinds = {"id": "text", "whole": "int", "broken": "float", "day": "date", "yes": "bool", "none": "text"}
    assert {n: c.type.kind for n, c in columns.items()} == {**kinds, "big": "decimal", "code": "text"}
    assert "none: {type: text}  # guessed: every value was null: which type?" in (
        tmp_path / "policies/sample/relations.yaml"
    ).read_text("utf-8")


def test_many_rows_without_a_null_make_a_column_required(tmp_path: Path) -> None:
    rows = [{"id": n, "size": n % 3} for n in range(25)]
    columns = load_packs(drafted(tmp_path, {"item": rows})).packs["sample"].relations["item"].columns
    assert columns["size"].required


def test_a_measurement_that_happens_to_differ_is_no_key(tmp_path: Path) -> None:
    rows = [{"street": s, "number": n, "height": h} for s, n, h in [("a", 1, 9), ("a", 2, 8), ("b", 1, 7)]]
    relation = load_packs(drafted(tmp_path, {"house": rows})).packs["sample"].relations["house"]
    assert relation.key == ("street", "number")


@pytest.mark.parametrize(
    ("document", "codes"),
    [
        ({}, ["fact-json"]),
        ({"item": []}, ["draft-no-rows"]),
        ({"item": [{"a b": 1, "select": 2, "x": 1}]}, ["draft-name", "draft-name"]),
        ({"Item": [{"a": 1}]}, ["draft-name"]),
        ({"item": [{"a": 1, "b": {"c": 1}}]}, ["draft-nested"]),
        ({"item": [{"a": 1, "b": [1]}]}, ["draft-nested"]),
        ({"item": [{"a": "x", "b": 1}, {"a": "y", "b": "one"}]}, ["draft-mixed"]),
        ({"item": [{"a": "x", "b": True}, {"a": "y", "b": 1}]}, ["draft-mixed"]),
        ({"item": [{"a": 1}, {"a": 1}]}, ["draft-no-key"]),
        ({"item": [{"a": None}]}, ["draft-no-key"]),
        ('{"item": [{"a": 1, "a": 2}]}', ["fact-repeated-entry"]),
        ("[", ["fact-json"]),
    ],
)
def test_facts_that_nothing_can_be_declared_for_are_refused(document: object, codes: list[str], tmp_path: Path) -> None:
    assert refused(tmp_path, document) == codes


def test_rows_beyond_the_sample_are_judged_too(tmp_path: Path) -> None:
    rows = [{"id": n, "size": 1} for n in range(MOST_ROWS + 5)]
    root = drafted(tmp_path, {"item": rows}, pack="fits")
    assert load_packs(root).packs["fits"].relations["item"].key == ("id",)
    shutil.rmtree(root)
    rows[-1]["size"] = "large"  # type: ignore[assignment]
    assert refused(tmp_path, {"item": rows})[-1] == "draft-refuted"


def test_a_name_that_no_pack_can_bear_asks_for_another(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "My facts.json").write_text('{"item": [{"a": 1}]}')
    done = cli("new", "--from-facts", "My facts.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "--pack NAME" in done.stderr
    assert cli("new", "--from-facts", "My facts.json", "--pack", "mine", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    "values", [[1, 1, 1], [1.5, 1.5], ["a", "a", "a"], ["2026-01-01"] * 2, [True, True], ["", ""], [0, 0]], ids=repr
)
def test_a_column_with_one_value_gives_a_draft_whose_mutants_are_all_killed(
    values: list[object], tmp_path: Path
) -> None:
    root = drafted(tmp_path, {"item": [{"id": f"i{n}", "size": value} for n, value in enumerate(values)]})
    assert [one.ok for one in run_tests([root])] == [True]


FOREIGN = {
    "02.10.2026": "a date? write YYYY-MM-DD", "10/2/26": "a date? write YYYY-MM-DD",
    "2026-1-2": "a date? write YYYY-MM-DD", "2026/01/02": "a date? write YYYY-MM-DD",
    "02.10.2026 14:30": "an instant? write YYYY-MM-DDTHH:MM:SSZ", "2026-10-02 14:30": "an instant?",
    "1.200,50": "a number? write digits and a point", "1,200.50": "a number?", "3,5": "a number?", "1 200": "a number?",
    "1'200": "a number?", "5 %": "a share?", "2,5%": "a share?", "12 kg": "a number with its unit?", "€ 5": "a number",
}  # fmt: skip


@pytest.mark.parametrize(("text", "meant"), FOREIGN.items(), ids=repr)
def test_what_is_written_in_another_countrys_way_is_asked_about(text: str, meant: str, tmp_path: Path) -> None:
    root = drafted(tmp_path, {"item": [{"fee": text, "nr": 7}, {"fee": text, "nr": 8}, {"fee": text, "nr": 9}]})
    (line,) = [one for one in (root / "sample/relations.yaml").read_text("utf-8").split("\n") if " fee: " in one]
    assert f"fee: {{type: text}}  # guessed: {meant}" in line
    assert "fee" not in (root / "sample/item_rule.yaml").read_text("utf-8").split("must: ")[1].split("\n")[0]


def test_such_a_column_is_no_key_and_its_length_no_rule(tmp_path: Path) -> None:
    root = drafted(tmp_path, {"item": [{"fee": "3,20", "name": "a"}, {"fee": "7", "name": "b"}]})
    assert load_packs(root).packs["sample"].relations["item"].key == ("name",)
    other = tmp_path / "other"
    other.mkdir()
    alone = drafted(other, {"item": [{"fee": "3,20"}, {"fee": "17,10"}]})
    assert "must: length(fee) > 0" in (alone / "sample/item_rule.yaml").read_text("utf-8")


@pytest.mark.parametrize("text", ["007", "12", "a 1", "v1.2.3", "2026", "AB-12", "1.2.3.4", "mm"])
def test_codes_and_words_are_texts(text: str) -> None:
    assert meant_by_texts([text, text]) is None


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=90), st.dates().map(str), st.sampled_from(["a", "b"]),
    st.sampled_from(["null", "true", "1", "- x", "a: b", "#", "'", '"', "\u2028", "::error::", "\x1b[31m"]),
)  # fmt: skip
COLUMNS = st.sampled_from(["a", "b", "c", "item", "rows", "expect", "repeat", "outcome", "reason", "facts"])


def test_a_rule_over_instants_is_drafted_with_a_case_on_a_later_day(tmp_path: Path) -> None:
    """Else `utc_day(t) >= first` could be `=`, and nothing would say so."""
    root = drafted(tmp_path, {"x": [{"id": each, "t": "2026-01-01T00:00:00Z"} for each in "ab"]})
    (one,) = run_tests([root])
    assert "utc_day(t) >= first_t" in Path(one.policy.file).read_text(encoding="utf-8")
    assert one.attack is not None
    assert one.attack.survivors == ()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(COLUMNS, VALUES, max_size=5), min_size=1, max_size=6), st.booleans())
def test_any_rows_give_a_green_draft_or_a_reason(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]], numbered: bool
) -> None:
    folder = tmp_path_factory.mktemp("new")
    rows = [{"id": n, **row} for n, row in enumerate(rows)] if numbered else rows
    codes: list[str] = []
    try:
        drafted(folder, {"item": rows})
    except FielError as error:
        codes = [p.code for p in error.problems]
    assert all(code.startswith(("draft-", "fact-")) for code in codes)
    shutil.rmtree(folder)
