"""The JSON Schemas of `schemas/`: read once, their references followed, and which key belongs to what.

The schemas are the one source: editors use the same files. Only the keywords that they use are understood; a schema
with another keyword is a bug and is refused. `title` is how a thing is named in messages (`a policy`), `description`
says what a key means.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from ..errors import InternalError
from ..frozen import dataclass
from ..home import SCHEMAS

Schema = Mapping[str, Any]

KINDS = ("pack", "relations", "parameters", "policy", "waivers", "references", "sensors", "report")
"""The kinds of files that have a schema."""

KEYWORDS = frozenset(
    """$schema $defs $ref title description type properties required additionalProperties propertyNames items enum const
    pattern minLength minItems uniqueItems minProperties maxProperties minimum maximum oneOf""".split()
)


@cache
def load_schema(file: str) -> Schema:
    """A schema by its file name. Raises `InternalError` if it uses what this module does not understand."""
    schema: Schema = json.loads((SCHEMAS / file).read_text("utf-8"))
    for part in _parts(schema):
        unknown = set(part) - KEYWORDS
        if unknown:
            raise InternalError(f"{file}: keywords {sorted(unknown)} are not supported")
    return schema


def _parts(schema: Schema) -> Iterator[Schema]:
    """A schema and all schemas within it."""
    yield schema
    for name in ("properties", "$defs"):
        for inner in schema.get(name, {}).values():
            yield from _parts(inner)
    for name in ("items", "additionalProperties", "propertyNames"):
        if isinstance(schema.get(name), dict):
            yield from _parts(schema[name])
    for inner in schema.get("oneOf", ()):
        yield from _parts(inner)


@dataclass(frozen=True)
class Resolved:
    """A schema and the file it stands in, which its references are relative to."""

    file: str
    schema: Schema

    def to(self, inner: Schema) -> Resolved:
        """A schema within this one, its reference followed to the end."""
        about = (self.file, id(inner))
        known = _RESOLVED.get(about)
        if known is None:
            # The schema is kept with the answer, so that nothing else can ever have its identity.
            known = _RESOLVED[about] = (inner, self._to(inner))
        return known[1]

    def _to(self, inner: Schema) -> Resolved:
        if "$ref" not in inner:
            return Resolved(self.file, inner)
        file, _, pointer = inner["$ref"].partition("#")
        file = file or self.file
        target: Any = load_schema(file)
        for step in pointer.strip("/").split("/"):
            target = target[step]
        return Resolved(file, target).to(target)

    def titled(self, title: str) -> Resolved:
        """The same under another title."""
        about = (title, id(self.schema))
        known = _RESOLVED.get(about)
        if known is None:
            known = _RESOLVED[about] = (self.schema, Resolved(self.file, {**self.schema, "title": title}))
        return known[1]

    @property
    def title(self) -> str:
        return str(self.schema.get("title", "a value"))


_RESOLVED: dict[tuple[str, int], tuple[Schema, Resolved]] = {}
"""What each schema within a file leads to: the same few are asked for at every node of every file."""


@lru_cache(maxsize=1)
def _homes() -> Mapping[str, tuple[str, ...]]:
    """For each key of any file: the titles of the things it is a key of."""
    homes: dict[str, list[str]] = {}
    for kind in KINDS:
        for part in _parts(load_schema(f"{kind}.schema.json")):
            for key in part.get("properties", {}):
                title = part["title"]
                if title not in homes.setdefault(key, []):
                    homes[key].append(title)
    return {key: tuple(titles) for key, titles in homes.items()}


def belongs(key: str, but: str = "") -> str | None:
    """Where a key that stands in the wrong place belongs: `` `unit` is a key of a parameter, a column ``."""
    titles = [title for title in _homes().get(key, ()) if title != but]
    return f"`{key}` is a key of {' and of '.join(titles)}" if titles else None


@cache
def keys_of_files() -> frozenset[str]:
    """Every key that some file of a pack has, at any depth."""
    return frozenset(_homes())


@cache
def first_column_keys() -> frozenset[str]:
    """The keys that stand in the first column of a file: those of a policy and of `pack.yaml`."""
    return frozenset(key for kind in ("policy", "pack") for key in load_schema(f"{kind}.schema.json")["properties"])


_TYPES: dict[int, tuple[Schema, frozenset[str]]] = {}


def types_of(schema: Schema) -> frozenset[str]:
    """The JSON types that a schema takes; empty if it does not say."""
    known = _TYPES.get(id(schema))
    if known is None:
        known = _TYPES[id(schema)] = (schema, frozenset(_types_of(schema)))
    return known[1]


def _types_of(schema: Schema) -> set[str]:
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return {"string" if isinstance(value, str) else "integer" for value in values}
    kinds = schema.get("type", ())
    return {kinds} if isinstance(kinds, str) else set(kinds)
