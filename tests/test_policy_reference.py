"""The reference of files is what the schemas say. FIEL_REWRITE=1 makes the page anew."""

from __future__ import annotations

import os
import re

from engine.load.schemas import KINDS, load_schema

from .conftest import ROOT
from .reference_page import page

PAGE = ROOT / "docs" / "policy-reference.md"


def test_the_reference_is_what_the_schemas_say() -> None:
    if os.environ.get("FIEL_REWRITE"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), "run this test with FIEL_REWRITE=1"


def keys_of(schema: object) -> set[str]:
    """Every key that a schema lists, at any depth."""
    if isinstance(schema, list):
        return {key for part in schema for key in keys_of(part)}
    if not isinstance(schema, dict):
        return set()
    own = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
    return own | {key for part in schema.values() for key in keys_of(part)}


def test_every_key_is_in_the_reference_with_a_meaning_of_its_own() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|\n]+) \| [^|\n]* \| ([^|\n]+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = {key for key, _, _ in rows}
    wanted = {key for kind in KINDS for key in keys_of(load_schema(f"{kind}.schema.json"))}
    assert wanted <= listed
    thin = [(key, meaning) for key, _, meaning in rows if len(meaning.split()) < 3]
    assert thin == []


def test_links_within_the_page_lead_somewhere() -> None:
    text = PAGE.read_text("utf-8")
    heads = {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= heads
