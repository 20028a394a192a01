"""The names of the reports on a folder of documents, and which files of an earlier run are out of date."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .run_folder import MOST_BYTES

INDEX = "index"
RUNS = "runs"
_MOST_NAME = 240
"""Bytes of a name without its ending: file systems take 255 with it."""


def page_names(documents: Sequence[str]) -> dict[str, str]:
    """For each document the path of its report in the folder of reports, without an ending, with `/`.

    Two that would share one are told apart, also where capitals do not count. A name that is too long is cut, and told
    apart by its digest.
    """
    names: dict[str, str] = {}
    taken = {INDEX, RUNS}
    for one in documents:
        plain = os.path.splitext(one)[0]
        name = next(found for found in _choices(plain, one) if found.casefold() not in taken)
        taken.add(name.casefold())
        names[one] = name
    return names


def _choices(plain: str, document: str) -> list[str]:
    digest = hashlib.sha256(document.encode("utf-8")).hexdigest()
    return [_short(name, digest) for name in (plain, f"{document}-report", f"{document}-{digest[:12]}", digest)]


def _short(name: str, digest: str) -> str:
    folder, file = os.path.split(name)
    data = file.encode("utf-8")
    if len(data) > _MOST_NAME:
        file = f"{data[: _MOST_NAME - 13].decode('utf-8', 'ignore')}-{digest[:12]}"
    return f"{folder}/{file}" if folder else file


def outdated_pages(out: Path, kept: Sequence[str]) -> list[Path]:
    """The pages that an earlier run wrote, by its own index, and this one did not. They speak of texts as they were.

    What the index says is not believed: it may have been written by anybody.
    """
    root, found = out.resolve(), list[Path]()
    written = {(out / page).resolve() for page in kept}
    for page in _pages_of(out / f"{INDEX}.json"):
        with suppress(OSError, ValueError):  # a name that no file can have
            old = (out / page).resolve()
            if page.endswith(".html") and old not in written and old.is_relative_to(root):
                found += [path for path in (out / page, (out / page).with_suffix(".json")) if path.is_file()]
    return found


def _pages_of(index: Path) -> list[str]:
    try:
        found = json.loads(index.read_text("utf-8")) if index.stat().st_size <= MOST_BYTES else None
    except (OSError, ValueError, RecursionError):
        return []
    entries = found.get("entries") if isinstance(found, dict) else None
    pages = [one.get("page") for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
    return [page for page in pages if isinstance(page, str)]
