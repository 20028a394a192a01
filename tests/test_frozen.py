"""`engine.frozen` makes what `dataclasses` makes: every class of Fiel is held beside the standard one."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from engine import frozen

OPTIONS: list[dict[str, bool]] = [
    {"frozen": True, "slots": True},
    {"frozen": True},
    {"slots": True},
    {},
    {"eq": False},
]


def both(**options: bool) -> tuple[Any, Any]:
    """A class made here, and the same made by `dataclasses`, under one name."""
    names = {
        "one": int,
        "two": str,
        "three": list[int],
        "four": int | None,
        "five": int,
    }

    def inside(field: Any) -> dict[str, Any]:
        return {
            "__annotations__": dict(names),
            "__module__": __name__,
            "__qualname__": "Made",
            "two": "two",
            "three": field(default_factory=list),
            "four": field(default=None, compare=False),
            "five": field(default=5, repr=False),
        }

    def made(decorate: Any, field: Any) -> Any:
        base = decorate(**options)(type("Made", (), inside(field)))
        more = {"__annotations__": {"six": int}, "__module__": __name__, "__qualname__": "More", "six": 6}
        return base, decorate(**options)(type("More", (base,), more))

    return made(frozen.dataclass, frozen.field), made(dataclasses.dataclass, dataclasses.field)


def outcome(act: Any) -> Any:
    """What an act gives, or that it is refused: what a name that is no field raises differs between versions."""
    try:
        return act()
    except (AttributeError, TypeError):
        return "refused"


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("which", [0, 1])
def test_a_class_behaves_as_its_standard_twin(options: dict[str, bool], which: int) -> None:
    ours, theirs = (one[which] for one in both(**options))

    def acts(kind: Any) -> list[Any]:
        a = kind(1)
        return [
            lambda: repr(a),
            lambda: repr(kind(1, two="x", four=4, five=6)),
            lambda: a == kind(1, four=9),
            lambda: a == kind(2),
            lambda: a == kind(1, five=9),
            lambda: (a == 1, a != 1),
            lambda: kind(1).three is kind(1).three,
            lambda: hash(kind(1, three=())) == hash(kind(1, three=(), four=9)),
            lambda: hash(kind(1, three=())),
            lambda: setattr(a, "two", "other"),
            lambda: a.two,
            lambda: setattr(a, "unheard", 1),
            lambda: delattr(a, "two"),
            lambda: kind(),
            lambda: kind(1, unheard=2),
            lambda: kind(1, "2", [3], 4, 5, 6, 7),
            lambda: repr(dataclasses.replace(kind(1), one=3, four=8)),
            lambda: repr(frozen.replace(kind(1), one=3, four=8)),
            lambda: repr(frozen.replace(kind(1), unheard=3)),
            lambda: dataclasses.asdict(kind(1)),
            lambda: repr(copy.deepcopy(kind(1, three=[[2]]))),
            lambda: [(f.name, f.type, f.compare, f.repr) for f in dataclasses.fields(kind)],
            lambda: [(f.name, f.type, f.compare, f.repr) for f in frozen.fields(kind)] if kind is ours else None,
            lambda: (dataclasses.is_dataclass(kind), frozen.is_dataclass(kind)),
            lambda: kind.__match_args__,
            lambda: "__slots__" in vars(kind) and vars(kind)["__slots__"],
            lambda: hasattr(kind(1), "__dict__"),
            lambda: kind.two if "slots" not in options else None,
        ]

    found = [outcome(act) for act in acts(ours)]
    expected = [outcome(act) for act in acts(theirs)]
    for at, (a, b) in enumerate(zip(found, expected, strict=True)):
        assert a == b or (at == 8 and isinstance(a, int) == isinstance(b, int)) or (at == 22 and a == found[21]), at
    assert found[10] in ("two", "other")


def test_the_values_of_nan_are_compared_by_identity_first() -> None:
    nan = float("nan")
    (ours, _), (theirs, _) = both(frozen=True, slots=True)
    assert (ours(nan) == ours(nan)) is (theirs(nan) == theirs(nan)) is True


@frozen.dataclass(frozen=True, slots=True)
class Kept:
    """At the top of a module, so that it can be pickled."""

    one: int
    two: tuple[int, ...] = ()


def test_an_object_without_a_dictionary_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept(1, (2,)))) == Kept(1, (2,))


@frozen.dataclass(frozen=True)
class Counted:
    one: int

    def __post_init__(self) -> None:
        if self.one < 0:
            raise ValueError("below nothing")


def test_what_follows_the_init_is_called() -> None:
    assert Counted(1).one == 1
    with pytest.raises(ValueError, match="below nothing"):
        Counted(-1)


@pytest.mark.parametrize(("kind", "default"), [("ClassVar[int]", 1), ("InitVar[int]", 1), ("list[int]", [])])
def test_what_is_left_to_the_standard_one_is_refused(kind: str, default: object) -> None:
    with pytest.raises(TypeError, match="one"):
        frozen.dataclass(type("Odd", (), {"__annotations__": {"one": kind}, "one": default}))
