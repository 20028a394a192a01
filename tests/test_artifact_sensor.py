"""The artifact sensor: what looks like an official claim is a row, and what makes none is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sensors.artifact import Sensed, ShownValue, sense

from .honest_samples import CLAIM_WORDS

OFFICIAL = '[B1](fiel:made_up_words?headword=gladdle&pos=verb#level "official")'
KEY = '{"headword":"gladdle","pos":"verb"}'
DATA = f'<data class="official" data-reference="made_up_words" data-key=\'{KEY}\' data-column="level" value="B1">'
JSON = f'{{"value":"B1","provenance":"official","reference":"made_up_words","key":{KEY},"column":"level"}}'


def _sense(name: str, text: str) -> Sensed:
    sensed = sense(name, text.encode(), CLAIM_WORDS)
    assert sensed.unreadable is None
    return sensed


def _claims(name: str, text: str) -> list[tuple[int, str]]:
    return [(row.line, row.value) for row in _sense(name, text).shown if row.marked == "unmarked"]


def _flaws(name: str, text: str) -> list[str]:
    return [row.flaw for row in _sense(name, text).shown if row.flaw is not None]


def test_the_forms_of_a_mark_are_read_as_documented() -> None:
    (html,) = _sense("a.html", f"<p>x</p>\n{DATA}B1</data>").shown
    (markdown,) = _sense("a.md", f"# T\n\nx\n{OFFICIAL}").shown
    json = (
        f'{{"a":[\n{{"value":"B1","provenance":"official","reference":"made_up_words","key":{KEY},"column":"level"}}]}}'
    )
    (document,) = _sense("a.json", json).shown
    (text,) = _sense("a.txt", "\n\ngladdle, verb: B1 (made_up_words 1.0, line 2)").shown
    for row, line, form in ((html, 2, "html"), (markdown, 4, "markdown"), (document, 2, "json"), (text, 3, "text")):
        assert (row.line, row.form, row.marked, row.value, row.reference) == (
            line,
            form,
            "official",
            "B1",
            "made_up_words",
        )
        assert row.flaw is None
        assert row.excerpt
        if row is not text:
            assert (dict(row.key), row.column) == ({"headword": "gladdle", "pos": "verb"}, "level")
    assert (text.edition, text.stated_line) == ("1.0", 2)


UNMARKED = {
    "plain": ("a.md", "The official level is B1.", 1),
    "wrapped": ("a.md", "The official\nlevel is\nB1.", 3),
    "emphasis inside": ("a.md", "official: B**1**", 1),
    "entity": ("a.md", "official: &#66;1", 1),
    "code span": ("a.md", "official: `B1`", 1),
    "case": ("a.md", "OFFICIAL b1", 1),
    "cyrillic": ("a.md", "official В1", 1),
    "cyrillic official": ("a.md", "оfficial B1", 1),
    "full width": ("a.md", "official Ｂ１", 1),
    "bold letters": ("a.md", "official 𝐁𝟏", 1),
    "zero width": ("a.md", "offi\u200bcial B\u200b1", 1),
    "soft hyphen": ("a.md", "official B\u00ad1", 1),
    "circled": ("a.md", "official Ⓑ①", 1),
    "combining": ("a.md", "official B\u03351", 1),
    "spanish": ("a.md", "El nivel oficial es B1", 1),
    "plural": ("a.md", "oficiales: B1, y más", 1),
    "name": ("a.md", "made_up_words says B1", 1),
    "name in words": ("a.md", "Made up words says B1", 1),
    "title": ("a.md", "By the Made-up Word Profile it is B1", 1),
    "heading": ("a.md", "## Official levels\n\ngladdle is B1", 3),
    "heading claims": ("a.md", "## B1\n\nthe official words", 1),
    "item": ("a.md", "- x\n- official: B1\n", 2),
    "item of paragraphs": ("a.md", "- official:\n\n  B1\n", 3),
    "cell and row": ("a.md", "| a | b |\n|--|--|\n| official | B1 |", 3),
    "cell and column": ("a.md", "| word | official |\n|--|--|\n| gladdle | B1 |", 3),
    "fence": ("a.md", "```\nx\nofficial B1\n```", 3),
    "indented code": ("a.md", "x\n\n    official B1\n", 3),
    "fence under heading": ("a.md", "# Official\n\n```\ngladdle B1\n```", 4),
    "picture": ("a.md", "![official B1](x.png)", 1),
    "title of a link": ("a.md", '[B1](https://example.org "official")', 1),
    "html in markdown": ("a.md", "<p>official\nB<b>1</b></p>", 2),
    "html inline in markdown": ("a.md", "official <b>B</b>1", 1),
    "days": ("a.md", "The official deadline is 10 working days", 1),
    "days in words": ("a.md", "official: ten days", 1),
    "plazo": ("a.md", "plazo oficial de diez días hábiles", 1),
    "años": ("a.md", "oficial: 3 años", 1),
    "split by tags": ("a.html", "<p>official B<b>1</b></p>", 1),
    "split by a comment": ("a.html", "<p>official B<!-- x -->1</p>", 1),
    "hidden": ("a.html", '<p>official <span style="display:none">B1</span></p>', 1),
    "title attribute": ("a.html", '<p title="official">B1</p>', 1),
    "alt": ("a.html", '<img alt="official level B1">', 1),
    "aria": ("a.html", '<p aria-label="official">B1</p>', 1),
    "data attribute": ("a.html", '<p data-official="B1">x</p>', 1),
    "class": ("a.html", '<p><i class="level-official">B1</i></p>', 1),
    "row header": ("a.html", "<table><tr><th>Official<td>B1</table>", 1),
    "column header": ("a.html", "<table><tr><th>w<th>Official</tr>\n<tr><td>x<td>B1</table>", 2),
    "caption": ("a.html", "<table><caption>Official</caption><tr><td>B1</table>", 1),
    "row span": ("a.html", "<table><tr><td rowspan=2>official<td>x<tr><td>B1</table>", 1),
    "term": ("a.html", "<dl><dt>Official level<dd>B1</dl>", 1),
    "block in a block": ("a.html", "<div>official <div>B1</div></div>", 1),
    "generated": ("a.html", '<style>\n.x::after{content:"official B1"}</style>', 2),
    "generated by escapes": ("a.html", '<style>.x::after{content:"official \\42 1"}</style>', 1),
    "preformatted": ("a.html", "<pre>x\nofficial B1</pre>", 2),
    "svg": ("a.html", "<svg><text>official B1</text></svg>", 1),
    "members": ("a.json", '{"level":"B1",\n"note":"official"}', 1),
    "name of a member": ("a.json", '{"official_level":"B1"}', 1),
    "above the object": ("a.json", '{"official":{"gladdle":"B1"}}', 1),
    "list": ("a.json", '{"official":["A1",\n"x"]}', 1),
    "lines of json": ("a.jsonl", '{"x":1}\n{"official":"B1"}', 2),
    "space inside": ("a.md", "official B 1", 1),
    "hard space inside": ("a.html", "<p>official B&nbsp;1</p>", 1),
    "break inside": ("a.html", "<p>official B<br>1</p>", 1),
    "hyphen inside": ("a.md", "official B-1", 1),
    "digit in official": ("a.md", "0fficial B1", 1),
    "colon before": ("a.md", "The official level of this word is the following:\n\nB1", 3),
    "colon before a list": ("a.md", "The official level of this word is one of the following:\n\n- x\n- B1", 4),
    "label before": ("a.html", "<div>Official level</div>\n<div>B1</div>", 2),
    "list in a list": ("a.md", "* official\n  * B1", 2),
    "summary": ("a.md", "<details><summary>Official</summary>\n\nB1\n\n</details>", 3),
    "section of characters": ("a.html", "<svg><text><![CDATA[official B1]]></text></svg>", 1),
    "page in a frame": ("a.html", '<iframe srcdoc="official B1"></iframe>', 1),
    "object in an object": ("a.json", '{"level":"B1",\n"status":{"source":"official"}}', 1),
    "list around objects": ("a.json", '["official",\n{"level":"B1"}]', 2),
    "note in a mark": ("a.json", JSON.replace('"level"}', '"level","note":"officially B2"}'), 1),
    "paragraph of text": ("a.txt", "x\n\nofficial\nB1", 4),
}


@pytest.mark.parametrize("name", UNMARKED)
def test_what_looks_official_and_is_not_marked_is_found(name: str) -> None:
    file, text, line = UNMARKED[name]
    assert [found for found, _ in _claims(file, text)] == [line]


@pytest.mark.parametrize("form", ["a.html", "a.md", "a.txt"])
@pytest.mark.parametrize(
    "text",
    [
        "Nothing is called official unless it is a cell.",
        "A level B1 is proposed.",
        "unofficial B1",
        "official AB1, B12, xB1",
        "it takes 10 days",
        "official\n\n\nthen in another paragraph\n\n\nB1",
    ],
)
def test_plain_prose_passes(form: str, text: str) -> None:
    if form == "a.html":
        text = "".join(f"<p>{part}</p>" for part in text.split("\n\n\n"))
    assert _claims(form, text) == []


def test_a_row_is_not_beside_the_next_and_a_column_not_beside_another() -> None:
    assert _claims("a.md", "| w | official |\n|--|--|\n| B1 | x |\n| y | z |") == []
    assert _claims("a.html", "<table><tr><td>official</tr><tr><td>B1</tr></table>") == []
    assert _claims("a.html", "<ul><li>official<li>B1</ul>") == []
    assert _claims("a.md", "```\nofficial\nB1\n```") == []


def test_a_marked_value_needs_no_other_mark_and_covers_no_neighbour() -> None:
    assert _claims("a.md", f"The official level is {OFFICIAL}.") == []
    assert _claims("a.md", f"The official level is {OFFICIAL}, or B2.") == [(1, "B2")]
    assert _claims("a.html", f"<p>official {DATA}B<b>1</b></data></p>") == []
    assert _claims("a.txt", "gladdle verb, official: B1 (made_up_words 1.0, line 2)") == []
    assert _claims("a.md", '[B1](fiel:?sensor=s&run=r "proposed") is not official') == []


def test_what_stands_beside_a_mark_in_text_form_is_its_own_line_row_or_command() -> None:
    def beside(name: str, text: str) -> list[str]:
        return [row.beside for row in _sense(name, text).shown if row.marked == "official"]

    first, second = beside(
        "a.md", "```\ngladdle verb A1 (made_up_words 1.0, line 2)\nmorven A2 (made_up_words 1.0, line 4)\n```"
    )
    assert "gladdle" in first
    assert "morven" not in first
    assert "gladdle" not in second
    one, other = "A1 (made_up_words 1.0, line 2)", "A2 (made_up_words 1.0, line 4)"
    first, second = beside(
        "a.md",
        f"```\n$ look gladdle\nlevel: {one}\n$ look morven\nlevel: {other}\n```",
    )
    assert "gladdle" in first
    assert "gladdle" not in second
    assert "morven" in second
    (told,) = beside("a.html", f"<pre>$ look gladdle\nlevel: {one}</pre>")
    assert "gladdle" in told
    first, second = beside(
        "a.md",
        f"| w | l |\n|--|--|\n| gladdle | {one} |\n| morven | {other} |",
    )
    assert "gladdle" in first
    assert "gladdle" not in second


# -- remarks ----------------------------------------------------------------------------------------------------

REMARK = "<!-- fiel: no claim, because it is an example -->"


@pytest.mark.parametrize(
    "text",
    [
        f"{REMARK}\nofficial B1",
        f"{REMARK}\n\nofficial B1",
        f"official B1 {REMARK}",
        f"official {REMARK} B1",
        f"{REMARK}\n\n```\nofficial B1\nofficial B2\n```",
        f"{REMARK}\n\n| official |\n|--|\n| B1 |\n| B2 |",
        f"{REMARK}\n\n## official B1",
        f"{REMARK}\n\n- official B1\n- official B2\n\n  - officially B1",
        f'{REMARK}\n\n```json\n{{"official":"B1"}}\n```',
    ],
)
def test_a_remark_excuses_its_block_and_is_counted(text: str) -> None:
    sensed = _sense("a.md", text)
    assert sensed.shown == ()
    (remark,) = sensed.no_claims
    assert remark.because == "it is an example"
    assert remark.excused >= 1


def test_a_remark_excuses_one_block_only() -> None:
    assert _claims("a.md", f"{REMARK}\nofficial B1\n\nofficial B2") == [(4, "B2")]
    assert _claims("a.md", f"- {REMARK} official B1\n- official B2") == [(2, "B2")]
    assert _claims("a.md", f"{REMARK}\n\n- official B1\n- official B1\n\nofficial B2") == [(6, "B2")]
    assert _claims("a.md", f"{REMARK}\n\n```\nofficial B1\n```\n\nofficial B2") == [(7, "B2")]
    assert _claims("a.md", f"{REMARK}\n\n| official |\n|--|\n| B1 |\n\nofficial B2") == [(7, "B2")]
    assert _claims("a.html", f"<p>{REMARK}official B1<p>official B2") == [(1, "B2")]


def test_a_remark_excuses_no_mark_that_cannot_be_read() -> None:
    assert _flaws("a.md", f'{REMARK}\nofficial [B1](fiel:made_up_words#level "official")') == [
        "the key has no `headword`"
    ]


def test_a_remark_that_excuses_nothing_is_counted_as_such() -> None:
    (remark,) = _sense("a.md", f"{REMARK}\nplain words").no_claims
    assert remark.excused == 0
    (remark,) = _sense("a.md", f"words\n\n{REMARK}\n").no_claims
    assert remark.excused == 0


@pytest.mark.parametrize(
    "remark", ["<!-- fiel: no claim -->", "<!-- fiel: no claim, because -->", "<!-- fiel: noclaim -->"]
)
def test_a_remark_without_a_reason_or_with_a_slip_excuses_nothing(remark: str) -> None:
    sensed = _sense("a.md", f"{remark}\n\nofficial B1")
    assert [row.marked for row in sensed.shown] == ["official", "unmarked"]
    assert sensed.shown[0].flaw


def test_a_remark_inside_a_code_block_is_text() -> None:
    assert _claims("a.md", f"```\n{REMARK}\nofficial B1\n```") == [(3, "B1")]
    assert _claims("a.md", f"```html\n{REMARK}\n<p>official B1\n```") == [(3, "B1")]


# -- citations --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Made-up Word Profile 1.0", ("made_up_words", None, "1.0")),
        ("made_up_words 0.9", ("made_up_words", None, "0.9")),
        ("Act 1/2026, art. 4(1)(e), edition 2026-08-05", ("Act 1/2026", "4(1)(e)", "2026-08-05")),
        ("Act 1/2026, art. 4.2 and XY.Z.010(2), consolidated 2026-08-05", ("Act 1/2026", "4.2", "2026-08-05")),
        ("Act 1/2026, art. 4, as replaced by (EU) 7/2027, art. 1", ("Act 1/2026", "4", "as amended by (eu) 7/2027")),
        ("1/2026, artículo 4", ("Act 1/2026", "4", None)),
    ],
)
def test_a_citation_is_read_with_its_article_and_edition(text: str, cited: tuple[str, str | None, str | None]) -> None:
    words = replace(CLAIM_WORDS, acts=("Act 1/2026",))
    (found,) = sense("a.md", f"x\n\nSee {text}.".encode(), words).citations
    assert (found.act_or_reference, found.article, found.edition) == cited
    assert found.line == 3


def test_an_act_that_is_only_named_is_no_citation() -> None:
    words = replace(CLAIM_WORDS, acts=("Act 1/2026",))
    assert sense("a.md", b"Act 1/2026 is a law, and the Made-up Word Profile a list.", words).citations == ()


# -- marks that cannot be read -----------------------------------------------------------------------------------

FLAWED = {
    "unknown reference": ("a.md", OFFICIAL.replace("made_up_words", "made_up_wrods")),
    "no reference": ("a.md", OFFICIAL.replace("made_up_words", "")),
    "no column": ("a.md", OFFICIAL.replace("#level", "")),
    "empty column": ("a.md", OFFICIAL.replace("#level", "#")),
    "unknown column": ("a.md", OFFICIAL.replace("#level", "#lvl")),
    "key without pos": ("a.md", OFFICIAL.replace("&pos=verb", "")),
    "empty pos": ("a.md", OFFICIAL.replace("pos=verb", "pos=")),
    "another key": ("a.md", OFFICIAL.replace("pos=", "posx=")),
    "key twice": ("a.md", OFFICIAL.replace("&pos", "&headword=x&pos")),
    "no key at all": ("a.md", OFFICIAL.replace("?headword=gladdle&pos=verb", "")),
    "bad percent": ("a.md", OFFICIAL.replace("gladdle", "gla%C3%28")),
    "no title": ("a.md", OFFICIAL.replace(' "official"', "")),
    "title in capitals": ("a.md", OFFICIAL.replace('"official"', '"Official"')),
    "scheme in capitals": ("a.md", OFFICIAL.replace("fiel:", "FIEL:")),
    "line no number": ("a.md", OFFICIAL.replace("#level", "#level:x")),
    "empty edition": ("a.md", OFFICIAL.replace("words?", "words@?")),
    "picture": ("a.md", "!" + OFFICIAL),
    "no value": ("a.md", OFFICIAL.replace("[B1]", "[ ]")),
    "no reference in html": ("a.html", DATA.replace("data-reference", "data-refrence") + "B1</data>"),
    "no key in html": ("a.html", DATA.replace("data-key", "data-k") + "B1</data>"),
    "key no json": ("a.html", DATA.replace(KEY, "gladdle") + "B1</data>"),
    "key null": ("a.html", DATA.replace('"verb"', "null") + "B1</data>"),
    "key empty": ("a.html", DATA.replace('"verb"', '""') + "B1</data>"),
    "no column in html": ("a.html", DATA.replace("data-column", "data-c") + "B1</data>"),
    "value is not what is shown": ("a.html", DATA + "B2</data>"),
    "no value in html": ("a.html", DATA.replace('value="B1"', "") + "B1</data>"),
    "value twice": ("a.html", DATA.replace('value="B1"', 'value="B1" value="B2"') + "B1</data>"),
    "another element": ("a.html", DATA.replace("<data", "<span") + "B1</span>"),
    "two markings": ("a.html", DATA.replace('"official"', '"official proposed"') + "B1</data>"),
    "self-closed": ("a.html", DATA.replace('"B1">', '"B1"/>')),
    "class in capitals": ("a.html", DATA.replace('"official"', '"OFFICIAL"') + "B1</data>"),
    "never closed": ("a.html", "<p>" + DATA),
    "one in another": ("a.html", DATA + DATA + "B1</data></data>"),
    "proposal with a reference": ("a.html", DATA.replace('"official"', '"proposed"') + "B1</data>"),
    "json without key": ("a.json", JSON.replace(f'"key":{KEY},', "")),
    "json number": ("a.json", JSON.replace('"B1"', "1")),
    "json provenance": ("a.json", '{"value":"B1","provenance":"Official"}'),
    "text of no reference": ("a.txt", "gladdle B1 (made_up_wrods 1.0, line 2)"),
}  # fmt: skip


@pytest.mark.parametrize("name", FLAWED)
def test_a_mark_that_cannot_be_read_is_never_ignored(name: str) -> None:
    file, text = FLAWED[name]
    flaws = _flaws(file, text)
    assert flaws
    assert all(flaw == flaw.strip() and "\n" not in flaw for flaw in flaws)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        *[("a.md", b"\xff"), ("a.html", b"a\0b"), ("a.html", b"<div>" * 5000), ("a.md", b"<div>\n\n" * 5000)],
        *[("a.json", b"{"), ("a.json", b""), ("a.json", b'{"a":1,"a":2}'), ("a.json", b"[" * 5000), ("a.json", b"NaN")],
        ("a.json", b'{"a":1}}'),
    ],
)
def test_a_file_that_cannot_be_read_says_so(name: str, data: bytes) -> None:
    assert sense(name, data, CLAIM_WORDS).unreadable


_PARTS = st.sampled_from(
    [
        *["official", " B1 ", OFFICIAL, DATA, "</data>", "B1", REMARK, "<table>", "<tr>", "<td>", "</table>", "<p>"],
        *["\n", "\n\n", "```", "```json", "- ", "# ", "|", "--", "<li>", "<!--", "-->", "<pre>", "<style>", "</style>"],
        *["&#66;", "\\", "[", "](", '"'],
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_PARTS, max_size=25).map("".join), st.sampled_from(["a.md", "a.html", "a.txt", "a.json"]))
def test_whatever_is_in_a_file_it_is_read_the_same_way_twice_and_lines_are_of_the_file(text: str, name: str) -> None:
    sensed = sense(name, text.encode(), CLAIM_WORDS)
    assert sense(name, text.encode(), CLAIM_WORDS) == sensed
    last = text.count("\n") + 1
    rows: list[ShownValue] = list(sensed.shown)
    assert all(1 <= row.line <= last for row in rows)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["word ", "<b>", "</b>", "*", "\n", "`", "<i title=x>", "- "]), max_size=12).map("".join)
)
def test_nothing_around_a_claim_hides_it_from_a_reader_of_its_paragraph(noise: str) -> None:
    """In HTML, where what is a paragraph is plain, no mixture of inline elements hides the claim."""
    assert _claims("a.html", f"<p>official {noise} B1</p>") != []
