"""The page in a browser: accessible, at every width and in every scheme, in print, and deaf to hostile text."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from engine.pipeline import judge
from engine.render import FORMATS
from engine.verdict import Run

from . import report_run
from .browser import Browser
from .conftest import ROOT
from .test_outputs_hostile import NASTY, poisoned

ARTEFACTS = ROOT / "tests" / "artefacts"
DARK = {"prefers-color-scheme": "dark"}
LIGHT = {"prefers-color-scheme": "light"}
PAPER = {"light": "rgb(253, 252, 248)", "dark": "rgb(24, 23, 21)"}
A4_TEXT_WIDTH = 658
"""The width of the text on A4 with the page's margins, 174 mm, in CSS pixels."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as one:
        yield one


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    before, folder = Path.cwd(), tmp_path_factory.mktemp("sample")
    report_run.write(folder)
    os.chdir(folder)
    try:
        yield report_run.sample()
    finally:
        os.chdir(before)


@pytest.fixture
def page(run: Run, tmp_path: Path) -> Path:
    path = tmp_path / "verdict.html"
    path.write_text(FORMATS["html"](run), encoding="utf-8")
    return path


def overflow(browser: Browser) -> list[str]:
    """What stands out of the page on the right, unless it lies in a part that scrolls of its own."""
    found: list[str] = browser.run(
        """[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 0.5
             && !e.closest('.scroll, .vh, svg')).map(e => e.outerHTML.slice(0, 80))"""
    )
    return (
        found
        if found
        else ["the page scrolls"] * bool(browser.run("document.documentElement.scrollWidth > innerWidth"))
    )


# -- accessibility ---------------------------------------------------------------------------------------------


def axe(browser: Browser) -> dict[str, Any]:
    """What axe-core says of the open page: its violations, and how many of its rules passed."""
    browser.run((files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8") + "; 0")
    found = browser.run("axe.run(document).then(r => JSON.stringify({bad: r.violations, good: r.passes.length}))")
    result: dict[str, Any] = json.loads(found)
    return result


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_no_violation(browser: Browser, page: Path, scheme: dict[str, str], width: int) -> None:
    browser.open(page, width=width, media=scheme)
    found = axe(browser)
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in found["bad"]] == []
    assert found["good"] > 20


def test_axe_would_find_a_violation(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("document.querySelector('.kick').style.color = '#ccc'; document.documentElement.lang = ''")
    assert {v["id"] for v in axe(browser)["bad"]} >= {"color-contrast", "html-has-lang"}


# -- width, scheme, print --------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [320, 360, 640, 960, 1280])
def test_nothing_stands_out_of_the_page(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width=width)
    assert overflow(browser) == []


def test_long_words_stand_in_the_page_too(browser: Browser, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "long.html"
    path.write_text(FORMATS["html"](poisoned(run, "x" * 400)), encoding="utf-8")
    browser.open(path, width=360)
    assert overflow(browser) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_style_is_the_one_that_the_policy_of_the_page_allows(browser: Browser, page: Path, scheme: str) -> None:
    browser.open(page, media={"prefers-color-scheme": scheme})
    assert browser.run("getComputedStyle(document.body).backgroundColor") == PAPER[scheme]
    assert browser.complaints == []


def test_every_verdict_has_a_shape_and_a_word_besides_its_colour(browser: Browser, page: Path) -> None:
    """So it is told apart in grey, and where a reader's own colours are forced on the page."""
    browser.open(page, media={"forced-colors": "active"})
    shapes = browser.run(
        """[...document.querySelectorAll('.tally li')].map(
             e => [e.querySelector('use').getAttribute('href'), e.querySelector('.v').textContent])"""
    )
    assert len({shape for shape, _ in shapes}) == len({word for _, word in shapes}) == len(shapes) == 6
    assert browser.run("matchMedia('(forced-colors: active)').matches")
    for selector, style in ((".blind", "dotted"), (".fix:not(.open)", "solid"), (".fix.open", "double")):
        assert browser.run(f"getComputedStyle(document.querySelector('{selector}')).borderLeftStyle") == style
    assert browser.run("getComputedStyle(document.querySelector('.origin.guess')).borderTopStyle") == "dotted"
    assert browser.run("getComputedStyle(document.querySelector('h3 .th')).borderBottomStyle") == "solid"


def test_the_page_prints(browser: Browser, page: Path) -> None:
    browser.open(page, width=A4_TEXT_WIDTH)
    browser.call(
        "Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}]
    )
    assert overflow(browser) == []
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("getComputedStyle(document.querySelector('.toc')).display") == "none"
    browser.screenshot(ARTEFACTS / "verdict-print.png")
    printed = browser.pdf()
    assert printed.startswith(b"%PDF")
    (ARTEFACTS / "verdict.pdf").write_bytes(printed)


@pytest.mark.parametrize(
    ("name", "width", "media"), [("desktop", 1280, LIGHT), ("phone", 360, LIGHT), ("dark", 1280, DARK)]
)
def test_a_picture_of_the_page_is_left_for_a_person(
    browser: Browser, page: Path, name: str, width: int, media: dict[str, str]
) -> None:
    browser.open(page, width=width, media=media)
    browser.screenshot(ARTEFACTS / f"verdict-{name}.png")
    assert (ARTEFACTS / f"verdict-{name}.png").stat().st_size > 50_000


# -- hostile text ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", NASTY)
def test_hostile_text_runs_nothing_and_asks_for_nothing(browser: Browser, run: Run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(FORMATS["html"](poisoned(run, text)), encoding="utf-8")
    browser.open(path)
    assert browser.requests == [path.as_uri()]
    assert browser.complaints == []
    assert browser.run("document.querySelectorAll('script, img, iframe, object, embed, form, link, base').length") == 0
    assert browser.run("document.querySelectorAll('body style, body svg[onload]').length") == 0


def test_a_script_that_got_into_the_page_would_not_run_nor_a_picture_load(browser: Browser, page: Path) -> None:
    """The second wall: were the first to fall, the page's own policy refuses all of it."""
    hostile = (
        "<script>window.ran = 1</script><img src='x.png' onerror='window.ran = 1'><p style='color: red'>x</p>"
        "<iframe src='y.html'></iframe><link rel='stylesheet' href='z.css'>"
    )
    page.write_text(page.read_text(encoding="utf-8").replace("<main>", f"<main>{hostile}"), encoding="utf-8")
    browser.open(page)
    assert browser.run("window.ran === undefined")
    assert browser.run("getComputedStyle(document.querySelector('main p')).color") == "rgb(30, 28, 25)"
    refused = [line for line in browser.complaints if "Content Security Policy" in line]
    assert len(refused) >= 4


def test_the_page_of_the_shipped_sample_is_sound_too(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "sample.html"
    facts = ROOT / "facts" / "permits" / "flights.json"
    made = judge(report_run.Request((str(facts),), ROOT / "policies", use_cache=False))
    path.write_text(FORMATS["html"](made), encoding="utf-8")
    browser.open(path, width=360)
    assert axe(browser)["bad"] == []
    assert overflow(browser) == []
