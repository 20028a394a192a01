"""`fiel fmt`: one form, the same meaning, every comment, and nothing written that could not be read."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from engine.format import format_paths
from engine.format.comments import comments_of
from engine.format.entries import entries_of
from engine.format.files import format_source, kind_of
from engine.format.layout import WIDTH
from engine.load import load_packs
from engine.load.nodes import Items, Node, Scalar, Table
from engine.load.reading import EXPRESSION_KEYS, parse_bytes
from engine.load.source import Source
from engine.model import Pack

from .conftest import ROOT, Cli
from .consoles import blocks
from .packs import policy, write
from .second.generate import seeded_pack
from .yaml_forms import Scribbler

SHIPPED = sorted((ROOT / "policies").glob("*/*.yaml"))
SAMPLES = [*SHIPPED, *sorted((ROOT / "tests/broken/base").glob("*.yaml"))]

SEEDS = st.integers(0, 2**32)


def parsed(data: bytes | str, kind: str) -> Source:
    text = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return parse_bytes(text, "f.yaml", EXPRESSION_KEYS if kind == "policy" else ())


def formatted(data: bytes | str, kind: str) -> str:
    source = parsed(data, kind)
    assert source.problems == []
    return format_source(source, kind)


def plain(node: Node | None) -> object:
    """What a tree says: keys without their order, texts, and whether they bear quotes."""
    if isinstance(node, Table):
        return {name: plain(value) for name, value in node.values.items()}
    if isinstance(node, Items):
        return [plain(value) for value in node.items]
    assert isinstance(node, Scalar)
    return node.text


def comments(text: str, kind: str) -> list[str]:
    source = parsed(text, kind)
    return sorted(c.text for c in comments_of(source, entries_of(source, kind)))


def stripped(packs: dict[str, Pack]) -> list[object]:
    """Packs without the places that the model compares; the order of relations and columns counts."""
    return [(pack, [(name, list(r.columns)) for name, r in pack.relations.items()]) for pack in packs.values()]


def in_packs(root: Path) -> list[object]:
    loaded = load_packs(root)
    assert [p for p in loaded.problems if p.is_error] == []
    return stripped(dict(loaded.packs))


# ---- the laws


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_shipped_files_are_in_the_one_form(path: Path) -> None:
    assert formatted(path.read_bytes(), kind_of(path)) == path.read_text("utf-8")


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(SAMPLES), SEEDS)
@example(ROOT / "policies" / "cefr" / "report.yaml", 0)
def test_a_file_in_any_form_keeps_its_meaning_and_every_comment(path: Path, seed: int) -> None:
    kind = kind_of(path)
    origin = parsed(path.read_bytes(), kind)
    scribbler = Scribbler(Random(seed))
    assert origin.root is not None
    text = scribbler.document(origin.root)
    source = parsed(text, kind)
    assert source.problems == [], text
    assume(plain(source.root) == plain(origin.root))  # a remark may fall into a folded text
    once = format_source(source, kind)
    assert plain(parsed(once, kind).root) == plain(origin.root)
    assert comments(once, kind) == sorted(scribbler.comments)
    assert formatted(once, kind) == once


def test_a_comment_behind_a_row_that_fills_lines_stays() -> None:
    cells = ", ".join(f"column_{number}: value number {number}" for number in range(9))
    text = f"policy: p.a\nexample_facts:\n  note:\n    - {{{cells}}}  # behind\n"
    once = format_source(parsed(text, "policy"), "policy")
    assert once.endswith("column_8: value number 8}  # behind\n")
    assert formatted(once, "policy") == once


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_a_generated_pack_loads_to_an_equal_model(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    pack, random = seeded_pack(seed), Random(seed)
    root = tmp_path_factory.mktemp("packs") / "p"
    root.mkdir()
    for name, text in pack.files.items():
        kind = kind_of(Path(name))
        source = parsed(text, kind)
        assert source.root is not None
        scribbled = Scribbler(random).document(source.root) if random.random() < 0.5 else text
        (root / name).write_bytes(scribbled.encode("utf-8"))
    before = in_packs(root)
    done = format_paths([root])
    assert done.problems == ()
    for path, text in done.changed:
        path.write_bytes(text.encode("utf-8"))
    assert in_packs(root) == before
    assert format_paths([root]).changed == ()
    shutil.rmtree(root.parent)


WORDS = ["a", "word", "longer-word", "#", ":", "it's", '"', "\\", "[x]", "{", "- b", "a:", "%", "@", ","]
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join),
)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_any_text_comes_back(title: str, note: str, cell: str) -> None:
    from engine.format.scalars import quoted

    text = policy("words <= top").replace("title: T", f"title: {quoted(title)}")
    text = text.replace("because: x", f"because: {quoted(note)}").replace("id: a,", f"id: {quoted(cell)},")
    source = parsed(text, "policy")
    assert source.problems == []
    once = format_source(source, "policy")
    again = parsed(once, "policy")
    assert plain(again.root) == plain(source.root)
    assert formatted(once, "policy") == once


def test_quotes_stay_where_they_mean_something() -> None:
    params = 'a: {value: "3", type: text, origin: convention, because: x}'
    text = policy("words <= 1", params).replace("id: a,", 'id: "7",').replace("kind: a,", "kind: 'a',")
    once = formatted(text, "policy")
    assert 'value: "3"' in once
    assert 'id: "7"' in once
    assert 'kind: "a"' in once


@pytest.mark.parametrize("page", ["README.md", "docs/policies.md"])
def test_the_manual_shows_the_one_form(page: str) -> None:
    shown = [b for b in blocks((ROOT / page).read_text("utf-8")) if b.kind == "yaml" and b.path]
    assert shown
    for block in shown:
        assert formatted(block.text, kind_of(Path(str(block.path)))) == block.text, block.path


# ---- the form


def test_comments_stay_with_what_they_speak_of() -> None:
    text = """\
# of the file

# of the id
policy: t.rule   # the id
cases:
  # of the first
  - {words: 1, # one word
     expect: pass} # passes
  - expect: fail # fails
    words: 9
  # at the end of the cases
# of the title
title: T
for: item
must: >- # the rule
  words <= top
params:
  top: {value: 3, unit: word, origin: convention, because: x}
example: # a row
  {id: a, words: 1}
cannot_see: x
# at the end
"""
    assert (
        formatted(text, "policy")
        == """\
# of the file

# of the id
policy: t.rule  # the id
# of the title
title: T
for: item
must: words <= top  # the rule
params:
  top: {value: 3, unit: word, origin: convention, because: x}
cannot_see: x
example: {id: a, words: 1}  # a row
cases:
  # of the first
  # passes
  - words: 1  # one word
    expect: pass
  - words: 9
    expect: fail  # fails
  # at the end of the cases
# at the end
"""
    )


def test_a_long_rule_is_folded_and_an_author_s_lines_are_kept() -> None:
    long = " and ".join(f"words <= limit_{n}" for n in range(12))
    text = policy("words <= top").replace("must: >-\n  words <= top", f"must: {long}")
    once = formatted(text, "policy")
    assert "must: >-\n  words" in once
    assert all(len(line) <= WIDTH for line in once.splitlines())
    broken = policy("words <= top\n  and words >= 0")
    assert "must: >-\n  words <= top\n  and words >= 0\n" in formatted(broken, "policy")


def test_an_editor_s_line_stays_first_when_keys_move() -> None:
    text = "# yaml-language-server: $schema=x\n# of the title\ntitle: T\nformat: 1\npack: t\nversion: 1\nlicence: x\n"
    expected = (
        "# yaml-language-server: $schema=x\nformat: 1\npack: t\n# of the title\ntitle: T\nversion: 1\nlicence: x\n"
    )
    assert formatted(text, "pack") == expected


# ---- files


def test_carriage_returns_and_a_byte_order_mark_go(tmp_path: Path, cli: Cli) -> None:
    root = write(tmp_path, {"rule": policy("words <= top")})
    path = root / "t" / "rule.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    before = in_packs(root)
    done = cli("fmt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert b"\r" not in path.read_bytes()
    assert path.read_bytes()[:1] == b"p"
    assert in_packs(root) == before


def test_check_lists_and_writes_nothing(tmp_path: Path, cli: Cli) -> None:
    root = write(tmp_path, {"rule": policy("words <= top").replace("title: T", 'title: "T"')})
    before = {p: p.read_bytes() for p in root.rglob("*.yaml")}
    done = cli("fmt", "--check", cwd=tmp_path)
    assert done.returncode == 1
    assert "would change: policies/t/rule.yaml\n" in done.stdout
    assert {p: p.read_bytes() for p in root.rglob("*.yaml")} == before
    assert cli("fmt", cwd=tmp_path).returncode == 0
    assert cli("fmt", "--check", cwd=tmp_path).returncode == 0


BROKEN = [
    b"",
    b"\x00",
    b"policy: \xff\n",
    b"policy: t.rule\n",
    b"policy: t.rule\n\ttitle: x\n",
    b"a: &x 1\nb: *x\n",
    b"a: !!python/x 1",
    b"policy: t.rule\ntitle: T\nfor: item\nmust: a\ncannot_see: x\ncases:\n  - {words: 1, expect: no}\n",
]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_file_that_does_not_load_is_not_touched(broken: bytes, tmp_path: Path, cli: Cli) -> None:
    root = write(tmp_path, {"rule": policy("words <= top", name="rule"), "other": policy("words <= top", name="other")})
    path = root / "t" / "rule.yaml"
    path.write_bytes(broken)
    done = cli("fmt", cwd=tmp_path)
    assert done.returncode == 2
    assert "policies/t/rule.yaml:" in done.stderr
    assert path.read_bytes() == broken
    assert "changed: policies/t/other.yaml" in done.stdout


def test_a_file_under_another_ending_is_told_of(tmp_path: Path, cli: Cli) -> None:
    root = write(tmp_path, {"rule": policy("words <= top")})
    (root / "t" / "more.yml").write_text("policy: t.more\n")
    done = cli("fmt", "--check", cwd=tmp_path)
    assert done.returncode == 2
    assert "unknown-file" in done.stderr


def test_a_read_only_file_is_refused_and_a_link_is_followed(tmp_path: Path, cli: Cli) -> None:
    root = write(tmp_path, {"rule": policy("words <= top")})
    path, real = root / "t" / "rule.yaml", tmp_path / "real.yaml"
    path.chmod(0o444)
    done = cli("fmt", path, cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot-write" in done.stderr
    path.chmod(0o644)
    path.rename(real)
    path.symlink_to(real)
    assert cli("fmt", path, cwd=tmp_path).returncode == 0
    assert path.is_symlink()
    assert real.read_text("utf-8") == formatted(real.read_bytes(), "policy")


def test_paths_that_are_nothing_are_refused(tmp_path: Path, cli: Cli) -> None:
    assert cli("fmt", tmp_path / "no", cwd=tmp_path).returncode == 2
    assert cli("fmt", cwd=tmp_path).returncode == 2
    (tmp_path / "x.yaml").write_text("a: 1\n")
    assert cli("fmt", tmp_path / "x.yaml").returncode == 2


def test_a_very_long_line_is_formatted_in_little_time(tmp_path: Path) -> None:
    text = policy("words <= top").replace("title: T", f"title: {'word ' * 100_000}x")
    once = formatted(text, "policy")
    assert max(map(len, once.splitlines())) <= WIDTH
