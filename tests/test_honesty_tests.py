"""The shipped promises: each catches what it plants, finds no fault in this project, and finds each kind of lie."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest

from engine.attest import Pinned
from engine.home import SHIPPED_HONESTY_TESTS
from engine.honesty import (
    TABLES,
    Desk,
    HonestyTest,
    Inquiry,
    Offender,
    Tables,
    desk_of,
    joined,
    judged_rows,
    offenders,
    page_rows,
    promises,
)
from engine.load import load_packs
from engine.pipeline import Request, judge
from engine.references import Lookup, Shelf, open_references
from engine.render import FORMATS
from engine.sensors.artifact import claim_words, sense

from .conftest import ROOT, SHARED, need
from .honest_samples import CLAIM_WORDS, PINNED, WORDS

TESTS = {test.name: test for test in promises(SHIPPED_HONESTY_TESTS)}


@pytest.mark.parametrize("name", sorted(TESTS))
def test_each_promise_catches_its_planted_offenders_and_nothing_where_nothing_is(name: str) -> None:
    test = TESTS[name]
    found = offenders([test], test.planted)
    assert len(found) >= max(len(rows) for rows in test.planted.rows.values())
    assert {one.test for one in found} == {name}
    assert offenders([test], Tables()) == []


def test_all_promises_of_the_design_are_there() -> None:
    assert set(TESTS) >= {
        *(
            "official_value_equals_its_cell",
            "official_claim_is_looked_up",
            "verdict_has_witness",
            "threshold_has_origin",
        ),
        *("law_has_source_and_check_date", "silence_is_not_evidence", "run_is_recorded", "quote_is_verbatim"),
        *("undecided_is_not_shown_as_no", "proposal_is_marked_as_proposal", "citation_names_a_current_edition"),
    }


# -- this project ------------------------------------------------------------------------------------------------


def test_nothing_that_this_project_judges_declares_and_shows_breaks_a_promise() -> None:
    packs = load_packs(ROOT / "policies").packs
    words = claim_words([r for p in packs.values() for r in p.references.values()], packs.values())
    desk = desk_of(packs.values(), Shelf())
    run = judge(Request((str(ROOT / "facts/permits/flights.json"),), ROOT / "policies", use_cache=False, receipt=True))
    parts = [judged_rows(run, packs.values(), desk)]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "policies").rglob("*.md"))]
    for path in pages:
        sensed = sense(path.relative_to(ROOT).as_posix(), path.read_bytes(), words)
        assert sensed.unreadable is None
        parts.append(page_rows(sensed, desk))
    forms = {"text": "a.txt", "json": "b.json", "html": "c.html", "sarif": "d.json", "junit": "e.txt"}
    for form, name in forms.items():
        parts.append(page_rows(sense(name, FORMATS[form](run).encode(), words), desk))
    found = offenders([test for name, test in TESTS.items() if name != "reference_is_pinned_and_read"], joined(parts))
    # Where the reference files are not installed, a value that is shown as official is withheld for just that reason.
    missing = [one for one in found if dict(one.row).get("answer") == "reference_missing"]
    assert [one for one in found if one not in missing] == []
    assert len(parts[0].rows["verdict"]) >= 4
    assert len(parts[0].rows["threshold"]) >= 4


def test_the_real_values_of_the_pages_are_those_of_the_real_file_and_any_other_level_is_caught() -> None:
    """With the reference files beside the checkout: every official value of the pages, and each of its lies."""
    folder = need(SHARED / "reference" / "cefr")
    packs = load_packs(ROOT / "policies").packs
    references = [r for p in packs.values() for r in p.references.values()]
    desk, words = (
        desk_of(packs.values(), open_references(references, [folder])),
        claim_words(references, packs.values()),
    )
    seen = 0
    with Inquiry() as inquiry:
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            text = path.read_text("utf-8")
            rows = page_rows(sense(path.name, text.encode(), words), desk)
            assert inquiry.offenders(list(TESTS.values()), rows) == []
            lines = text.split("\n")
            for row in rows.rows["shown_value"]:
                shown = dict(zip(TABLES["shown_value"], row, strict=True))
                if shown["marked"] != "official":
                    continue
                seen += 1
                number, other = int(str(shown["line"])) - 1, "C2" if shown["value"] == "C1" else "C1"
                spot = next(n for n in range(number, number + 3) if str(shown["value"]) in lines[n])
                lie = [*lines[:spot], lines[spot].replace(str(shown["value"]), other), *lines[spot + 1 :]]
                found = inquiry.offenders(
                    list(TESTS.values()), page_rows(sense(path.name, "\n".join(lie).encode(), words), desk)
                )
                assert [one for one in found if one.where == f"{path.name}:{shown['line']}"], lie[spot]
    assert seen >= 4


def test_a_reference_that_is_not_there_breaks_its_promise() -> None:
    desk = Desk({"made_up_words": Pinned(WORDS, None, "reference-changed")})
    (found,) = offenders(list(TESTS.values()), judged_rows(None, [], desk))
    assert found.test == "reference_is_pinned_and_read"
    assert dict(found.row)["state"] == "reference_changed"


# -- lies --------------------------------------------------------------------------------------------------------

DESK = Desk(PINNED)

MARKDOWN = """# Official levels

The verb *gladdle* is [B1](fiel:made_up_words@1.0?headword=gladdle&pos=verb#level:2 "official"), which means
["to walk gladly"](fiel:made_up_words?headword=gladdle&pos=verb#definition "quote"). A model proposes
[B2](fiel:?sensor=reader&run=r1 "proposed") for *gladdling*. See Made-up Word Profile, edition 1.0.

```
gladdle, verb: B1 (made_up_words 1.0, line 2)
```
"""
HTML = """<h1>Official levels</h1>
<p>gladdle, verb: <data class="official" data-reference="made_up_words" data-edition="1.0"
 data-key='{"headword":"gladdle","pos":"verb"}' data-column="level" data-line="2" value="B1">B1</data>,
 <q class="quote" data-reference="made_up_words" data-key='{"headword":"gladdle","pos":"verb"}' data-column="definition"
 >to walk gladly</q>; a model proposes
 <data class="proposed" data-sensor="reader" data-run="r1" value="B2">B2</data> for gladdling.</p>
"""
JSON = """{"title":"levels","entry":{"value":"B1","provenance":"official","reference":"made_up_words","edition":"1.0",
"key":{"headword":"gladdle","pos":"verb"},"column":"level","line":2},
"other":{"value":"B2","provenance":"proposed","sensor":"reader","run":"r1"}}
"""
TEXT = """Official levels

gladdle, verb: B1 (made_up_words 1.0, line 2)

gladdling: B2 (proposed by reader, run r1)
"""
PAGES = {"page.md": MARKDOWN, "page.html": HTML, "page.json": JSON, "page.txt": TEXT}


def _ask(name: str, text: str, tests: list[HonestyTest] | None = None) -> list[Offender]:
    sensed = sense(name, text.encode(), CLAIM_WORDS)
    return offenders(tests or list(TESTS.values()), page_rows(sensed, DESK))


@pytest.mark.parametrize("name", PAGES)
def test_an_honest_page_breaks_no_promise(name: str) -> None:
    assert _ask(name, PAGES[name]) == []


EQUAL, LOOKED_UP, CITES = (
    "official_value_equals_its_cell",
    "official_claim_is_looked_up",
    "citation_names_a_current_edition",
)
B1_MARK = r"\[B1\]\(fiel:[^)]*\)"
LIES: list[tuple[str, str, str, str, str]] = [
    # kind, page, what is changed (a pattern), into what, the promise that it breaks
    ("level flipped by one", "page.md", r"\[B1\]", "[B2]", EQUAL),
    ("level flipped by one", "page.md", r": B1 \(", ": A2 (", EQUAL),
    ("level flipped by one", "page.html", r'value="B1">B1', 'value="B2">B2', EQUAL),
    ("level flipped where it is shown", "page.html", r'value="B1">B1', 'value="B1">B2', LOOKED_UP),
    ("level flipped where it is not", "page.html", r'value="B1">B1', 'value="B2">B1', LOOKED_UP),
    ("level flipped by one", "page.json", r'"value":"B1"', '"value":"B2"', EQUAL),
    ("level flipped by one", "page.txt", r"B1 \(", "A2 (", EQUAL),
    ("part of speech swapped", "page.md", r"pos=verb#level", "pos=noun#level", EQUAL),
    ("part of speech swapped", "page.html", r'"pos":"verb"', '"pos":"noun"', EQUAL),
    ("part of speech swapped", "page.json", r'"pos":"verb"', '"pos":"noun"', EQUAL),
    ("part of speech swapped", "page.txt", r"gladdle, verb", "gladdle, noun", EQUAL),
    (
        "relabelled",
        "page.md",
        r'\[B2\]\(fiel:[^ ]* "proposed"\)',
        '[B2](fiel:made_up_words?headword=gladdle&pos=verb#level "official")',
        EQUAL,
    ),
    ("relabelled", "page.md", r'"proposed"', '"official"', LOOKED_UP),
    ("relabelled", "page.html", r'class="proposed"', 'class="official"', LOOKED_UP),
    ("relabelled", "page.json", r'"proposed"', '"official"', LOOKED_UP),
    ("relabelled", "page.txt", r"proposed by reader, run r1", "made_up_words 1.0, line 2", EQUAL),
    (
        "relabelled as the cell of another word",
        "page.txt",
        r"proposed by reader, run r1",
        "made_up_words 1.0, line 3",
        EQUAL,
    ),
    ("stale edition", "page.md", r"@1\.0", "@0.8", EQUAL),
    ("stale edition", "page.html", r'edition="1\.0"', 'edition="0.8"', EQUAL),
    ("stale edition", "page.json", r'"1\.0"', '"0.8"', EQUAL),
    ("stale edition", "page.txt", r"words 1\.0", "words 0.8", EQUAL),
    ("repealed edition is cited", "page.md", r"edition 1\.0", "edition 0.9", CITES),
    ("repealed edition is cited by a mark", "page.md", r"@1\.0", "@0.9", CITES),
    ("wrong line", "page.md", r"#level:2", "#level:3", EQUAL),
    ("wrong line", "page.md", r"line 2", "line 3", EQUAL),
    ("wrong line", "page.html", r'line="2"', 'line="3"', EQUAL),
    ("wrong line", "page.json", r'"line":2', '"line":3', EQUAL),
    ("wrong line", "page.txt", r"line 2", "line 3", EQUAL),
    ("line beyond the file", "page.txt", r"line 2", "line 99", EQUAL),
    ("quote altered", "page.md", r"walk gladly", "walk sadly", "quote_is_verbatim"),
    ("quote altered by one character", "page.md", r"to walk gladly", "to wa1k gladly", "quote_is_verbatim"),
    ("quote altered by one character", "page.html", r"to walk gladly", "to walk gladly.", "quote_is_verbatim"),
    ("quote in another case", "page.html", r"to walk gladly", "To walk gladly", "quote_is_verbatim"),
    (
        "key nulled",
        "page.html",
        r'"pos":"verb"\}\' data-column="level"',
        '"pos":null}\' data-column="level"',
        LOOKED_UP,
    ),
    ("key nulled", "page.json", r'"pos":"verb"', '"pos":null', LOOKED_UP),
    ("key emptied", "page.md", r"pos=verb#level", "pos=#level", LOOKED_UP),
    ("key dropped", "page.md", r"&pos=verb#level", "#level", LOOKED_UP),
    ("key dropped", "page.json", r',"pos":"verb"', "", LOOKED_UP),
    ("look-alike in the value", "page.md", r"\[B1\]", "[В1]", EQUAL),
    ("look-alike in the value", "page.html", r'value="B1">B1', 'value="В1">В1', EQUAL),
    ("look-alike in the value", "page.txt", r"B1 \(", "В1 (", EQUAL),
    (
        "look-alike in the key",
        "page.md",
        r"headword=gladdle&pos=verb#level",
        "headword=gl%D0%B0ddle&pos=verb#level",
        EQUAL,
    ),
    ("look-alike in the key", "page.json", r"gladdle", "glаddle", EQUAL),
    (
        "case of the key",
        "page.html",
        r'"gladdle","pos":"verb"\}\' data-column="level"',
        '"Gladdle","pos":"verb"}\' data-column="level"',
        EQUAL,
    ),
    ("case of the key", "page.md", r"headword=gladdle&pos=verb#level", "headword=GLADDLE&pos=verb#level", EQUAL),
    ("slash in the key", "page.json", r"gladdle", "gladdle/gladle", EQUAL),
    ("hard space after the value", "page.md", r"\[B1\]", "[B1\u00a0]", EQUAL),
    ("case of the value", "page.md", r"\[B1\]", "[b1]", EQUAL),
    ("markup removed", "page.md", B1_MARK, "B1", LOOKED_UP),
    ("markup removed", "page.md", r" \(made_up_words 1\.0, line 2\)", " by made_up_words", LOOKED_UP),
    ("markup removed", "page.html", r"<data class=\"official\"[^>]*>B1</data>", "B1", LOOKED_UP),
    ("markup removed", "page.html", r"<data class=\"proposed\"[^>]*>B2</data>", "B2", LOOKED_UP),
    ("markup removed", "page.txt", r" \(made_up_words 1\.0, line 2\)", ", official", LOOKED_UP),
    ("markup removed, look-alike left", "page.md", B1_MARK, "В1", LOOKED_UP),
    ("proposal without origin", "page.md", r"sensor=reader&run=r1", "", "proposal_is_marked_as_proposal"),
    ("proposal without run", "page.html", r' data-run="r1"', "", "proposal_is_marked_as_proposal"),
    (
        "proposal with a reference",
        "page.json",
        r'"sensor"',
        '"reference":"made_up_words","sensor"',
        "proposal_is_marked_as_proposal",
    ),
    ("ambiguous key", "page.md", r"headword=gladdle&pos=verb#level:2", "headword=twice&pos=noun#level", EQUAL),
    ("not in the reference", "page.md", r"headword=gladdle&pos=verb#level:2", "headword=zzz&pos=noun#level", EQUAL),
    ("bytes that are no text", "page.md", r"Official levels", "\\udcff", "page_is_readable"),
]


@pytest.mark.parametrize("lie", LIES, ids=[f"{lie[0]}: {lie[1]}, {n}" for n, lie in enumerate(LIES)])
def test_a_lie_breaks_the_promise_that_is_about_it(lie: tuple[str, str, str, str, str]) -> None:
    _, name, pattern, replacement, promise = lie
    text, changed = re.subn(pattern, lambda _: replacement, PAGES[name], count=1)
    assert changed == 1
    if replacement == "\\udcff":
        sensed = sense(name, text.encode().replace(b"\\udcff", b"\xff"), CLAIM_WORDS)
        found = offenders(list(TESTS.values()), page_rows(sensed, DESK))
    else:
        found = _ask(name, text)
    assert promise in {one.test for one in found}
    assert all(one.where and one.where.startswith(name) for one in found)


def test_an_edited_reference_changes_what_is_found() -> None:
    """The same honest pages over a reference whose shown cell was changed."""
    lookup = PINNED["made_up_words"].lookup
    assert isinstance(lookup, Lookup)
    table = replace(lookup.table, columns={**lookup.table.columns, "level": (4, *lookup.table.columns["level"][1:])})
    desk = Desk({"made_up_words": Pinned(WORDS, Lookup(table))})
    for name, text in PAGES.items():
        sensed = sense(name, text.encode(), CLAIM_WORDS)
        assert EQUAL in {one.test for one in offenders(list(TESTS.values()), page_rows(sensed, desk))}


def test_an_offender_names_file_line_and_both_values() -> None:
    (found,) = _ask("page.md", MARKDOWN.replace("[B1]", "[B2]"))
    row = dict(found.row)
    assert found.where == "page.md:3"
    assert (row["value"], row["cell"], row["cell_line"], row["reference"]) == ("B2", "B1", 2, "made_up_words")


def test_asking_again_is_quick_and_gives_the_same() -> None:
    tests, good = list(TESTS.values()), page_rows(sense("page.md", MARKDOWN.encode(), CLAIM_WORDS), DESK)
    bad = page_rows(sense("page.md", MARKDOWN.replace("[B1]", "[B2]").encode(), CLAIM_WORDS), DESK)
    with Inquiry() as inquiry:
        first = inquiry.offenders(tests, bad)
        started = time.perf_counter()
        for _ in range(20):
            assert inquiry.offenders(tests, good) == []
            assert inquiry.offenders(tests, bad) == first
        assert (time.perf_counter() - started) / 40 < 0.2
    assert len(first) == 1


def test_the_database_of_the_tests_reaches_nothing_outside_of_itself() -> None:
    with Inquiry() as inquiry:
        inquiry.explain("select * from verdict")
        for query in ("select * from read_text('/etc/hostname')", "select * from '/etc/hostname.csv'"):
            with pytest.raises(Exception, match=r"(?i)permission|disabled|does not exist"):
                inquiry.explain(query)
