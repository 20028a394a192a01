"""What a provider puts around an answer: read strictly where it counts (the model, the tokens), and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from .calls import SendError, Usage
from .strict_json import NotJson, parse

_LONGEST_NAME = 200
_MOST_TOKENS = 10**12


def envelope_of(raw: str) -> dict[str, object]:
    """The object that the text of a body is. Raises SendError."""
    message = "the answer is no object of JSON"
    try:
        value = parse(raw)
    except NotJson as error:
        message = f"the answer cannot be read: {error.message}"
    else:
        if isinstance(value, dict):
            return cast("dict[str, object]", value)
    raise SendError("answer-not-json", message, raw=raw)


def usage_of(envelope: Mapping[str, object], more: tuple[str, ...] = ()) -> Usage | None:
    """The tokens that an envelope states; `more` are entries that count as input too. None if it states none."""
    usage = envelope.get("usage")
    if not isinstance(usage, dict):
        return None
    counted = [usage.get("input_tokens"), usage.get("output_tokens"), *(usage.get(name) or 0 for name in more)]
    counts = [one for one in counted if isinstance(one, int) and not isinstance(one, bool) and 0 <= one < _MOST_TOKENS]
    if len(counts) < len(counted):
        return None
    return Usage(counts[0] + sum(counts[2:]), counts[1])


def name_in(envelope: Mapping[str, object], key: str) -> str | None:
    """A short printable text, such as the name of a model. None if it is none."""
    value = envelope.get(key)
    good = isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME and value.isprintable()
    return cast("str", value) if good else None
