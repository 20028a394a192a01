"""Whether a tree of YAML has the shape that its kind of file has: the JSON Schemas of `schemas/`, with our own words.

A general validator would cost five times the start-up and speak of sub-schemas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache

from ..errors import Place, Problem, did_you_mean, nearest
from ..frozen import dataclass, field
from .compose import MAX_PROBLEMS
from .nodes import Items, Node, Scalar, Table
from .schemas import Resolved, Schema, belongs, load_schema, types_of
from .slips import indented_keys, meant_keys, missing_keys, not_indented, other_word
from .source import Source
from .words import SPOKEN, form_help, json_type, shown, spoken


@dataclass(frozen=True)
class Shape:
    """What was found: the problems, and the nodes (by `id`) whose own value is not to be used."""

    problems: list[Problem] = field(default_factory=list)
    bad: set[int] = field(default_factory=set)

    def good(self, node: Node | None) -> bool:
        return node is not None and not node.refused and id(node) not in self.bad


Hint = Callable[[str, Node], str | None]
"""Help for a node that is not the thing with the given title, or None.

For what is missing or empty there is no such node; then it is the root of the file.
"""


def check_shape(source: Source, kind: str, hint: Hint = lambda title, node: None) -> Shape:
    """Compare the tree of `source` with the schema of its kind, one of `KINDS`. `hint` may know a better help."""
    shape = Shape()
    if source.root is not None:
        file = f"{kind}.schema.json"
        _Checker(source, shape, hint).check(source.root, Resolved(file, load_schema(file)), None)
    if len(shape.problems) >= MAX_PROBLEMS:
        message = f"more than {MAX_PROBLEMS} problems: the rest of the file was not compared with its schema"
        shape.problems.append(source.problem("too-many-problems", message, Place(source.file, 1, 1)))
    return shape


class _Checker:
    def __init__(self, source: Source, shape: Shape, hint: Hint) -> None:
        self.source = source
        self.shape = shape
        self.hint = hint
        self.explained: set[int] = set()
        """Keys (by `id`) of which everything was said before they are reached."""

    def check(self, node: Node, rule: Resolved, key: Scalar | None) -> None:
        """Check a node against a schema. `key` is the key it is the value of."""
        if node.refused or len(self.shape.problems) >= MAX_PROBLEMS:
            return
        schema = rule.schema
        if "oneOf" in schema and "required" not in schema["oneOf"][0]:
            self._one_of(node, rule, key)
            return
        if not self._kind(node, rule):
            return
        if isinstance(node, Table):
            self._table(node, rule, key)
        elif isinstance(node, Items):
            self._items(node, rule)
        else:
            self._scalar(node, rule)

    def _report(self, problem: Problem, node: Node) -> None:
        self.shape.problems.append(problem)
        self.shape.bad.add(id(node))

    def _kind(self, node: Node, rule: Resolved) -> bool:
        legal = types_of(rule.schema)
        found = json_type(node)
        if not legal or found in legal or (found == "integer" and "number" in legal):
            return True
        help = self.hint(rule.title, node)
        if help is not None:
            pass
        elif legal == {"boolean"}:
            help = "the truth values are `true` and `false`, without quotes"
        elif "string" in legal and "pattern" not in rule.schema and isinstance(node, Scalar) and found != "null":
            help = f'YAML reads `{node.text}` as a {SPOKEN[found]}: write "{node.text}" if the text is meant'
        elif legal == {"array"} and isinstance(node, Scalar) and found != "null":
            help = f"a list is written `[{node.text}]`, or one entry a line after `- `"
        elif legal == {"object"}:
            help = "a mapping is written `key: value`, one a line"
        elif isinstance(node, Scalar) and node.quoted:
            help = "take the quotes away"
        self._report(self.source.problem("wrong-kind", f"expected {rule.title}, not {spoken(node)}", node, help), node)
        return False

    def _scalar(self, node: Scalar, rule: Resolved) -> None:
        schema = rule.schema
        legal = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if legal is not None:
            texts = [str(value) for value in legal]
            if node.text not in texts or (json_type(node) == "string") != isinstance(
                legal[texts.index(node.text)], str
            ):
                message = f"expected {rule.title}, not {spoken(node)}"
                near = self.hint(rule.title, node) or did_you_mean(node.text, texts)
                self._report(self.source.problem("wrong-value", message, node, near), node)
            return
        is_text = json_type(node) == "string"
        if is_text and "pattern" in schema and not _matches(schema["pattern"], node.text):
            message = f"expected {rule.title}, not {shown(node.text)}"
            help = self.hint(rule.title, node) or form_help(node.text)
            self._report(self.source.problem("wrong-form", message, node, help), node)
        elif is_text and len(node.text) < schema.get("minLength", 0):
            self._report(self.source.problem("wrong-form", f"expected {rule.title}, not an empty text", node), node)
        elif not is_text and ("minimum" in schema or "maximum" in schema) and not _within(node.text, schema):
            message = f"expected {rule.title}, not {shown(node.text)}"
            self._report(self.source.problem("out-of-bounds", message, node), node)

    def _items(self, node: Items, rule: Resolved) -> None:
        schema = rule.schema
        if len(node.items) < schema.get("minItems", 0):
            message = f"expected {rule.title} with at least one entry"
            help = self.hint(rule.title, self.source.root or node)
            self._report(self.source.problem("too-few", message, node, help), node)
        if schema.get("uniqueItems"):
            seen: set[object] = set()
            for item in node.items:
                name = _identity(item)
                if name in seen and not item.refused:
                    message = f"{spoken(item)} stands twice in this list"
                    self._report(self.source.problem("repeated-item", message, item, "remove one of the two"), node)
                seen.add(name)
        for item in node.items:
            self.check(item, rule.to(schema["items"]), None)

    def _table(self, node: Table, rule: Resolved, owner: Scalar | None) -> None:
        schema = rule.schema
        explained = self._indentation(node, rule)
        closed = schema.get("additionalProperties") is False
        properties = schema.get("properties", {})
        unknown = [key for key in node.keys if key not in properties and key not in explained]
        meant = meant_keys(unknown[:MAX_PROBLEMS], [*node.keys, *explained], rule) if closed and unknown else {}
        self._missing(node, rule, owner, {*explained, *meant.values()})
        missing = missing_keys({*node.keys, *explained, *meant.values()}, rule) if closed and unknown else []
        if len(node.keys) < schema.get("minProperties", 0):
            least = schema["minProperties"]
            message = f"expected {rule.title} with at least {least} {'entry' if least == 1 else 'entries'}"
            self._report(self.source.problem("too-few", message, owner or node), node)
        elif len(node.keys) > schema.get("maxProperties", len(node.keys)):
            message = f"expected {rule.title}, not {len(node.keys)} entries in one"
            self._report(self.source.problem("too-many", message, owner or node, "write each as a list entry"), node)
        for name, value in node.values.items():
            key = node.keys[name]
            if len(self.shape.problems) >= MAX_PROBLEMS:
                return
            if name in explained or id(key) in self.explained:
                continue
            if name in properties:
                self.check(value, rule.to(properties[name]), key)
            elif closed:
                help = self._where(name, meant.get(name), missing, rule)
                self.shape.problems.append(
                    self.source.problem("unknown-key", f"`{name}` is no key of {rule.title}", key, help)
                )
            else:
                self._free_name(key, value, rule)

    def _free_name(self, key: Scalar, value: Node, rule: Resolved) -> None:
        names = rule.to(rule.schema["propertyNames"])
        if not _matches(names.schema["pattern"], key.text):
            message = f"expected {names.title}, not {shown(key.text)}"
            self._report(self.source.problem("wrong-name", message, key, form_help(key.text)), value)
        self.check(value, rule.to(rule.schema["additionalProperties"]), key)

    def _indentation(self, node: Table, rule: Resolved) -> set[str]:
        """Reports keys that stand one level too far out or in. The answer: names of which nothing else is said here."""
        explained: set[str] = set()
        for owner, names in not_indented(self.source, node, rule):
            *front, last = (f"`{name}`" for name in (names if len(names) <= 4 else names[:3]))
            listed = f"{', '.join(front)} and {last}" if front else last
            listed = listed if len(names) <= 4 else f"{', '.join([*front, last])} and {len(names) - 3} more"
            stand = "stand" if len(names) > 1 else "stands"
            message = f"{listed} {stand} beside `{owner.text}`, which is empty"
            help = f"indent {listed} under `{owner.text}`"
            if owner.text == "cases":
                help = f"begin each case with `- `, and indent it: `- {{{names[0]}: …, expect: …}}`"
            first = node.keys[names[0]]
            lost = node.values[owner.text] if "properties" in rule.schema else node
            self._report(self.source.problem("wrong-indentation", message, first, help), lost)
            explained.update(names)
        for name, (key, owner_name) in indented_keys(self.source, node, rule).items():
            message = f"this line is indented, so YAML reads it as part of `{owner_name}`"
            column = next(iter(node.keys.values())).column
            help = f"move `{name}:` to {'the first column' if column == 1 else f'column {column}'}"
            self._report(self.source.problem("wrong-indentation", message, key, help), node.values[owner_name])
            self.explained.add(id(key))
            explained.add(name)
        return explained

    def _missing(self, node: Table, rule: Resolved, owner: Scalar | None, explained: set[str]) -> None:
        """Reports the keys that are needed and not given, but those that were found under another name."""
        schema = rule.schema
        properties = schema.get("properties", {})
        unknown = [key for key in node.keys if key not in properties]
        if schema.get("additionalProperties") is False:
            unknown = []  # what was meant by one is said where it stands
        missing = {
            key: nearest(key, unknown) or next((name for name in unknown if other_word(name, [key])), None)
            for key in schema.get("required", ())
            if key not in node.keys and key not in explained
        }
        if missing:
            *front, last = (f"`{key}`" for key in missing)
            listed = f"{', '.join(front)} and {last}" if front else last
            help = "\n".join(
                f"did you mean it by `{near}`?" if near else self._needed(key, node, rule)
                for key, near in missing.items()
            )
            misspelt = next((node.keys[near] for near in missing.values() if near), None)
            message = f"{rule.title} needs {listed}"
            self.shape.problems.append(self.source.problem("missing-key", message, misspelt or owner or node, help))
        choices = [choice["required"][0] for choice in schema.get("oneOf", ())]
        given = [key for key in choices if key in node.keys]
        listed = ", ".join(f"`{key}`" for key in choices)
        if choices and not given and not explained & set(choices):
            message = f"{rule.title} needs one of {listed}"
            self.shape.problems.append(self.source.problem("missing-key", message, owner or node))
        elif len(given) > 1:
            extra = max((node.keys[key] for key in given), key=lambda key: (key.line, key.column))
            message = f"{rule.title} takes only one of {listed}"
            self._report(self.source.problem("keys-exclude", message, extra, "remove all but one"), node)

    def _needed(self, key: str, node: Node, rule: Resolved) -> str:
        """What to write for a key that is missing."""
        schema = rule.schema["properties"][key]
        help = self.hint(rule.to(schema).title, self.source.root or node)
        return help or f"`{key}`: {schema.get('description', '')}"

    def _where(self, name: str, meant: str | None, missing: Sequence[str], rule: Resolved) -> str:
        """Help for an unknown key: the one that was meant, and where it belongs if it is a key of something else."""
        legal = rule.schema.get("properties", {})
        home = belongs(name, but=rule.title)
        near = meant or (None if missing else nearest(name, legal))
        if home is None and near is None and missing:
            return "what is missing here: " + ", ".join(f"`{key}`" for key in missing)
        if home is None:
            return f"did you mean `{near}`?" if near else did_you_mean(name, legal, "legal")
        return f"did you mean `{near}`? {home}" if near else home

    def _one_of(self, node: Node, rule: Resolved, key: Scalar | None) -> None:
        found = json_type(node)
        branches = [rule.to(branch) for branch in rule.schema["oneOf"]]
        for branch in branches:
            if found in types_of(branch.schema):
                named = branch.titled(rule.title) if "const" in branch.schema else branch
                self.check(node, named, key)
                return
        message = f"expected {rule.title}, not {spoken(node)}"
        self._report(self.source.problem("wrong-kind", message, node), node)


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    # Python's `$` also matches before a last line feed; that of JSON Schema does not.
    return re.compile(pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern)


def _matches(pattern: str, text: str) -> bool:
    return _pattern(pattern).search(text) is not None


def _within(text: str, schema: Schema) -> bool:
    if text[:2] in ("0x", "0o"):
        return False
    number = Decimal(text)
    return bool(schema.get("minimum", number) <= number <= schema.get("maximum", number))


def _identity(node: Node) -> object:
    """What makes two entries of a list the same."""
    return node.text if isinstance(node, Scalar) else id(node)
