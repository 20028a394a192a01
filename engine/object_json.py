"""Frozen dataclasses as JSON and back, for what Fiel keeps for itself: objects that are equal, and nothing that runs.

A text is a JSON array of nodes, each `[kind, part, …]`. A part is a scalar, or `[i]`: the i-th node, which stands
before it. An object that is met twice is one node, so what was shared is shared again. Only the classes that a `Codec`
is made with are read or written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from .frozen import fields

_SCALARS = (str, int, float, bool, type(None))


class NotKept(Exception):
    """A value has no form here, or a text is not one that was written here."""


def _mapping(*parts: Any) -> dict[Any, Any]:
    return dict(zip(parts[::2], parts[1::2], strict=True))


_BUILT_IN: Mapping[str, Callable[..., Any]] = {
    "tuple": lambda *parts: parts,
    "list": lambda *parts: list(parts),
    "frozenset": lambda *parts: frozenset(parts),
    "dict": _mapping,
    "Decimal": Decimal,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
}


class Codec:
    """Knows the classes by name, and which of their fields are kept: all, where `only` does not say."""

    def __init__(self, classes: Iterable[type], only: Mapping[type, Sequence[str]] | None = None) -> None:
        self.classes = {one.__name__: one for one in classes}
        chosen = only or {}
        self.fields = {
            one: tuple(chosen[one]) if one in chosen else tuple(f.name for f in fields(one))
            for one in self.classes.values()
        }


class Writer:
    """Writes one text after another; a later one may share nodes of those that were written with `shared`."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._known: dict[int, tuple[int, object]] = {}
        """By identity: the number of the node, and the object, so that no other takes its identity."""
        self._count = 0

    def text(self, root: object, shared: bool = False) -> str:
        """The text of an object. Raises NotKept if it holds what has no form here."""
        before, count = dict(self._known), self._count
        nodes: list[list[Any]] = []
        top = self._part(root, nodes)
        nodes.append(["tuple", top])
        self._count += 1
        if not shared:
            self._known, self._count = before, count
        return json.dumps(nodes, ensure_ascii=False, separators=(",", ":"))

    def _part(self, value: Any, nodes: list[list[Any]]) -> Any:
        if isinstance(value, _SCALARS) and type(value) in _SCALARS:
            return value
        known = self._known.get(id(value))
        if known is None:
            nodes.append(self._node(value, nodes))
            known = (self._count, value)
            self._known[id(value)] = known
            self._count += 1
        return [known[0]]

    def _node(self, value: Any, nodes: list[list[Any]]) -> list[Any]:
        kind = type(value)
        if self._codec.classes.get(kind.__name__) is kind:
            return [kind.__name__, *(self._part(getattr(value, f), nodes) for f in self._codec.fields[kind])]
        if kind in (tuple, list):
            return [kind.__name__, *(self._part(one, nodes) for one in value)]
        if kind is frozenset:
            return ["frozenset", *(self._part(one, nodes) for one in sorted(value))]
        if isinstance(value, Mapping):
            return ["dict", *(self._part(one, nodes) for pair in value.items() for one in pair)]
        if kind is Decimal:
            return ["Decimal", str(value)]
        if kind in (date, datetime):
            return [kind.__name__, value.isoformat()]
        raise NotKept(f"no form for {kind.__name__}")


class Reader:
    """Reads texts of a Writer: first those that are `shared`, in their order, then any of the others.

    `makers` are called in place of classes, with the fields that are kept.
    """

    def __init__(self, codec: Codec, makers: Mapping[str, Callable[..., Any]] | None = None) -> None:
        self._makers: dict[str, tuple[Callable[..., Any], int | None]] = {k: (v, None) for k, v in _BUILT_IN.items()}
        for name, one in codec.classes.items():
            self._makers[name] = (one, len(codec.fields[one]))
        for name, maker in (makers or {}).items():
            self._makers[name] = (maker, self._makers[name][1])
        self._shared: list[Any] = []

    def object(self, text: str, shared: bool = False) -> Any:
        """The object of a text. Raises NotKept for whatever is no such text."""
        try:
            found = list(self._shared)
            for kind, *parts in json.loads(text):
                maker, count = self._makers[kind]
                if count is not None and count != len(parts):
                    raise NotKept(f"{kind} with {len(parts)} fields")
                found.append(maker(*[found[p[0]] if type(p) is list else p for p in parts]))
            if shared:
                self._shared = found
            return found[-1][0]
        except (ValueError, TypeError, KeyError, IndexError, ArithmeticError, RecursionError) as error:
            raise NotKept(str(error)) from None
