"""Official is a type with one maker, and a claim that is not a cell is withheld."""

from __future__ import annotations

import ast
import copy
import re
from dataclasses import replace

import pytest

from engine.attest import Claim, Official, Pinned, Withheld, attest
from engine.errors import InternalError

from .conftest import ROOT
from .honest_samples import PINNED, WORDS

GOOD = Claim("B1", "made_up_words", {"headword": "gladdle", "pos": "verb"}, "level")


def test_a_claim_that_equals_its_cell_is_official_with_line_edition_citation_and_licence() -> None:
    found = attest(GOOD, PINNED)
    assert isinstance(found, Official)
    assert (found.value, found.edition, found.line) == ("B1", "1.0", 2)
    assert (found.cite, found.licence) == (WORDS.cite, WORDS.licence)
    assert dict(found.key) == {"headword": "gladdle", "pos": "verb"}
    assert attest(replace(GOOD, edition="1.0", line=2), PINNED) == found


def _with_key(**key: str | None) -> Claim:
    return replace(GOOD, key={**GOOD.key, **key})


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (replace(GOOD, value="B2"), "differs"),
        (replace(GOOD, value="b1"), "differs"),
        (replace(GOOD, value="В1"), "differs"),
        (replace(GOOD, value=""), "nothing_claimed"),
        (replace(GOOD, value=None), "nothing_claimed"),
        (_with_key(pos="noun"), "differs"),
        (_with_key(pos=None), "incomplete_key"),
        (_with_key(pos=""), "incomplete_key"),
        (_with_key(headword="Gladdle"), "not_in_reference"),
        (_with_key(headword="gladdlе"), "not_in_reference"),
        (_with_key(headword="morven/morvin"), "not_in_reference"),
        (_with_key(headword="twice", pos="noun"), "ambiguous_key"),
        (_with_key(headword="empty", pos="noun"), "differs"),
        (_with_key(sense="1"), "unknown_key"),
        (replace(GOOD, key={}), "incomplete_key"),
        (replace(GOOD, column="lvl"), "unknown_column"),
        (replace(GOOD, edition="0.9"), "stale_edition"),
        (replace(GOOD, edition="2.0"), "stale_edition"),
        (replace(GOOD, line=3), "wrong_line"),
        (replace(GOOD, reference="made_up_wrods"), "unknown_reference"),
    ],
)
def test_any_other_claim_is_withheld_with_its_reason(claim: Claim, reason: str) -> None:
    found = attest(claim, PINNED)
    assert isinstance(found, Withheld)
    assert found.reason == reason
    assert found.claimed == claim.value


def test_a_reference_that_cannot_be_used_confirms_nothing() -> None:
    for code in (None, "reference-missing", "reference-changed", "reference-unreadable"):
        found = attest(GOOD, {"made_up_words": Pinned(WORDS, None, code)})
        assert isinstance(found, Withheld)
        assert found.reason == (code or "reference-missing").replace("-", "_")


def test_nobody_else_can_make_an_official_value() -> None:
    official = attest(GOOD, PINNED)
    assert isinstance(official, Official)
    with pytest.raises(InternalError):
        Official("C2", "r", "1", {}, "level", 1, "c", "l", seal=object())
    with pytest.raises((TypeError, ValueError)):
        replace(official, value="C2")
    with pytest.raises(AttributeError):
        official.value = "C2"  # type: ignore[misc]
    with pytest.raises(TypeError):
        official.key["pos"] = "noun"  # type: ignore[index]
    assert copy.copy(official) == official


# -- the syntax trees -------------------------------------------------------------------------------------------


def offences(source: str, name: str) -> list[str]:
    """What of a module of the engine goes round `attest`."""
    # Lies are told with the marking, into copies, to see whether the gate notices them.
    maker, writer = name == "attest.py", name == "render/marks.py" or name.startswith("gate/lies/")
    found = []
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 0)
        called = node.func if isinstance(node, ast.Call) else None
        words = {getattr(called, "id", None), getattr(called, "attr", None)}
        if not maker and {getattr(node, "id", None), getattr(node, "attr", None), getattr(node, "name", None)} & {
            "_SEAL",
            "seal",
        }:
            found.append(f"{name}:{line}: names the seal")
        if not maker and "Official" in words:
            found.append(f"{name}:{line}: makes an Official")
        if not maker and isinstance(node, ast.ClassDef) and any("Official" in ast.dump(b) for b in node.bases):
            found.append(f"{name}:{line}: derives from Official")
        if isinstance(called, ast.Attribute) and called.attr in ("__new__", "__setattr__"):
            if {"Official"} & {getattr(a, "id", None) for a in node.args} or called.attr == "__setattr__":  # type: ignore[attr-defined]
                found.append(f"{name}:{line}: goes round the constructor")
        if not writer and isinstance(node, ast.Constant) and isinstance(node.value, str):
            if re.search(r"""class=\\?["']official|"official"\)|"provenance":\s*"official""", node.value):
                found.append(f"{name}:{line}: writes the official marking")
    return found


def test_only_attest_makes_what_is_official_and_only_marks_writes_it() -> None:
    engine = ROOT / "engine"
    found = []
    for path in sorted(engine.rglob("*.py")):
        found += offences(path.read_text("utf-8"), path.relative_to(engine).as_posix())
    for path in sorted((engine / "render" / "templates").iterdir()):
        if re.search(r"""class=["']?[^"'>]*\bofficial|provenance["']?\s*:\s*["']official""", path.read_text("utf-8")):
            found.append(f"{path.name}: writes the official marking")
    assert found == []


def test_the_writer_of_the_marking_is_given_an_official_value() -> None:
    tree = ast.parse((ROOT / "engine/render/marks.py").read_text("utf-8"))
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value == "official":
                guards = [g for g in ast.walk(function) if isinstance(g, ast.If) and node in g.body]
                assert [ast.unparse(g.test) for g in guards] == ["isinstance(one, Official)"]
                break
        else:
            continue
        break
    else:
        pytest.fail("nobody writes the marking")


@pytest.mark.parametrize(
    "code",
    [
        "from .attest import _SEAL\nx = _SEAL",
        "Official('C2', seal=None)",
        "attest.Official('C2')",
        "class Mine(Official): pass",
        "object.__new__(Official)",
        "object.__setattr__(x, 'value', 'C2')",
        "x = '<data class=\"official\">'",
        "x = f'[{y}]({z} \"official\")'",
        'x = \'{"provenance": "official"}\'',
    ],
)
def test_each_way_round_is_seen(code: str) -> None:
    assert offences(code, "render/page.py")
