"""A file of the shop pack with something in it replaced."""

from __future__ import annotations

from pathlib import Path


def replace_in(home: Path, name: str, old: str, new: str) -> None:
    path = home / "policies/shop" / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
