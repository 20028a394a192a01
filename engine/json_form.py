"""A JSON value that somebody hands us against its schema: the part of JSON Schema that schemas of such files use.

Beside type, properties and items: `const`, `enum`, `$ref` into `$defs`, `oneOf` of null and one other, `pattern`,
`minItems`, `minProperties`, `maxLength`, and the bounds of numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from .errors import did_you_mean

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_SPOKEN = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
    "null": "`null`",
}


def strictly(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `object_pairs_hook`: an object whose entries each stand once. Raises ValueError."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an entry stands twice in one object")
    return found


def no_constant(name: str) -> None:
    """For `parse_constant`: NaN and infinities are no numbers. Raises ValueError."""
    raise ValueError(f"`{name}` is no number of JSON")


class Form:
    """A schema, with the word for what it describes (`receipt`)."""

    def __init__(self, schema: Mapping[str, Any], what: str) -> None:
        self.schema, self.what = schema, what
        self.definitions: Mapping[str, Any] = schema["$defs"]

    def check(self, value: object) -> Iterator[tuple[str, str | None]]:
        """Message and perhaps help for each part of the value that is not as it should be."""
        return self.problems(value, self.schema, "")

    def problems(self, value: object, rule: Mapping[str, Any], at: str) -> Iterator[tuple[str, str | None]]:
        """The same for a part, which stands at `at` and has a rule of its own."""
        while "$ref" in rule:
            rule = self.definitions[rule["$ref"].rpartition("/")[2]]
        name = f"`{at}`" if at else f"the {self.what}"
        if "oneOf" in rule:
            if value is not None:
                yield from self.problems(value, rule["oneOf"][1], at)
            return
        listed = [rule["const"]] if "const" in rule else rule.get("enum")
        if listed is not None:
            if not any(value == one and type(value) is type(one) for one in listed):
                yield f"{name} is {_shown(value)}, none of {', '.join(f'`{one}`' for one in listed)}", None
            return
        kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
        if not any(type(value) in _TYPES[kind] for kind in kinds):
            yield f"{name} is {_shown(value)}, and not {' or '.join(_SPOKEN[kind] for kind in kinds)}", None
        elif isinstance(value, dict):
            yield from self._object(value, rule, at)
        elif isinstance(value, list):
            if len(value) < rule.get("minItems", 0):
                yield f"{name} is empty", None
            for number, item in enumerate(value):
                yield from self.problems(item, rule["items"], f"{at}[{number}]")
        elif isinstance(value, str):
            yield from _text_problems(value, rule, name, self.what)
        elif isinstance(value, int) and not isinstance(value, bool):
            if not rule.get("minimum", value) <= value <= rule.get("maximum", value):
                yield f"{name} is not from {rule['minimum']} to {rule['maximum']}", None

    def _object(self, value: Mapping[str, Any], rule: Mapping[str, Any], at: str) -> Iterator[tuple[str, str | None]]:
        legal = rule["properties"]
        inner = f"{at}." if at else ""
        for key in rule.get("required", ()):
            if key not in value:
                yield f"`{inner}{key}` is missing", None
        if len(value) < rule.get("minProperties", 0):
            yield f"`{at}` is empty", None
        for key, each in value.items():
            if key in legal:
                yield from self.problems(each, legal[key], inner + key)
            elif rule["additionalProperties"] is False:
                yield f"{_shown(key)} is no entry of {f'`{at}`' if at else f'a {self.what}'}", did_you_mean(key, legal)
            else:
                yield from self.problems(each, rule["additionalProperties"], inner + key)


def _text_problems(value: str, rule: Mapping[str, Any], name: str, what: str) -> Iterator[tuple[str, str | None]]:
    pattern = rule.get("pattern")
    if "\0" in value or re.search("[\ud800-\udfff]", value):
        yield f"{name} holds a character that no {what} has", None
    elif len(value) > rule.get("maxLength", len(value)):
        yield f"{name} is longer than {rule['maxLength']} characters", None
    elif pattern is not None and not re.search(re.sub(r"\$\Z", r"\\Z", pattern), value):
        yield f"{name} is {_shown(value)}, and not of the form `{pattern}`", None
    elif pattern is not None and "[0-9]{4}" in pattern:
        try:
            datetime.fromisoformat(value)
        except ValueError:
            yield f"{name} is {_shown(value)}, which is no day of the calendar", None


def _shown(value: object) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=True)
    return f"`{text if len(text) <= 60 else text[:59] + '…'}`"
