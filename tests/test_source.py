"""YAML with positions: what is kept, what is refused, and the way back from an expression to the file."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.home import MAX_FILE_BYTES
from engine.load.compose import MAX_PROBLEMS
from engine.load.locate import spots_of
from engine.load.nodes import Items, Node, Scalar, Table
from engine.load.reading import EXPRESSION_KEYS, parse_bytes, read_source
from engine.load.source import Source


def parse(text: str) -> Source:
    return parse_bytes(text.encode(), "f.yaml", EXPRESSION_KEYS)


def codes(text: str) -> list[str]:
    return [problem.code for problem in parse(text).problems]


def value(text: str, key: str = "a") -> Scalar:
    source = parse(text)
    assert source.problems == []
    assert isinstance(source.root, Table)
    node = source.root.values[key]
    assert isinstance(node, Scalar)
    return node


@pytest.mark.parametrize(
    "text",
    ["NO", "on", "1.10", "010", "12:30:45", "2024-01-01", "1e3", "0x1F", "yes", "=", ".inf", "1_000", "2%", "~x"],
)
def test_a_plain_scalar_keeps_its_text(text: str) -> None:
    scalar = value(f"a: {text}\n")
    assert (scalar.text, scalar.quoted, scalar.is_null) == (text, False, False)


@pytest.mark.parametrize("text", ["null", "~", "NULL", "Null"])
def test_null_is_null_only_without_quotes(text: str) -> None:
    assert value(f"a: {text}\n").is_null
    assert not value(f"a: '{text}'\n").is_null


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("a: 1\nb: 2\na: 3\n", "repeated-key", (3, 1)),
        ("x: {a: 1, a: 2}\n", "repeated-key", (1, 11)),
        ("a: &x 1\n", "yaml-anchor", (1, 4)),
        ("a: *x\n", "yaml-alias", (1, 4)),
        ("a: [*x]\n", "yaml-alias", (1, 5)),
        ("a:\n  <<: 1\n", "yaml-merge", (2, 3)),
        ("a: !!str 1\n", "yaml-tag", (1, 4)),
        ("a: ! 1\n", "yaml-tag", (1, 4)),
        ("a: !x [1]\n", "yaml-tag", (1, 4)),
        ("a: 1\n---\nb: 2\n", "second-document", (2, 1)),
        ("%YAML 1.2\n---\na: 1\n", "yaml-directive", (1, 1)),
        ("'a': 1\n", "bad-key", (1, 1)),
        ("[a]: 1\n", "bad-key", (1, 1)),
        ("{a: 1}: 1\n", "bad-key", (1, 1)),
        ("a:\n", "empty-value", (1, 1)),
        ("a: [1, {b}]\n", "empty-value", (1, 9)),
        ("a:\n  -\n", "empty-value", (2, 4)),
        ("", "empty-file", (1, 1)),
        ("# nothing\n", "empty-file", (1, 1)),
        ("a: " + "[" * 17 + "]" * 17, "nested-too-deep", (1, 19)),
        ("a:\n\tb: 1\n", "yaml-syntax", (2, 1)),
        ("a: b: c\n", "yaml-syntax", (1, 5)),
        ("a: 1\nb\n", "yaml-syntax", (2, 1)),
        ("a: 'b\n", "yaml-syntax", (1, 4)),
        ("a: {b: 1\nc: 2\n", "yaml-syntax", (2, 2)),
        ("a:\n  b: 1\n  - c\n", "yaml-syntax", (3, 3)),
        ("a: \x07\n", "unprintable-character", (1, 4)),
        ("a: b\u2028c\n", "unprintable-character", (1, 5)),
        ("a: 1\rb: 2\n", "unprintable-character", (1, 5)),
    ],
)
def test_what_is_refused_says_where(text: str, code: str, where: tuple[int, int]) -> None:
    problem = parse(text).problems[0]
    assert problem.place is not None
    assert (problem.code, (problem.place.line, problem.place.column)) == (code, where)
    assert "\n" not in problem.message


def test_all_refusals_of_a_file_are_reported() -> None:
    text = "a: &x 1\nb: *x\na: 2\nc: !t 3\nd:\n"
    assert codes(text) == ["yaml-anchor", "yaml-alias", "repeated-key", "yaml-tag", "empty-value"]


def test_nesting_to_the_limit_is_accepted() -> None:
    assert codes("a: " + "[" * 15 + "1" + "]" * 15) == []


def test_a_byte_order_mark_is_accepted_and_counts_for_nothing() -> None:
    source = parse_bytes(b"\xef\xbb\xbfa: 1\n", "f.yaml")
    assert source.problems == []
    assert source.root is not None
    assert (source.root.line, source.root.column) == (1, 1)


@pytest.mark.parametrize(
    ("data", "where"), [(b"a: 1\nb: caf\xe9\n", (2, 7)), (b"\xff\xfea\x00", (1, 1)), (b"a: \xed\xa0\x80", (1, 4))]
)
def test_bytes_that_are_not_utf8_are_refused_with_their_place(data: bytes, where: tuple[int, int]) -> None:
    (problem,) = parse_bytes(data, "f.yaml").problems
    assert problem.place is not None
    assert (problem.code, (problem.place.line, problem.place.column)) == ("not-utf8", where)


def test_a_file_beyond_the_limit_is_refused_and_one_at_the_limit_is_read() -> None:
    assert parse_bytes(b"a: 1\n" + b"#" * MAX_FILE_BYTES, "f").problems[0].code == "file-too-large"
    assert parse_bytes(b"a: 1\n" + b"#" * (MAX_FILE_BYTES - 5), "f").problems == []


def test_escapes_that_name_no_character_are_refused() -> None:
    for escape in (r"\ud800", r"\U00110000", r"\uD83D\uDE00"):
        assert codes(f'a: "{escape}"\n') in (["yaml-syntax"], ["lone-surrogate"])


def test_a_missing_file_or_a_folder_is_a_problem(tmp_path: object) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    for path in (tmp_path, tmp_path / "none.yaml"):
        assert [problem.code for problem in read_source(path, "x").problems] == ["unreadable-file"]


TRAPS = [
    ("!x", "a tag", (1, 7)),
    ("!x = 3", "a tag", (1, 7)),
    ("'a' = b", "a quoted text that ends", (1, 7)),
    ('"x" = y', "a quoted text that ends", (1, 7)),
    ("'a", "a quoted text that never ends", (1, 7)),
    ("a: b", "the key of a mapping", (1, 8)),
    ("a = 1\n  or b = 'x: y'", "the key of a mapping", (2, 12)),
    ("*x", "an alias", (1, 7)),
    ("*x = 3", "an alias", (1, 7)),
    ("&x 3", "an anchor", (1, 7)),
    ("[a]", "a list", (1, 7)),
    ("[a] = b", "a list", (1, 7)),
    ("{a}", "a mapping", (1, 7)),
    ("{a} = b", "a mapping", (1, 7)),
    ("@x", "a sign of its own", (1, 7)),
    ("% 3", "a sign of its own", (1, 7)),
    ("`x`", "a sign of its own", (1, 7)),
    ("> max", "the head of a block", (1, 7)),
    ("| max", "the head of a block", (1, 7)),
    ("- 3", "an entry of a list", (1, 7)),
    ("? 3", "a key", (1, 7)),
    ("kind = 'a # b'", "a comment", (1, 17)),
    ("\n  - a", "a list", (2, 3)),
    ("\n  a: b", "a mapping", (2, 3)),
]


@pytest.mark.parametrize(("written", "what", "where"), TRAPS)
def test_an_expression_that_yaml_takes_for_its_own_is_explained(
    written: str, what: str, where: tuple[int, int]
) -> None:
    (problem,) = parse(f"must: {written}\nother: 1\n").problems
    assert problem.code == "yaml-in-expression"
    assert what in problem.message
    assert problem.place is not None
    assert (problem.place.line, problem.place.column) == where
    assert problem.help is not None
    assert "must: >-\n  " in problem.help


@pytest.mark.parametrize("written", [">-\na = 1", "a\nb = 1", "|\na = 1"])
def test_an_expression_that_is_not_indented_is_explained(written: str) -> None:
    (problem,) = parse(f"must: {written}\nother: 1\n").problems
    assert (problem.code, problem.help) == ("yaml-in-expression", "indent the expression by two spaces")
    assert problem.place is not None
    assert problem.place.line == 2


@pytest.mark.parametrize(
    ("text", "where", "help"),
    [
        ("where: a = 1\n must: x\n", (2, 2), "move `must:` to the first column"),
        ("where: a = 1 # note\n\n must: x\n", (3, 2), "move `must:` to the first column"),
        ("where: a = 1\n# note\n must:\n", (3, 2), "move `must:` to the first column"),
        ("title: 'x'\n   for: flight\n", (2, 4), "move `for:` to the first column"),
        ("per: [a]\n must: x\n", (2, 2), "move `must:` to the first column"),
        ("params: {a: {value: 1}}\n title: x\n", (2, 2), "move `title:` to the first column"),
        ("where: >-\n  a\n must: x\n", (3, 2), "move `must:` to the first column"),
        ("where: |\n  a\n  must: x\n", (3, 3), "move `must:` to the first column"),
        ("cases:\n  - {a: 1}\n  title: x\n", (3, 3), "move `title:` to the first column"),
        ("cases:\n  - {a: 1}\n title: x\n", (3, 2), "move `title:` to the first column"),
        ("# note\n policy: x\ntitle: y\n", (2, 2), "move `policy:` to the first column"),
        ("cases:\n  - a: 1\n     expect: pass\n", (3, 6), "move `expect:` to column 5, that of `a:`"),
        ("p:\n  value: 1\n   unit: m\n", (3, 4), "move `unit:` to column 3, that of `value:`"),
        ("p:\n  a: {type: text}\n   b: {type: text}\n", (3, 4), "move `b:` to column 3, that of `a:`"),
    ],
)
def test_a_key_that_is_indented_too_far_is_sent_back(text: str, where: tuple[int, int], help: str) -> None:
    (problem,) = parse(text).problems
    assert problem.place is not None
    assert (problem.code, problem.help) == ("wrong-indentation", help)
    assert (problem.place.line, problem.place.column) == where


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("p:\n  a:\n    v: 1\n   b: m\n", "yaml-syntax"),
        ("title: Height\n  above: ground\n", "yaml-syntax"),
        ("must: a = 1\n  or b: c\n", "yaml-in-expression"),
    ],
)
def test_a_line_that_may_be_a_text_is_taken_for_no_key(text: str, code: str) -> None:
    assert codes(text) == [code]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("p: {value:65, unit: mm}\n", "value: 65"),
        ('p: {unit: mm, because:"x"}\n', 'because: "x"'),
        ("must:a <= b\ntitle: x\n", "must: a <= b"),
        ("title: x\nmust:a <= b\n", "must: a <= b"),
        ("p:\n  value:65\n  unit: mm\n", "value: 65"),
        ("p:\n  value: 65\n  unit:mm\n", "unit: mm"),
        ("cases:\n  - expect:pass\n    reason: x\n", "expect: pass"),
    ],
)
def test_a_colon_without_a_space_is_explained(text: str, written: str) -> None:
    (problem,) = parse(text).problems
    assert problem.help == f"put a space after the colon: `{written}`"


@pytest.mark.parametrize("text", ["p: {a:[1]}\n", "p: {a:{b: 1}}\n"])
def test_a_colon_before_a_bracket_is_explained(text: str) -> None:
    import yaml

    if not yaml.__with_libyaml__:
        pytest.skip("without libyaml, PyYAML reads it as it is meant")
    assert [problem.help for problem in parse(text).problems] == ["put a space after the colon"]


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("p: {value: 64,9, unit: mm}\n", "decimals follow a point: `64.9`"),
        ("p: {unit: mm, value: -0,25}\n", "decimals follow a point: `-0.25`"),
        ("p: {value: 64,9 mm}\n", "write `value: 64.9, unit: mm`"),
        ("p: {height: 64,9 mm, expect: pass}\n", "decimals follow a point: `64.9`"),
        ("p: {value: 1,000, unit: mm}\n", "write `1000`, or `1.000` if the comma is a decimal one"),
    ],
)
def test_a_number_that_is_cut_at_its_comma_is_put_together(text: str, help: str) -> None:
    (problem,) = parse(text).problems
    assert (problem.code, problem.help) == ("wrong-number", help)


@pytest.mark.parametrize("text", ["p: {because: Half, no more}\n", "p: {a: 64, 9: b}\n", "p: {a: 64, 9}\n"])
def test_what_is_no_number_is_not_put_together(text: str) -> None:
    assert "wrong-number" not in codes(text)


@pytest.mark.parametrize("written", ["", "''", '""', "|", ">-\n", "# a = b"])
def test_an_expression_that_is_left_out_is_refused(written: str) -> None:
    assert codes(f"must: {written}\nother: 1\n") == ["empty-value"]


@pytest.mark.parametrize("key", ["title", "because"])
def test_the_same_signs_elsewhere_get_the_usual_message(key: str) -> None:
    assert codes(f"{key}: 'a' = b\n") == ["yaml-syntax"]


@pytest.mark.parametrize("written", [">-\n  {}", "|\n  {}"])
@pytest.mark.parametrize("trap", [trap.replace("\n  ", "\n") for trap, _, _ in TRAPS if not trap.startswith("\n")])
def test_what_the_help_says_works(written: str, trap: str) -> None:
    shown = trap.replace("\n", "\n  ")
    assert value(f"must: {written.format(shown)}\n", "must").text.rstrip("\n").replace("\n", " ") == trap.replace(
        "\n", " "
    )


@pytest.mark.parametrize("text", ["[" * 100_000, "{" * 1_000_000, "- " * 50_000, "? " * 50_000, "a: &x 1\n" * 90_000])
def test_a_hostile_file_is_refused_at_once(text: str) -> None:
    found = parse(text).problems
    assert 1 <= len(found) <= MAX_PROBLEMS + 1
    assert found[-1].code in ("nested-too-deep", "yaml-syntax", "too-many-problems")


# ---- the law of `locate`


def escape_begins(line: str, at: int, character: str) -> bool:
    """Whether the file has at this spot the character itself or an escape of it."""
    here = line[at]
    return here == character or here == "\\"


def assert_every_character_is_found(text: str, scalar: Scalar) -> None:
    source = parse(text)
    spots = spots_of(source.lines, scalar)
    assert len(spots) == len(scalar.text) + 1
    for offset, character in enumerate(scalar.text):
        line, column = spots[offset]
        if not character.isspace():
            assert escape_begins(source.line_text(line), column - 1, character), (text, offset, character)
    assert spots == sorted(spots), "the way back never goes backwards"


WORDS = st.text(st.sampled_from("ab'\"\\#:é\U0001d11e%=<-,]} "), min_size=1, max_size=8)
LINES = st.lists(st.one_of(WORDS, st.just(""), WORDS.map(lambda word: "  " + word)), min_size=1, max_size=5)
INDENTS = st.integers(1, 4)


def scalar_or_none(text: str) -> Scalar | None:
    source = parse_bytes(text.encode(), "f.yaml")
    if source.problems or not isinstance(source.root, Table) or not isinstance(source.root.values.get("a"), Scalar):
        return None
    node = source.root.values["a"]
    return node if isinstance(node, Scalar) else None


@settings(max_examples=400, deadline=None)
@given(LINES, INDENTS, st.sampled_from("|>"), st.sampled_from(["", "-", "+"]), st.booleans(), st.booleans())
@example(["  x", "", "y"], 2, ">", "", True, False)
@example(["a", "  b", "c", "", "d"], 2, ">", "+", False, True)
def test_each_character_of_a_block_is_found(
    lines: list[str], indent: int, style: str, chomp: str, explicit: bool, crlf: bool
) -> None:
    indicator = str(indent) if explicit else ""
    text = f"a: {style}{indicator}{chomp} # note\n" + "".join(f"{' ' * indent}{line}\n" for line in lines) + "b: 1\n"
    if crlf:
        text = text.replace("\n", "\r\n")
    scalar = scalar_or_none(text)
    if scalar is None:
        return
    assert scalar.style in ("literal", "folded")
    assert_every_character_is_found(text, scalar)


@settings(max_examples=400, deadline=None)
@given(LINES, INDENTS, st.sampled_from(["'", '"', ""]), st.booleans())
@example(["a\\", "  b"], 2, '"', False)
@example(["x''y", "", "", "z"], 2, "'", False)
@example(["x  ", "  y"], 2, "", True)
def test_each_character_of_a_flow_scalar_is_found(lines: list[str], indent: int, quote: str, crlf: bool) -> None:
    text = f"a: {quote}" + f"\n{' ' * indent}".join(lines) + f"{quote}\nb: 1\n"
    if crlf:
        text = text.replace("\n", "\r\n")
    scalar = scalar_or_none(text)
    if scalar is not None:
        assert_every_character_is_found(text, scalar)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [r"\n", r"\x41", r"\u00e9", r"\U0001D11E", r"\"", r"\\", r"\ ", r"\t", "a", " ", "\n  ", "\\\n  "]
        )
    )
)
def test_each_escape_of_a_double_quoted_scalar_is_found(parts: list[str]) -> None:
    text = f'a: "{"".join(parts)}"\nb: 1\n'
    scalar = scalar_or_none(text)
    assert scalar is not None
    source = parse(text)
    spots = spots_of(source.lines, scalar)
    for offset, character in enumerate(scalar.text):
        line, column = spots[offset]
        rest = source.line_text(line)[column - 1 :]
        if character.isspace():
            continue
        if rest.startswith("\\"):
            digits = {"x": 2, "u": 4, "U": 8}.get(rest[1], 0)
            assert character == (chr(int(rest[2 : 2 + digits], 16)) if digits else rest[1])
        else:
            assert rest.startswith(character)
    assert spots == sorted(spots)


def test_a_well_made_scalar_never_falls_back_to_its_beginning() -> None:
    for text in ("a: >-\n  x\n  y\n", "a: |2\n   x\n  y\n", "a: x\n  y\n", 'a: "x\\\n  y"\n', "a: 'x\n\n  y'\n"):
        spots = spots_of(parse(text).lines, value(text))
        assert spots[0] != spots[-2], text


# ---- hostile input


def shape(node: Node | None) -> object:
    if isinstance(node, Table):
        return {key: shape(inner) for key, inner in node.values.items()}
    if isinstance(node, Items):
        return [shape(inner) for inner in node.items]
    return None if node is None else (node.text, node.style, node.line, node.column)


@settings(max_examples=500, deadline=None)
@given(st.text(st.sampled_from("ab:-?[]{},&*!|>'\"%@`# \n\t\\~<0é"), max_size=40))
@example("? a\n: b")
@example("~\n?")
@example('a: "\\U00110000"')
def test_no_text_makes_the_reader_fail_otherwise_than_by_a_problem(text: str) -> None:
    source = parse("must: " + text)
    assert source.root is not None or source.problems
    for problem in source.problems:
        assert problem.place is not None
        assert 1 <= problem.place.line <= len(source.lines)
        assert 1 <= problem.place.column <= len(source.line_text(problem.place.line)) + 1
        assert "\n" not in problem.message


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=30))
def test_no_bytes_make_the_reader_fail_otherwise_than_by_a_problem(data: bytes) -> None:
    source = parse_bytes(data, "f.yaml")
    assert source.root is not None or source.problems


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab:-[]{},'\"# \n|>"), max_size=30))
def test_the_parser_with_and_without_libyaml_give_the_same_tree(text: str) -> None:
    import yaml

    if not yaml.__with_libyaml__:
        pytest.skip("PyYAML was built without libyaml")
    fast = parse(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(yaml, "CLoader")
        slow = parse(text)
    if not fast.problems and not slow.problems:
        assert shape(fast.root) == shape(slow.root)
