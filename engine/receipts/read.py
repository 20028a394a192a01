"""A receipt that somebody hands us, which may hold anything: read within bounds, and compared with its schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import Problem, UsageError
from ..home import SCHEMAS
from ..json_form import Form, no_constant, strictly

MAX_BYTES = 16 * 1024 * 1024
_MOST = 20
"""Problems that are listed."""
_HELP = "give a file that `fiel judge --receipt` wrote"


def read_receipt(path: Path) -> dict[str, Any]:
    """The content of a receipt. Raises UsageError if it cannot be read, or is not of the form of its schema."""
    content = _decoded(path, _bytes_of(path))
    schema = json.loads((SCHEMAS / "receipt.schema.json").read_text(encoding="utf-8"))
    form = content.get("format") if isinstance(content, dict) else None
    if isinstance(content, dict) and form != 1 and isinstance(form, int) and not isinstance(form, bool):
        message = f"the receipt is of format {form}, and this version of Fiel reads format 1"
        raise UsageError(_problem("receipt-form", path, message, "replay it with the version that wrote it"))
    found = []
    for message, help in Form(schema, "receipt").check(content):
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
        return json.loads(data.decode("utf-8"), object_pairs_hook=strictly, parse_constant=no_constant)
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"byte {error.start + 1} of the file is not UTF-8") from None
    except json.JSONDecodeError as error:
        message = f"the file is no JSON: line {error.lineno}, column {error.colno}: {error.msg.lower()}"
        raise _unreadable(path, message) from None
    except ValueError as error:
        raise _unreadable(path, f"the file is no JSON as receipts have it: {error}") from None
    except RecursionError:
        raise _unreadable(path, "the file nests too many levels") from None
