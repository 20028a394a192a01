"""YAML with positions: what is kept, what is refused, and the way back from an expression to the file."""

from __future__ import annotations

import pytest

from engine.home import MAX_FILE_BYTES
from engine.load.compose import MAX_PROBLEMS
from engine.load.reading import parse_bytes, read_source

from .source_texts import parse, value


def codes(text: str) -> list[str]:
    return [problem.code for problem in parse(text).problems]


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
