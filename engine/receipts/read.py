"""A receipt that somebody hands us, which may hold anything: read within bounds, and compared with its schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from ..errors import Problem, UsageError, did_you_mean
from ..home import SCHEMAS

MAX_BYTES = 16 * 1024 * 1024
_MOST = 20
"""Problems that are listed."""
_HELP = "give a file that `fiel judge --receipt` wrote"

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
_SPOKEN = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "boolean": "`true` or `false`",
    "null": "`null`",
}


def read_receipt(path: Path) -> dict[str, Any]:
    """The content of a receipt. Raises UsageError if it cannot be read, or is not of the form of its schema."""
    content = _decoded(path, _bytes_of(path))
    schema = json.loads((SCHEMAS / "receipt.schema.json").read_text(encoding="utf-8"))
    form = content.get("format") if isinstance(content, dict) else None
    if isinstance(content, dict) and form != 1 and isinstance(form, int) and not isinstance(form, bool):
        message = f"the receipt is of format {form}, and this version of Fiel reads format 1"
        raise UsageError(_problem("receipt-form", path, message, "replay it with the version that wrote it"))
    found = []
    for message, help in _Form(schema).problems(content, schema, ""):
        found.append(_problem("receipt-form", path, message, help or _HELP))
        if len(found) == _MOST:
            break
    if found:
        raise UsageError(found)
    assert isinstance(content, dict)
    return content


def _problem(code: str, path: Path, message: str, help: str) -> Problem:
    return Problem(code, message, where=str(path), help=help)


def _unreadable(path: Path, message: str, help: str = _HELP) -> UsageError:
    return UsageError(_problem("receipt-unreadable", path, message, help))


def _bytes_of(path: Path) -> bytes:
    try:
        if not path.is_file():
            what = "there is no such file" if not path.exists() else "this is no regular file"
            raise _unreadable(path, what)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise _unreadable(path, f"the receipt cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise _unreadable(path, f"the file is larger than {MAX_BYTES:,} bytes, and no receipt is")
    return data


def _decoded(path: Path, data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"byte {error.start + 1} of the file is not UTF-8") from None
    except json.JSONDecodeError as error:
        message = f"the file is no JSON: line {error.lineno}, column {error.colno}: {error.msg.lower()}"
        raise _unreadable(path, message) from None
    except ValueError as error:
        raise _unreadable(path, f"the file is no JSON as receipts have it: {error}") from None
    except RecursionError:
        raise _unreadable(path, "the file nests too many levels") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an entry stands twice in one object")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"`{name}` is no number of JSON")


class _Form:
    """Compares a value with the part of JSON Schema that `receipt.schema.json` is written in."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.definitions: Mapping[str, Any] = schema["$defs"]

    def problems(self, value: object, rule: Mapping[str, Any], at: str) -> Iterator[tuple[str, str | None]]:
        """Message and perhaps help for each part of `value`, which stands at `at`, that is not as it should be."""
        while "$ref" in rule:
            rule = self.definitions[rule["$ref"].rpartition("/")[2]]
        name = f"`{at}`" if at else "the receipt"
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
            yield from _text_problems(value, rule, name)
        elif isinstance(value, int) and not isinstance(value, bool):
            if not rule["minimum"] <= value <= rule["maximum"]:
                yield f"{name} is not from {rule['minimum']} to {rule['maximum']}", None

    def _object(self, value: Mapping[str, Any], rule: Mapping[str, Any], at: str) -> Iterator[tuple[str, str | None]]:
        legal = rule["properties"]
        inner = f"{at}." if at else ""
        for key in rule.get("required", ()):
            if key not in value:
                yield f"`{inner}{key}` is missing", None
        for key, each in value.items():
            if key in legal:
                yield from self.problems(each, legal[key], inner + key)
            elif rule["additionalProperties"] is False:
                yield f"{_shown(key)} is no entry of {f'`{at}`' if at else 'a receipt'}", did_you_mean(key, legal)
            else:
                yield from self.problems(each, rule["additionalProperties"], inner + key)


def _text_problems(value: str, rule: Mapping[str, Any], name: str) -> Iterator[tuple[str, str | None]]:
    pattern = rule.get("pattern")
    if "\0" in value or re.search("[\ud800-\udfff]", value):
        yield f"{name} holds a character that no receipt has", None
    elif pattern is not None and not re.search(pattern.removesuffix("$") + r"\Z", value):
        yield f"{name} is {_shown(value)}, and not of the form `{pattern}`", None
    elif pattern is not None and "[0-9]{4}" in pattern:
        try:
            date.fromisoformat(value)
        except ValueError:
            yield f"{name} is {_shown(value)}, which is no day of the calendar", None


def _shown(value: object) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=True)
    return f"`{text if len(text) <= 60 else text[:59] + '…'}`"
