"""The law of places: whatever a text holds, a place leads back to it; and hostile input."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.load.locate import spots_of
from engine.load.nodes import Items, Node, Scalar, Table
from engine.load.reading import parse_bytes

from .source_texts import parse, value

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
