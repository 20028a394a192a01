"""Packs and facts as a folder, to be kept as a case: `p/*.yaml`, `facts.json`, `as_of.txt`, `verdict.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from . import values, write
from .reading import LOADER
from .values import Type, Value

PACK = "p"


@dataclass(frozen=True)
class Kept:
    """A pack of one folder and what to judge it on: YAML texts by file name, rows by relation."""

    files: Mapping[str, str]
    facts: Mapping[str, Sequence[Mapping[str, Value]]]
    as_of: date | None

    @property
    def types(self) -> dict[str, dict[str, Type]]:
        tree = yaml.load(self.files["relations.yaml"], Loader=LOADER)
        return {
            name: {column: values.type_of(spec) for column, spec in entry["columns"].items()}
            for name, entry in tree.items()
        }


def keep(pair: Kept, folder: Path) -> None:
    (folder / PACK).mkdir(parents=True, exist_ok=True)
    for name, text in pair.files.items():
        (folder / PACK / name).write_text(text, encoding="utf-8")
    (folder / "facts.json").write_text(write.facts_json(pair.types, pair.facts), encoding="utf-8")
    (folder / "as_of.txt").write_text(f"{pair.as_of or ''}\n", encoding="utf-8")


def read(folder: Path) -> Kept:
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / PACK).glob("*.yaml"))}
    as_of = (folder / "as_of.txt").read_text(encoding="utf-8").strip()
    pair = Kept(files, {}, date.fromisoformat(as_of) if as_of else None)
    return Kept(files, read_facts(pair.types, (folder / "facts.json").read_text(encoding="utf-8")), pair.as_of)


def read_facts(types: Mapping[str, Mapping[str, Type]], text: str) -> dict[str, list[dict[str, Value]]]:
    """Facts from JSON, its numbers read from their text."""
    tree: dict[str, list[dict[str, Any]]] = json.loads(text, parse_float=str, parse_int=str)
    return {
        relation: [{name: _value(types[relation][name], each) for name, each in row.items()} for row in rows]
        for relation, rows in tree.items()
    }


def _value(kind: Type, given: Any) -> Value:
    if given is None or isinstance(given, bool):
        return given
    return values.read(kind, str(given))
