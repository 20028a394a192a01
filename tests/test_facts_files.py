"""Which files a `--facts` argument means, and a sensor's run."""

from __future__ import annotations

import hashlib
import json
import os
from io import BytesIO
from pathlib import Path

import pytest

from engine.errors import FactError
from engine.facts import load, relations_in
from tests.facts_samples import RELATIONS, ROW, codes, only, refused, rows_of, small, write

LINE = json.dumps(dict(ROW)) + "\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def other(name: str) -> str:
    return json.dumps({**ROW, "flight": name}) + "\n"


def test_a_file_names_its_relation_up_to_the_first_dot() -> None:
    write(Path("flight.2024.jsonl"), LINE)
    write(Path("flight.2025.jsonl"), other("f2"))
    with load(["flight.2024.jsonl", "flight.2025.jsonl"], RELATIONS) as base:
        assert base.rows == {"flight": 2}
        assert [one.file for one in base.files] == ["flight.2024.jsonl", "flight.2025.jsonl"]
        assert base.files[0].sha256 == hashlib.sha256(LINE.encode()).hexdigest()
        assert base.files[0].rows == 1


def test_a_folder_gives_its_files_of_facts_and_nothing_else() -> None:
    write(Path("d/flight.jsonl"), LINE)
    write(Path("d/README.md"), "text")
    write(Path("d/.flight.jsonl.swp"), "text")
    Path("d/inner.json").mkdir()
    with load(["d"], RELATIONS) as base:
        assert [one.file for one in base.files] == ["d/flight.jsonl"]


def test_a_pattern_gives_what_it_matches() -> None:
    write(Path("d/flight.1.jsonl"), LINE)
    write(Path("d/flight.2.jsonl"), other("f2"))
    with load(["d/flight.*.jsonl"], RELATIONS) as base:
        assert base.rows == {"flight": 2}


def test_a_relation_can_be_named_for_a_file_and_for_standard_input() -> None:
    write(Path("export.jsonl"), LINE)
    with load(["flight=export.jsonl"], RELATIONS) as base:
        assert base.rows == {"flight": 1}
    with load(["flight=-"], RELATIONS, stdin=BytesIO(LINE.encode())) as base:
        assert base.rows == {"flight": 1}
        assert base.files[0].file == "-"
    with load(["-"], RELATIONS, stdin=BytesIO(json.dumps({"flight": [dict(ROW)]}).encode())) as base:
        assert base.rows == {"flight": 1}


def test_what_exists_as_a_path_is_a_path_whatever_signs_it_holds() -> None:
    write(Path("odd=name/flight.jsonl"), LINE)
    write(Path("flight=x.jsonl"), LINE)
    write(Path("d/flight.[1]*?.jsonl"), LINE)
    for argument in ("odd=name", "odd=name/flight.jsonl", "d/flight.[1]*?.jsonl", "d"):
        with load([argument], RELATIONS) as base:
            assert base.rows == {"flight": 1}
    assert codes(refused("flight=x.jsonl")) == ["fact-relation-name"]  # the file so named, whose name is no relation


def test_an_empty_relation_is_present_and_an_absent_one_is_not() -> None:
    two = RELATIONS | small()
    write(Path("a.json"), '{"flight": []}')
    write(Path("d/flight.jsonl"), "")
    write(Path("d/thing.csv"), "id\n")
    with load(["a.json"], two) as base:
        assert base.present == {"flight"}
        assert base.rows == {"flight": 0}
        assert rows_of(base, "thing") == []
    with load(["d"], two) as base:
        assert base.present == {"flight", "thing"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "fact-file-missing"),
        (["nowhere"], "fact-file-missing"),
        (["no*where"], "fact-file-missing"),
        (["flight=nowhere.csv"], "fact-file-missing"),
        (["a\0b"], "fact-file-missing"),
        (["\udcff\ud800"], "fact-file-missing"),
        (["[a"], "fact-file-missing"),
        (["empty"], "fact-folder-empty"),
        (["README.md"], "fact-file-kind"),
        (["flight=README.md"], "fact-file-kind"),
        (["packed"], "fact-file-kind"),
        (["Flight.csv"], "fact-relation-name"),
        (["select.csv"], "fact-relation-name"),
        (["Flight=good/flight.jsonl"], "fact-relation-name"),
        (["select=good/flight.jsonl"], "fact-relation-name"),
        (["flight=doc.json"], "fact-relation-name"),
        (["good", "good/flight.jsonl"], "fact-file-twice"),
        (["good/flight.jsonl", "link.jsonl"], "fact-file-twice"),
        (["-"], "fact-file-missing"),
        (["dangling.jsonl"], "fact-file-kind"),
        (["pipe.jsonl"], "fact-file-kind"),
        (["thing.jsonl"], "fact-unknown-relation"),
        (["doc.json", "flight.jsonl"], "fact-two-formats"),
    ],
)
def test_an_argument_that_means_no_facts_is_refused(arguments: list[str], code: str) -> None:
    Path("empty/inner").mkdir(parents=True)
    write(Path("README.md"), "text")
    write(Path("packed/flight.csv.gz"), b"x")
    for name in ("Flight.csv", "select.csv"):
        write(Path(name), "id\n")
    write(Path("good/flight.jsonl"), LINE)
    write(Path("flight.jsonl"), other("f2"))
    write(Path("thing.jsonl"), "{}\n")
    write(Path("doc.json"), {"flight": [dict(ROW)]})
    os.symlink("good/flight.jsonl", "link.jsonl")
    os.symlink("gone.jsonl", "dangling.jsonl")
    os.mkfifo("pipe.jsonl")
    problem = only(refused(*arguments))
    assert problem.code == code
    assert problem.where
    assert "\n" not in problem.message


def test_the_help_names_what_is_near() -> None:
    write(Path("flights.jsonl"), LINE)
    assert only(refused("flihgts.jsonl")).help == "did you mean `flights.jsonl`?"
    named = "did you mean `flight`? name the relation of the file: `--facts flight=flights.jsonl`"
    assert only(refused("flights.jsonl")).help == named
    write(Path("top/inner/flight.jsonl"), LINE)
    assert "`inner`" in str(only(refused("top")).help)


def test_standard_input_can_be_read_once_only() -> None:
    assert codes(refused("-", "flight=-", stdin=BytesIO(b"{}"))) == ["fact-file-twice"]


def test_all_arguments_are_looked_at_before_anything_is_said() -> None:
    assert codes(refused("one", "two", "three")) == ["fact-file-missing"] * 3


def test_a_file_that_may_not_be_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    write(Path("flight.jsonl"), LINE)
    os.chmod("flight.jsonl", 0)
    if os.access("flight.jsonl", os.R_OK):
        os.chmod("flight.jsonl", 0o600)
        survey = relations_in(["flight.jsonl"])
        os.unlink("flight.jsonl")  # who may read everything sees a file that went away
        with pytest.raises(FactError) as error:
            load(survey, RELATIONS)
        assert error.value.problems[0].code == "fact-file-unreadable"
    else:
        assert codes(refused("flight.jsonl")) == ["fact-file-unreadable"]


def test_the_survey_names_the_relations_without_judging_the_rows() -> None:
    write(Path("a.json"), '{"flight": [{"x": "]"}], "thing" : [ {"y": [1]} ]}')
    write(Path("d/other.csv"), "id\n")
    assert relations_in(["a.json", "d", "more=-"], stdin=BytesIO()).relations == {"flight", "thing", "other", "more"}


def test_the_survey_names_a_relation_that_is_cut_off() -> None:
    write(Path("a.json"), '{"flight": [{"x": "')
    assert relations_in(["a.json"]).relations == {"flight"}


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"flight": 1}', '{"Flight": '])
def test_the_survey_says_what_is_wrong_with_a_document_that_names_nothing(text: str) -> None:
    write(Path("a.json"), text)
    with pytest.raises(FactError) as error:
        relations_in(["a.json"])
    assert error.value.problems[0].code == "fact-json"


def test_standard_input_is_read_once_for_survey_and_load() -> None:
    survey = relations_in(["-"], stdin=BytesIO(json.dumps({"flight": [dict(ROW)]}).encode()))
    assert survey.relations == {"flight"}
    with load(survey, RELATIONS) as base:
        assert base.rows == {"flight": 1}


# --- a run of a sensor -----------------------------------------------------------------------------------------------


def run_folder(**changes: object) -> None:
    """A folder `out` as a sensor leaves it, with changes to its record; a change to None takes the entry out."""
    write(Path("out/facts/flight.jsonl"), LINE)
    write(Path("out/requests/0001.json"), "{}")
    write(Path("out/diagnostics.jsonl"), "{}\n")
    record: dict[str, object] = {
        "format": 1,
        "status": "complete",
        "facts": {"flight": {"sha256": hashlib.sha256(LINE.encode()).hexdigest(), "rows": 1}},
    }
    record |= changes
    write(Path("out/run.json"), {name: value for name, value in record.items() if value is not None})


def test_a_run_gives_its_facts_and_the_digest_of_its_record() -> None:
    run_folder()
    with load(["out"], RELATIONS) as base:
        assert [(one.file, one.rows) for one in base.files] == [("out/facts/flight.jsonl", 1)]
        assert base.files[0].run == hashlib.sha256(Path("out/run.json").read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"status": "incomplete"}, "fact-run-incomplete"),
        ({"status": None}, "fact-run-incomplete"),
        ({"format": 2}, "fact-run"),
        ({"format": "1"}, "fact-run"),
        ({"facts": None}, "fact-run"),
        ({"facts": {}}, "fact-run"),
        ({"facts": {"flight": {"sha256": "0" * 64}}}, "fact-run"),
        ({"facts": {"flight": {"sha256": "x", "rows": 1}}}, "fact-run"),
        ({"facts": {"flight": {"sha256": "0" * 64, "rows": 1}}}, "fact-run-mismatch"),
        ({"facts": {"flight": {"sha256": hashlib.sha256(LINE.encode()).hexdigest(), "rows": 2}}}, "fact-run-mismatch"),
    ],
)
def test_a_run_that_is_not_what_it_recorded_is_refused(changes: dict[str, object], code: str) -> None:
    run_folder(**changes)
    assert codes(refused("out")) == [code]


def test_a_run_without_facts_is_incomplete() -> None:
    run_folder()
    Path("out/facts").rename("elsewhere")
    assert codes(refused("out")) == ["fact-run-incomplete"]


def test_a_file_beside_the_recorded_ones_is_refused_and_so_is_a_missing_one() -> None:
    run_folder()
    write(Path("out/facts/thing.jsonl"), "")
    assert codes(refused("out")) == ["fact-run-mismatch"]
    Path("out/facts/thing.jsonl").rename("out/facts/flight.csv")
    Path("out/facts/flight.jsonl").unlink()
    assert codes(refused("out")) == ["fact-run-mismatch"] * 2


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1, "format": 1}', "{} {}"])
def test_a_record_that_is_no_object_is_refused(text: str) -> None:
    run_folder()
    write(Path("out/run.json"), text)
    assert codes(refused("out")) == ["fact-run"]


def test_a_run_names_its_relations_itself() -> None:
    run_folder()
    assert codes(refused("flight=out")) == ["fact-relation-name"]
