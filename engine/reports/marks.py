"""The marks of a report: finds, proposals and corrections, each with its stretch of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..attest import Claim, Official, Pinned, Proposed, Withheld, attest
from ..canonical import shown
from ..report import Correction, Find, Proposal, Span
from ..report_plan import CellLookUp, Finds
from ..verdict import Value
from .wording import said

if TYPE_CHECKING:
    from .make import Material

Row = Mapping[str, Value]


def spans_of(row: Row) -> tuple[Span, ...]:
    """The stretch of a row; none if it has none."""
    start, end = row.get("start_at"), row.get("end_at")
    return (Span(start, end),) if isinstance(start, int) and isinstance(end, int) else ()


def looked_up(of: Material, plan: CellLookUp, row: Row) -> Official | Withheld:
    """What a reference says of a row. What the row claims and the reference does not have is withheld."""
    name = plan.reference or _text(row, plan.column or "") or ""
    pinned = of.pinned.get(name)
    if pinned is None:
        return Withheld("unknown_reference", None, f"no pack declares a reference `{name}`")
    key = {one: _key_part(row.get(plan.key.get(one, one))) for one in pinned.reference.key}
    claimed = _text(row, plan.claims) if plan.claims is not None else _cell(pinned, key, plan.show)
    return attest(Claim(claimed, name, key, plan.show), of.pinned)


def _key_part(value: Value) -> str | None:
    return None if value is None else shown(value)


def _cell(pinned: Pinned, key: Mapping[str, str | None], column: str) -> str | None:
    """The cell itself, where nobody claims anything: `attest` confirms it, or says why it cannot."""
    return pinned.lookup.look(key, column).value if pinned.lookup is not None else None


def _text(row: Row, column: str) -> str | None:
    value = row.get(column)
    return None if value is None else shown(value)


def band_of(scale: Sequence[str], value: str | None) -> int | None:
    """The place of a value on the scale, from 1: its own, or that of the longest value that it begins with."""
    fitting = [one for one in scale if value is not None and value.startswith(one)]
    return scale.index(max(fitting, key=len)) + 1 if fitting else None


def finds(of: Material) -> tuple[Find, ...]:
    """What references have, in the order of the text; uses of one entry are one find."""
    grouped: dict[tuple[object, ...], list[tuple[Span, Row, Finds, Official | Withheld]]] = {}
    for plan in of.plan.finds:
        for row in of.of(plan.rows):
            value = looked_up(of, plan.value, row)
            if isinstance(value, Official):
                about: object = (value.reference, tuple(value.key.items()), value.column, value.value)
            else:
                about = (value.reason, _text(row, plan.name), _text(row, plan.kind or ""))
            for span in spans_of(row):
                grouped.setdefault((about,), []).append((span, row, plan, value))
    ordered = sorted(grouped.values(), key=lambda uses: min((u[0].start, u[0].end) for u in uses))
    return tuple(_find(of, number, sorted(uses, key=_place)) for number, uses in enumerate(ordered, 1))


def _place(use: tuple[Span, Row, Finds, Official | Withheld]) -> tuple[int, int]:
    return use[0].start, use[0].end


def _find(of: Material, number: int, uses: Sequence[tuple[Span, Row, Finds, Official | Withheld]]) -> Find:
    span, row, plan, value = uses[0]
    band = band_of(of.plan.scale, value.value) if isinstance(value, Official) else None
    return Find(
        f"o{number}",
        tuple(dict.fromkeys(use[0] for use in uses)),
        of.document.text[span.start : span.end],
        _text(row, plan.name) or "",
        _text(row, plan.kind or ""),
        value,
        band,
        _text(row, plan.note or "") or None,
    )


def proposals(of: Material) -> tuple[Proposal, ...] | None:
    """What was proposed, in the order of the text; None if nobody looked."""
    plan = of.plan.proposals
    if plan is None or of.rows.get(plan.rows) is None:
        return None
    rows = of.of(plan.rows)
    made = []
    for number, row in enumerate(sorted(rows, key=_order), 1):
        decided = _text(row, plan.decided_by) or ""
        official = looked_up(of, plan.official[decided], row) if decided in plan.official else None
        value = _text(row, plan.value) or ""
        sensor = next((one.sensor for one in of.runs if ("run_id", str(row["run_id"])) in one.facts), of.pack.name)
        counting = official.value if isinstance(official, Official) else value
        made.append(
            Proposal(
                f"p{number}",
                spans_of(row)[0],
                str(row["quote"]),
                _text(row, plan.name) or "",
                Proposed(value, sensor, str(row["run_id"])),
                official,
                band_of(of.plan.scale, counting),
                said(plan.counts.get(decided, {}), of.language, row) or "",
                _text(row, plan.title or ""),
            )
        )
    return tuple(made)


def corrections(of: Material) -> tuple[Correction, ...] | None:
    """What would be written otherwise, in the order of the text; None if nobody looked."""
    plan = of.plan.corrections
    if plan is None or of.rows.get(plan.rows) is None:
        return None
    rows = of.of(plan.rows)
    made = []
    for number, row in enumerate(sorted(rows, key=_order), 1):
        levels = of.pack.judged[plan.rows].columns[plan.weight].type.levels or ()
        weight = levels.index(str(row[plan.weight])) + 1
        tags = tuple(_tag(of, column, row) for column in plan.tags if row[column] is not None)
        made.append(
            Correction(
                f"e{number}",
                spans_of(row)[0],
                str(row["quote"]),
                _text(row, plan.better) or "",
                tags,
                weight,
                _text(row, plan.why) or "",
                _text(row, plan.language) or "",
            )
        )
    return tuple(made)


def _tag(of: Material, column: str, row: Row) -> str:
    assert of.plan.corrections is not None
    value = _text(row, column) or ""
    return said(of.plan.corrections.words.get(column, {}).get(value, {}), of.language) or value


def _order(row: Row) -> tuple[int, int, str]:
    start, end = row["start_at"], row["end_at"]
    return (
        start if isinstance(start, int) else 0,
        -end if isinstance(end, int) else 0,
        str(sorted(row.items(), key=str)),
    )
