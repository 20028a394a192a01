"""Texts of YAML and where things stand in them."""

from __future__ import annotations

from engine.load.nodes import Scalar, Table
from engine.load.reading import EXPRESSION_KEYS, parse_bytes
from engine.load.source import Source


def parse(text: str) -> Source:
    return parse_bytes(text.encode(), "f.yaml", EXPRESSION_KEYS)


def value(text: str, key: str = "a") -> Scalar:
    source = parse(text)
    assert source.problems == []
    assert isinstance(source.root, Table)
    node = source.root.values[key]
    assert isinstance(node, Scalar)
    return node
