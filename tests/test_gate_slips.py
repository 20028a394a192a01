"""Lies that once slipped through the gate, each kind by an example, and plain pages that must pass."""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter

import pytest

from engine.errors import UsageError
from engine.gate.estate import gather
from engine.honesty import Desk, Inquiry, page_rows, promises
from engine.sensors.artifact import sense

from .conftest import ROOT
from .honest_samples import CLAIM_WORDS, PINNED

KEY = '{"headword":"gladdle","pos":"verb"}'
SHORT = {
    "<MARK>": '[B1](<TO> "official")',
    "<TO>": "fiel:made_up_words?headword=gladdle&pos=verb#level",
    "<AT>": 'data-reference="made_up_words" data-key=\'<KEY>\' data-column="level"',
    "<IS>": '"reference":"made_up_words","key":<KEY>,"column":"level"',
    "<KEY>": KEY,
}
"""Parts of true marks of `gladdle`, a verb, which is B1 in the reference that the tests make up."""

PROMISES = promises(ROOT / "honesty_tests")

LIES: dict[str, tuple[str, str | bytes]] = {
    "html link html": ("a.html", '<a href="<TO>">B2</a>'),
    "ftn": ("a.md", "The level is B2[^1].\n\n[^1]: official level by the list.\n"),
    "ftn html": ("a.html", '<p>gladdle B2<sup><a href="#f">1</a></sup></p><ol><li id=f>official</li></ol>'),
    "html img alt in label": ("a.md", '[B1<img alt="B2">](<TO> "official")'),
    "html title in label": ("a.md", '[B1<span title="officially B2">x</span>](https://x)'),
    "html in other link": ("a.md", '[<span title="official B2">x</span>](https://x)'),
    "html mark in other link": ("a.md", '[<data class="official" <AT> value="B2">B2</data>](https://x)'),
    "fence html attr": ("a.md", '```html title="official"\n<p>B2\n```'),
    "fence info official": ("a.md", "```official\nB2\n```"),
    "list fence": ("a.md", "- official:\n  ```\n  B2\n  ```"),
    "deep list": ("a.md", "* official\n  * x\n    * B2"),
    "h1 then h2": ("a.md", "# Official levels\n\n## gladdle\n\nB2"),
    "h1 then h2 h3": ("a.md", "# Official levels\n\n## words\n\n### gladdle\n\nB2"),
    "rtl": ("a.md", "official \u202e2B\u202c"),
    "rtl word": ("a.md", "\u202elaiciffo\u202c B2"),
    "bdo": ("a.html", "<p>official <bdo dir=rtl>2B</bdo>"),
    "letterspaced": ("a.md", "o f f i c i a l B2"),
    "letterspaced2": ("a.md", "O.F.F.I.C.I.A.L. B2"),
    "B_2": ("a.md", "official B_2"),
    "B/2": ("a.md", "official B/2"),
    "B (2)": ("a.md", "official B(2)"),
    "B2s": ("a.md", "all official B2s"),
    "camel": ("a.md", "officialLevel: B2"),
    "officialB2 md": ("a.md", "OfficialB2"),
    "json html": ("a.json", '{"html":"<p>official B<b>2</b></p>"}'),
    "json mark display": ("a.json", '{"value":"B1","provenance":"official",<IS>,"display":"B2"}'),
    "json mark value label": ("a.json", '{"value":"B1","provenance":"official",<IS>,"reason":"officially B2"}'),
    "json mark run": ("a.json", '{"value":"B1","provenance":"official",<IS>,"by":"B2"}'),
    "json mark at obj": ("a.json", '{"value":"B1","provenance":"official",<IS>,"at":{"official":"B2"}}'),
    "json withheld with value": ("a.json", '{"value":"B2","provenance":"withheld","reason":"differs"}'),
    "json proposed+official": (
        "a.json",
        '{"value":"B2","provenance":"proposed","sensor":"s","run":"r","official":true}',
    ),
    "json proposed note": (
        "a.json",
        '{"value":"B2","provenance":"proposed","sensor":"s","run":"r","note":"this is the official level"}',
    ),
    "class officialLevel": ("a.html", '<span class="officialLevel">B2</span>'),
    "script esc": ("a.html", '<script>x="official \\x422"</script>'),
    "style attr": ("a.html", "<i style=\"--x:'official B2'\">x</i>"),
    "css var": ("a.html", '<style>:root{--l:"official B2"} i::after{content:var(--l)}</style>'),
    "css attr any": ("a.html", '<style>i::after{content:attr(lvl)}</style><i lvl="official B2">x</i>'),
    "css content B2 class official": (
        "a.html",
        '<style>.official-level::after{content:"B2"}</style><i class=official-level>gladdle</i>',
    ),
    "img data uri": ("a.html", '<img src="data:image/svg+xml,%3Csvg%3E%3Ctext%3Eofficial B2">'),
    "object data": ("a.html", '<object data="data:text/html,official B2"></object>'),
    "iframe src": ("a.html", '<iframe src="data:text/html,official B2"></iframe>'),
    "meta split": ("a.html", '<meta name="official" content="B2">'),
    "meta prop": ("a.html", '<meta property="official-level" content="B2">'),
    "input": ("a.html", '<input name="official" value="B2">'),
    "ruby": ("a.html", "<p><ruby>gladdle<rt>official B2</rt></ruby>"),
    "itemprop": ("a.html", '<p itemprop="official">B2'),
    "rel": ("a.html", '<a rel="official" href=x>B2</a>'),
    "name attr": ("a.html", '<p name="official">B2'),
    "custom elt": ("a.html", "<official-level>B2</official-level>"),
    "custom elt2": ("a.html", '<cefr-level official value="B2"></cefr-level>'),
    "custom attr": ("a.html", "<p official>B2"),
    "custom attr2": ("a.html", '<p level="B2">official'),
    "custom attr3": ("a.html", '<span official="B2">x</span>'),
    "aria desc": ("a.html", '<p aria-roledescription="official">B2'),
    "row group sep td": (
        "a.html",
        "<table><tr><th>w<th>l</tr><tr><td colspan=2>Official</td></tr><tr><td>gladdle<td>B2</table>",
    ),
    "headers attr": ("a.html", "<table><tr><td id=o>Official<td>x</tr><tr><td>y<td headers=o>B2</table>"),
    "tfoot": ("a.html", "<table><tr><th>w<th>l<tr><td>g<td>B2<tfoot><tr><td>x<td>official</table>"),
    "header td first row": ("a.html", "<table><tr><td>word<td>official level</tr><tr><td>g<td>B2</table>"),
    "p before table": (
        "a.html",
        "<p>The official levels of these words follow below, in "
        "a table of all of them.</p><table><tr><td>g<td>B2</tabl"
        "e>",
    ),
    "nested table": ("a.html", "<table><tr><td>official<td><table><tr><td>B2</table></table>"),
    "div table2": (
        "a.html",
        "<div class=row><div>The official level of this word, as it stands in the list</div><div>B2</div></div>",
    ),
    "span": ("a.html", "<div><span>official</span><span>B2</span></div>"),
    "svg tspan": ("a.svg", "<svg><text><tspan>official</tspan><tspan>B2</tspan></text></svg>"),
    "svg entity": ("a.svg", '<!DOCTYPE svg [<!ENTITY l "official B2">]><svg><text>&l;</text></svg>'),
    "math": ("a.html", "<math><mi>official</mi><mi>B</mi><mn>2</mn></math>"),
    "section hdr": ("a.html", "<section><h2>Official</h2><section><h3>gladdle</h3><p>B2</section></section>"),
    "data outside": ("a.html", '<data class="official" <AT> value="B1">B1</data>2'),
    "data style hidden": (
        "a.html",
        '<style>data::after{content:"B2"}</style><data class="official" <AT> value="B1">B1</data>',
    ),
    "data title": ("a.html", '<data title="B2" class="official" <AT> value="B1">B1</data>'),
    "data aria": ("a.html", '<data aria-label="B2" class="official" <AT> value="B1">B1</data>'),
    "data inner img": ("a.html", '<data class="official" <AT> value="B1">B1<img alt="B2"></data>'),
    "data inner title": ("a.html", '<data class="official" <AT> value="B1">B1<i title="B2"></i></data>'),
    "data inner input": ("a.html", '<data class="official" <AT> value="B1">B1<input value="B2"></data>'),
    "comment trick": ("a.html", "<p>x<!--><p>official B2-->"),
    "comment trick3": ("a.html", "<p>x<!---><p>official B2<!-- -->"),
    "slash": ("a.html", "<p/official title=B2>x"),
    "fr": ("a.md", "niveau officiel B2"),
    "de": ("a.md", "offizielles Niveau B2"),
    "ref name hyphen": ("a.md", "made-up-words: B2"),
    "refName": ("a.md", "madeUpWords: B2"),
    "officialdom": ("a.md", "officialdom B2"),
    "officialness": ("a.md", "officialized as B2"),
    "link proposed official": ("a.md", '[B2](fiel:?sensor=s&run=r "proposed") is the official level'),
    "html proposed official": (
        "a.html",
        '<p>The official level: <data class="proposed" data-sensor="s" data-run="r" value="B2">B2</data>',
    ),
    "withheld html": ("a.html", '<data class="withheld" data-reason="differs" value="B2">B2</data>'),
    "withheld html2": ("a.html", '<p>official <data class="withheld" data-reason="differs" value="B2">B2</data>'),
    "withheld md": ("a.md", '[B2](fiel:?reason=differs "withheld")'),
    "withheld md2": ("a.md", 'official: [B2](fiel:?reason=differs "withheld")'),
    "human": ("a.html", '<p>official <data class="human" data-by="me" data-at="x" value="B2">B2</data>'),
    "quote mark": ("a.html", '<q class="quote" <AT>>B</q>2 official'),
    "quote 1 letter": ("a.html", '<p>official <q class="quote" <AT>>B</q>2'),
    "ref link": ("a.md", '[B2][1]\n\n[1]: <TO> "official"\n'),
    "single quote title": ("a.md", "[B2](<TO> 'official')"),
    "title space": ("a.md", '[B2](<TO> "official ")'),
    "autolink": ("a.md", "official <<TO>>"),
    "html link": ("a.md", '<a href="<TO>" title="official">B2</a>'),
    "code label": ("a.md", '[`B2`](<TO> "official")'),
    "html in label hides": ("a.md", '[B1<b>2</b>](<TO> "official")'),
    "mark md in txt": ("a.txt", '[B2](<TO> "official")'),
    "quote fence": ("a.md", "> ```\n> official B2\n> ```"),
    "front matter": ("a.md", "---\nofficial_level: B2\n---\n\n# x\n"),
    "emoji digit": ("a.md", "official B2\ufe0f\u20e3"),
    "json arr2": ("a.json", '[["word","official level"],["gladdle","B2"]]'),
    "json esc": ("a.json", '{"\\u006ffficial":"\\u00422"}'),
    "dup value": ("a.html", '<data class="official" <AT> value="B1" value="B2">B1</data>'),
    "tpl": ("a.html", "<template><p>official B2</p></template>"),
    "noscript": ("a.html", "<noscript><p>official B2</p></noscript>"),
    "colspan": ("a.html", "<table><tr><th colspan=2>Official<tr><td>gladdle<td>B2</table>"),
    "rowspan hdr": ("a.html", "<table><tr><th rowspan=2>Official<td>x<td>y<tr><td>z<td>B2</table>"),
    "other ref": (
        "a.html",
        '<data class="official" data-reference="octanove" data-key=\'<KEY>\' data-column="level" value="B1">B1</data>',
    ),
    "comment trick2": ("a.html", "<p>x<!-- x --!><p>official B2"),
    "cr": ("a.txt", "official\rB2"),
    "CRLF": ("a.md", "official\r\nB2\r\n"),
    "BOM": ("a.md", "\ufeffofficial B2"),
    "utf16": ("a.md", b"\xff\xfeo\x00f\x00f\x00i\x00c\x00i\x00a\x00l\x00 \x00B\x002\x00"),
    "text mark emph": ("a.md", "gladdle verb: **B2** (made_up_words 1.0, line 2)"),
    "remark abuse": ("a.md", "<!-- fiel: no claim, because x -->\n\n# Levels\n\nofficial B2"),
    "source below a table": (
        "a.md",
        "| gladdle | B2 |\n|--|--|\n| morven | A2 |\n\nSource: Made-up Word Profile 1.0.\n",
    ),
    "source below a list": ("a.md", "- gladdle B2\n\nFuente: lista oficial\n"),
    "source below a paragraph": ("a.html", "<p>gladdle is B2.<p>From the official list"),
    "sentence before a table": (
        "a.md",
        "These are the official levels of all the words that we use in this course.\n\n| a | b |\n|--|--|\n| go | B2 |",
    ),
    "name of the citation": ("a.md", "By the made-up word profile gladdle is B2"),
    "levels as headings": ("a.md", "# Official levels\n\n## A1\n\ngladdle"),
    "entity of a picture": ("a.svg", '<!DOCTYPE svg [<!ENTITY l "official B2">]><svg><text>&l;</text></svg>'),
    "sign after a mark": ("a.md", '[B1](<TO> "official")+'),
    "digit before a mark": ("a.md", '1[B1](<TO> "official")'),
    "first row as header": ("a.json", '{"html":"<table><tr><td>w<td>official<tr><td>g<td>B2</table>"}'),
    "style far from the page": (
        "a.html",
        '<style>.n::after{CONTENT:/**/"offi" "cial"}</style><p class=n>gladdle</p><p>B2',
    ),
    "turned by a style": ("a.html", "<style>i{unicode-bidi:bidi-override;direction:rtl}</style><p>official <i>2B</i>"),
    "page in base64": (
        "a.html",
        '<img src="data:image/svg+xml;base64,PHN2Zz48dGV4dD5vZmZpY2lhbCBCMjwvdGV4dD48L3N2Zz4=">',
    ),
}


def _offenders(file: str, text: str | bytes) -> list[str | None]:
    if isinstance(text, str):
        for short, long in SHORT.items():
            text = text.replace(short, long)
        text = text.encode()
    with Inquiry() as inquiry:
        rows = page_rows(sense(file, text, CLAIM_WORDS), Desk(PINNED))
        return [one.where for one in inquiry.offenders(PROMISES, rows)]


@pytest.mark.parametrize("name", LIES)
def test_a_lie_that_a_reader_would_believe_is_found(name: str) -> None:
    file, text = LIES[name]
    found = _offenders(file, text)
    assert found
    assert all(where is not None and where.startswith(file) for where in found)


HONEST: list[tuple[str, str]] = [
    ("a.md", "# A guide\n\nThe Council of Europe has six levels, A1 to C2. They are ordered.\n"),
    ("a.md", "The official web site opened 2019. Vitamin B12 and paper A4, section B.2 of the plan."),
    ("a.md", "Officials met in room B. 2 of them spoke for an hour or so.\n"),
    ("a.md", "The office is open 10 days a month. Officers and officious people come."),
    ("a.md", "El oficio de carpintero requiere 3 años. Una oficina abre 10 días."),
    ("a.md", "Unofficial levels: B1, B2."),
    ("a.md", "Not every level is looked up.\n\n- A1\n- A2\n"),
    ("a.md", "See the [official page](https://x.org).\n\nThe deadline of 10 days is ours."),
    (
        "a.md",
        "# Levels\n\nThe official page is elsewhere.\n\nLater we learn about "
        "words of all kinds and what they are for.\n\nA B1 learner reads ne"
        "ws.",
    ),
    ("a.md", "| word | ours |\n|--|--|\n| go | B2 |\n\nThe official list has other values."),
    ("a.md", "| word | official | ours |\n|--|--|--|\n| gladdle | <MARK> | see below |"),
    ("a.md", 'The model said [C1](fiel:?sensor=s&run=r "proposed"); the official level is <MARK>.'),
    (
        "a.html",
        '<style>body{font-family:"Official Sans"} '
        '.lv[data-l="B1"]{color:red} .x::before{co'
        'ntent:"→"}</style><p>B1 words',
    ),
    ("a.html", '<svg viewBox="0 0 9 9"><title>Official chart</title><path d="M0 0 C1 2 3 4"/><text>words</text></svg>'),
    (
        "a.html",
        '<nav><a href="/official">Official '
        "site</a></nav><main><p>We teach B1"
        " and B2 learners every day of the "
        "week.</p></main>",
    ),
    ("a.html", '<p>The official level is <data class="official" <AT> value="B1"><b>B1</b></data>, says the list.'),
    ("a.html", '<p>level<data class="official" <AT> value="B1">B1</data>.</p>'),
    ("a.json", '{"title":"Official words","items":[{"w":"go","note":"common"}]}'),
    ("a.json", '{"html":"<p>fine</p>","level":"B1"}'),
    ("a.md", "\u30ec\u30d9\u30eb\u306f<MARK>\u3067\u3059\u3002"),
    ("a.md", 'All <MARK>s, (<MARK>) and "<MARK>"-words.'),
    ("a.md", '```python\nlevel = "B1"\n```\n\n```text\nofficial\n```'),
    ("a.txt", "Minutes\n\nThe official opening is on Monday.\n\nB1 students help."),
    ("a.md", "Regex `[^a]:` and notes[^1] here.\n\n[^1]: A plain note.\n"),
    ("a.md", "Words such as \u201cofficial\u201d are adjectives.\n\n1. noun\n2. verb\n"),
    ("a.md", "the officer said B1. He was in office for 3 years."),
    (
        "a.md",
        "The bridge was closed officially after the flood, said the "
        "mayor.\n\nIt took 10 days to clean the road and to open it ag"
        "ain.",
    ),
    (
        "a.md",
        "# Release notes\n\n## Official image\n\nThe image is "
        "smaller.\n\n## Fixes\n\n- wait 10 seconds\n- keep 3 da"
        "ys of logs\n",
    ),
    (
        "a.html",
        '<p>withheld: <data class="withheld" data-reason="differs" title="differs: the value is '
        'not that of made_up_words 1.0, line 3" value="withheld: differs">withheld: differs</dat'
        "a>",
    ),
]


@pytest.mark.parametrize(("file", "text"), HONEST)
def test_a_page_that_claims_nothing_or_only_what_is_true_passes(file: str, text: str) -> None:
    assert _offenders(file, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "# gladdle, verb\n\n## Another\n\nB1 (made_up_words 1.0, line 2)",
        "Of gladdle, a verb, more was said by those who know it.\n\n| x |\n|--|\n| B1 (made_up_words 1.0, line 2) |",
        "B1 (made_up_words 1.0, line 2)\n\nSource: gladdle, verb",
    ],
)
def test_what_stands_farther_off_vouches_for_no_mark_in_text_form(text: str) -> None:
    assert _offenders("a.md", text) != []


@pytest.mark.parametrize("text", ["<style>.a::after{content:'official'}</style>" * 400 + "<p>B2" * 400, "<!--" * 20000])
def test_a_page_made_to_be_slow_is_read_in_time(text: str) -> None:
    start = perf_counter()
    sense("a.html", text.encode(), CLAIM_WORDS)
    assert perf_counter() - start < 5


# -- what is looked at ------------------------------------------------------------------------------------------


def _pages(folder: Path) -> tuple[list[str], dict[str, int]]:
    estate = gather([folder], [])
    return [Path(name).relative_to(folder).as_posix() for name in estate.pages], dict(estate.skipped)


def test_links_that_lead_back_are_followed_once(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("x")
    for name in "abc":
        (tmp_path / name).symlink_to(tmp_path)
    assert _pages(tmp_path) == (["page.md"], {})


def test_what_is_not_looked_at_is_counted(tmp_path: Path) -> None:
    for name in ("build/page.html", ".hidden/page.html", "page.rst", "picture.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert _pages(tmp_path) == (["page.rst"], {".hidden/": 1, ".png": 1, "build/": 1})


def test_pages_beside_a_run_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    for name in ("run.json", "page.md", "facts.jsonl"):
        (tmp_path / "run" / name).write_text("{}")
    assert _pages(tmp_path)[0] == ["run/page.md"]


def test_what_is_neither_file_nor_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "page.md")
    with pytest.raises(UsageError, match="neither"):
        gather([tmp_path / "page.md"], [])
