"""Hostile text, wherever a run can hold text, breaks no format: it is found again, as text, and does nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import DatedValue, Parameter, Source
from engine.render import FORMATS
from engine.render.problems import visible
from engine.verdict import PolicyVerdict, Run, Spot, Witness

from . import report_run
from .conftest import ROOT, SHARED, need

NASTY = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "' onmouseover='alert(1)",
    "]]><x/>",
    "&lt;b&gt; &amp; &#0;",
    "-->",
    "{{ 7 * 7 }}{% raw %}",
    "\x00\x01\x08\x0b\x1b[31m\x7f\x85\x9f",
    "\u202eabc\u2066\u200f\u061c",
    "\u2028\u2029\ufeff\ufffe\uffff",
    "::error::x",
    "a\n::error file=x::y",
    "a\r::set-output name=x::y\r\n::stop-commands::z",
    "##[error]x",
    "%0A::error::x",
    "a:b,c=d",
    "[link](https://example.org) {0} \\[",
    "\U0001f388\U0010ffff e\u0301",
    "`code` 28 days",
    "\ud7ff\ue000 ",
)
VERDICT = jsonschema.Draft202012Validator(
    json.loads((ROOT / "engine" / "schemas" / "verdict.schema.json").read_text(encoding="utf-8"))
)
TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(min_size=1, max_size=30),
    st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=6)), min_size=1, max_size=3).map("".join),
).filter(bool)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    before, folder = Path.cwd(), tmp_path_factory.mktemp("sample")
    report_run.write(folder)
    os.chdir(folder)
    try:
        yield report_run.sample()
    finally:
        os.chdir(before)


def poisoned(run: Run, text: str) -> Run:
    """The run with a text in every place that holds one: facts, policies, numbers, waivers, names of files, records.

    Names of columns and the like are left as they are: loading refuses all but small letters, digits and `_`.
    """
    return replace(
        run,
        policies=tuple(_policy(p, text) for p in run.policies),
        blind_spots={kind: dict.fromkeys(spots, text) for kind, spots in run.blind_spots.items()},
        not_checked=(text,),
        citations=(text,),
        chosen="packs: library",
        waivers=tuple(
            replace(
                use,
                waiver=replace(use.waiver, because=text, owner=text),
                rows=dict.fromkeys(use.rows, text),
            )
            for use in run.waivers
        ),
        receipt={text: {text: text, "facts": [text]}, "file": text},
    )


def _policy(found: PolicyVerdict, text: str) -> PolicyVerdict:
    policy = replace(
        found.checked.policy, title=text, cannot_see=text, source=Source(text, text, text, text), file=text, places={}
    )
    parameters = {n: _parameter(p, text) for n, p in found.checked.parameters.items()}
    checked = replace(found.checked, policy=policy, parameters=parameters)
    witnesses = tuple(_witness(w, text) for w in found.witnesses)
    return replace(found, checked=checked, witnesses=witnesses, notes=(text,))


def _parameter(parameter: Parameter, text: str) -> Parameter:
    values = tuple(replace(v, source=text) if isinstance(v, DatedValue) else v for v in parameter.values)
    return replace(parameter, because=text, source=text, measured_by=text, values=values)


def _witness(witness: Witness, text: str) -> Witness:
    poison = {n: text if isinstance(v, str) else v for n, v in witness.key.items()}
    wish = text if witness.passes_if else None
    return replace(witness, key=poison, passes_if=wish, distance=wish, spot=Spot(text, 1, 1))


def each_text(document: Any) -> Iterator[str]:
    """Every text in a JSON document, names of entries too."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for name, value in document.items():
            yield name
            yield from each_text(value)
    elif isinstance(document, list):
        for value in document:
            yield from each_text(value)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_the_json_verdict_holds_the_text_as_it_is(run: Run, text: str) -> None:
    made = FORMATS["json"](poisoned(run, text))
    document = json.loads(made)
    VERDICT.validate(document)
    assert document["policies"][0]["witnesses"][0]["key"]["loan"] == text
    assert made.count("\n") == 1


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_the_text_has_no_line_more_and_nothing_that_acts_on_a_terminal(run: Run, text: str) -> None:
    made, plain = FORMATS["text"](poisoned(run, text)), FORMATS["text"](poisoned(run, "x"))
    assert len(made.split("\n")) == len(plain.split("\n"))
    assert all(c.isprintable() or c == "\n" for c in made)
    assert visible(text) in made


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_junit_is_read_back(run: Run, text: str) -> None:
    root = ElementTree.fromstring(FORMATS["junit"](poisoned(run, text)).encode("utf-8"))
    assert {element.tag for element in root.iter()} <= {
        *("testsuites", "testsuite", "properties", "property", "testcase"),
        *("failure", "error", "skipped", "system-out", "system-err"),
    }
    details = next(root.iter("failure"))
    assert visible(text) in (details.text or "")
    assert visible(text) in details.get("message", "")


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_sarif_is_valid_and_nothing_in_it_is_a_link_or_a_placeholder(run: Run, text: str) -> None:
    log = json.loads(FORMATS["sarif"](poisoned(run, text)))
    result = log["runs"][0]["results"][0]
    said = result["message"]["text"]
    assert re.sub(r"\\\\|\\\[|\\\]", "", said).strip("[]\\") == re.sub(r"\\\\|\\\[|\\\]", "", said)
    assert not re.search(r"(?<!\\)(?:\\\\)*\[", said)
    assert not re.search(r"(?<!\{)(?:\{\{)*\{(?!\{)", said)
    read = re.sub(r"\\(.)", r"\1", said.replace("{{", "{").replace("}}", "}"))
    assert visible(text) in read
    for place in (e["physicalLocation"]["artifactLocation"]["uri"] for e in result["locations"]):
        assert re.fullmatch(r"(?:file://)?(?:[A-Za-z0-9\-._~!$&'()*+,;=@/]|%[0-9A-F]{2})*", place), place


@settings(max_examples=15, deadline=None)
@given(TEXTS)
def test_sarif_validates_whatever_it_holds(run: Run, text: str) -> None:
    schema = json.loads(need(SHARED / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert list(jsonschema.Draft4Validator(schema).iter_errors(json.loads(FORMATS["sarif"](poisoned(run, text))))) == []


_COMMAND = re.compile(
    r"::(?:error|warning|notice) (?:file=[^:,\r\n]*,)?(?:line=[0-9]+,)?(?:col=[0-9]+,)?title=[^:,\r\n]*::[^\r\n]*"
)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_each_line_for_github_is_a_command_that_was_meant(run: Run, text: str) -> None:
    made, plain = FORMATS["github"](poisoned(run, text)), FORMATS["github"](poisoned(run, "x"))
    lines = made.removesuffix("\n").split("\n")
    assert len(lines) == len(plain.removesuffix("\n").split("\n"))
    assert re.split(r"\r|\n|\x0b|\x0c|\x85|\u2028|\u2029", made.removesuffix("\n")) == lines
    assert all(_COMMAND.fullmatch(line) for line in lines[:-1])
    assert lines[-1] == plain.removesuffix("\n").split("\n")[-1]
    assert "##[" not in lines[-1]
    data = lines[0].split("::", 2)[2]
    assert visible(text) in data.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_the_page_shows_the_text_and_has_no_element_or_attribute_of_its_own(run: Run, text: str) -> None:
    page = lxml.html.fromstring(FORMATS["html"](poisoned(run, text)))
    plain = lxml.html.fromstring(FORMATS["html"](poisoned(run, "`x` x")))
    assert {e.tag for e in page.iter()} <= {e.tag for e in plain.iter()}
    names = {name for e in page.iter() for name in e.attrib}
    assert names <= {name for e in plain.iter() for name in e.attrib}
    assert not {n for n in names if n.startswith("on") or n in ("style", "src", "srcdoc", "action")}
    assert all(e.get("href", "#").startswith("#") for e in page.iter())
    assert len(page.findall(".//style")) == 1
    assert all(visible(text) in e.text_content() for e in page.iter("h3"))
    assert visible(text) in page.find(".//tbody//bdi").text_content()


@pytest.mark.parametrize("text", NASTY)
def test_hostile_facts_go_all_the_way(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a file of facts and the engine, not only through what the engine gives."""
    rows = [{**report_run.ROWS[1], "loan": text, "reader": text}, report_run.ROWS[0]]
    report_run.write(tmp_path, rows)
    monkeypatch.chdir(tmp_path)
    from engine.pipeline import judge

    run = judge(report_run.request())
    assert any(w.key.get("loan") == text for p in run.policies for w in p.witnesses)
    for name, render in FORMATS.items():
        made = render(run)
        assert made == render(run)
        if name not in ("json", "sarif"):
            assert all(c.isprintable() or c == "\n" for c in made), name
