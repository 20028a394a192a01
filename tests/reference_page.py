"""`docs/policy-reference.md`, made from the JSON Schemas: a section a kind of file, a table a thing with keys."""

from __future__ import annotations

from collections.abc import Iterator

from engine.load.schemas import KINDS, Resolved, load_schema

_LETTERS = " (small letters, digits and `_`, a letter first, at most 63)"
FILES = {
    "pack": "pack.yaml",
    "relations": "relations.yaml",
    "parameters": "parameters.yaml",
    "policy": "A policy",
    "waivers": "waivers.yaml",
    "references": "references.yaml",
    "sensors": "sensors.yaml",
    "report": "report.yaml",
}
HEAD = """\
# Reference of the files of a pack

Every key of every file, made from the JSON Schemas in `engine/schemas` (a test holds this page to them). `fiel check`
reads the same schemas, and so can an editor. What the keys mean together: [policies.md](policies.md); exactly:
[semantics.md](semantics.md). `fiel fmt` writes keys in the order of these tables. A *name* has
small letters, digits and `_`, a letter first, at most 63 of them.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    told: set[str] = set()
    for kind in KINDS:
        schema = f"{kind}.schema.json"
        parts.append(f"## {FILES[kind]}\n\n" + "\n".join(_file(Resolved(schema, load_schema(schema)), told)))
    return "\n".join(parts)


def _file(root: Resolved, told: set[str]) -> Iterator[str]:
    yield f"{root.schema['description']}\n"
    if "properties" not in root.schema:
        yield f"The file is {_form(root)}.\n"
    for number, thing in enumerate(_things(root)):
        if thing.title in told:
            continue  # a file above has it too
        told.add(thing.title)
        own = thing.schema["properties"]
        if number or thing is not root:
            yield f"### {thing.title[:1].upper()}{thing.title[1:]}\n\n{thing.schema['description']}\n"
        yield "| key | form | needed | meaning |\n|---|---|---|---|"
        for name, inner in own.items():
            described = inner.get("description") or thing.to(inner).schema["description"]
            yield f"| `{name}` | {_form(thing.to(inner))} | {_needed(thing, name) or '–'} | {_cell(described)} |"
        others = thing.schema.get("additionalProperties")
        if isinstance(others, dict):
            value = thing.to(others)
            yield f"| any other name | {_form(value)} | – | {_cell(value.schema['description'])} |"
        yield ""


def _things(root: Resolved) -> list[Resolved]:
    """What has keys of its own, in the order in which the tables name it, each once."""
    found: dict[str, Resolved] = {}
    pending = [root]
    while pending:
        one = pending.pop(0)
        if "properties" in one.schema and one.title in found:
            continue
        if "properties" in one.schema:
            found[one.title] = one
        inner = [*one.schema.get("properties", {}).values(), *one.schema.get("oneOf", ())]
        inner += [one.schema[k] for k in ("items", "additionalProperties") if isinstance(one.schema.get(k), dict)]
        pending += [one.to(i) for i in inner if "required" not in i or "properties" in i]
    return list(found.values())


def _needed(thing: Resolved, name: str) -> str:
    if name in thing.schema.get("required", ()):
        return "yes"
    choice = [option["required"][0] for option in thing.schema.get("oneOf", ()) if "required" in option]
    return "one of " + ", ".join(f"`{c}`" for c in choice) if name in choice else ""


def _form(rule: Resolved) -> str:
    """What may stand there, in a few words."""
    schema = rule.schema
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "oneOf" in schema and "properties" not in schema:
        return " or ".join(_form(rule.to(option)) for option in schema["oneOf"])
    if schema.get("type") == "array":
        return f"a list: {_form(rule.to(schema['items']))}"
    if "properties" in schema:
        return f"[{rule.title}](#{rule.title.replace(' ', '-').replace('`', '').replace(':', '')})"
    if schema.get("type") == "object":
        return f"names, each with {_form(rule.to(schema['additionalProperties']))}"
    if schema.get("type") == "boolean":
        return "`true` or `false`"
    return _cell(rule.title.removesuffix(_LETTERS))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
