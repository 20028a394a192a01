"""Generated views, worked out a second time in plain Python from `docs/semantics.md`, and compared row by row.

A view is made of parts, each with its SQL and with a Python function of the rows: joins, filters, groups with bounds of
counts, `union all`, `case`. The law is asked about only where something is there: the test counts what was met.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from engine.facts import from_rows, table
from engine.judging import Settings
from engine.lang.dialects import duckdb as dialect
from engine.lang.lower import CaseSets
from engine.lang.views import with_views
from engine.load.views import ViewReader
from engine.model import Pack

from .test_views import BIG, pack_of

Row = dict[str, object]
Value = Callable[[Row], object]
PAIRS = 400
VIEWS = 40


def _int(value: int) -> int | None:
    return value if -(2**63) <= value <= BIG else None


def _plus(x: object, y: object) -> object:
    return _int(x + y) if isinstance(x, int) and isinstance(y, int) else None


def _known(test: Callable[[object], bool], x: object) -> bool | None:
    return None if x is None else test(x)


@dataclass(frozen=True)
class Part:
    """A value or condition: its SQL over the alias `i`, and what it is of a row."""

    sql: str
    of: Value


INTS = [
    Part("i.n", lambda r: r["n"]),
    Part("i.m", lambda r: r["m"]),
    Part("i.n + i.m", lambda r: _plus(r["n"], r["m"])),
    Part("coalesce(i.m, i.n)", lambda r: r["m"] if r["m"] is not None else r["n"]),
    Part("i.m + i.m + i.n", lambda r: _plus(_plus(r["m"], r["m"]), r["n"])),
]
DECIMALS = [
    Part("i.price", lambda r: r["price"]),
    Part("weight * i.price", lambda r: None if r["price"] is None else Decimal("0.4") * r["price"]),  # type: ignore[operator]
    Part("coalesce(i.price, 0)", lambda r: r["price"] if r["price"] is not None else Decimal(0)),
]
TRUTHS = [
    Part("i.m > 0", lambda r: _known(lambda x: x > 0, r["m"])),  # type: ignore[operator]
    Part("i.n >= 1", lambda r: _known(lambda x: x >= 1, r["n"])),  # type: ignore[operator]
    Part("i.price > 0", lambda r: _known(lambda x: x > 0, r["price"])),  # type: ignore[operator]
    Part("i.m is null", lambda r: r["m"] is None),
]


def _bounds(name: str, part: Part | None, takes: Part | None, rows: list[Row]) -> object:
    """A count as a value: null if its two bounds differ."""
    sure = [r for r in rows if takes is None or takes.of(r) is True]
    may = [r for r in rows if takes is None or takes.of(r) is not False]
    if name == "count":
        low, high = len(sure), len(may)
    elif name == "count_if":
        assert part is not None
        low = sum(1 for r in sure if part.of(r) is True)
        high = sum(1 for r in may if part.of(r) is not False)
    else:
        assert part is not None
        seen = {part.of(r) for r in sure} - {None}
        low = max(len(seen), 1 if sure else 0)
        high = len({part.of(r) for r in may} - {None}) + sum(1 for r in may if part.of(r) is None)
    return low if low == high else None


def _folded(name: str, part: Part, takes: Part | None, rows: list[Row]) -> object:
    """A sum, minimum or maximum: null if a row may take part, or takes part with null, and over no rows."""
    flags = [True if takes is None else takes.of(r) for r in rows]
    if any(f is None for f in flags):
        return None
    values = [part.of(r) for r, f in zip(rows, flags, strict=True) if f]
    if not values or any(v is None for v in values):
        return None
    fold: Callable[[list[object]], object] = {"sum": sum, "min": min, "max": max}[name]  # type: ignore[dict-item]
    return fold(values)


@dataclass(frozen=True)
class View:
    sql: str
    of: Callable[[list[Row], list[Row]], Counter[tuple[object, ...]]]


def _aggregate(rng: random.Random) -> tuple[str, Callable[[list[Row]], object]]:
    takes = rng.choice([None, None, *TRUTHS])
    behind = f" filter (where {takes.sql})" if takes is not None else ""
    name = rng.choice(["count", "count_if", "distinct", "sum", "min", "max"])
    if name == "count":
        return f"count(*){behind}", lambda rows: _bounds("count", None, takes, rows)
    if name == "count_if":
        truth = rng.choice(TRUTHS)
        return f"count_if({truth.sql}){behind}", lambda rows: _bounds("count_if", truth, takes, rows)
    part = rng.choice(INTS + DECIMALS)
    if name == "distinct":
        return f"count(distinct {part.sql}){behind}", lambda rows: _bounds("distinct", part, takes, rows)
    return f"{name}({part.sql}){behind}", lambda rows: _folded(name, part, takes, rows)


def _groups(rng: random.Random) -> View:
    """A group a box, over the boxes that there are, with what a `left join` finds of them."""
    chosen = [_aggregate(rng) for _ in range(3)]
    listed = ", ".join(f"{sql} as x{i}" for i, (sql, _) in enumerate(chosen))
    keep = rng.choice([None, *TRUTHS[:3]])
    where = f" where {keep.sql}" if keep is not None else ""
    out = ", ".join(f"g.x{i}" for i in range(3))
    sql = (
        f"with g as (select i.box, {listed} from item as i{where} group by i.box)\n"
        f"select b.box, b.width, {out} from box as b left join g on g.box = b.box"
    )

    def of(items: list[Row], boxes: list[Row]) -> Counter[tuple[object, ...]]:
        found: Counter[tuple[object, ...]] = Counter()
        for box in boxes:
            rows = [r for r in items if r["box"] == box["box"] and (keep is None or keep.of(r) is True)]
            values = [f(rows) if rows else None for _, f in chosen]
            found[box["box"], box["width"], *values] += 1
        return found

    return View(sql, of)


def _rows(rng: random.Random) -> View:
    """Rows of a join, a case and a condition; perhaps twice, by `union all`."""
    arms = []
    for _ in range(rng.choice([1, 1, 2])):
        value, test, keep = rng.choice(INTS), rng.choice(TRUTHS), rng.choice(TRUTHS)
        asked = rng.choice(["", " and exists (select 1 from item as o where o.box = i.box and o.m > i.n)"])
        arms.append((value, test, keep, asked))
    sql = "\nunion all\n".join(
        f"select i.id, case when {test.sql} then {value.sql} else b.width end as x "
        f"from item as i join box as b on b.box = i.box where {keep.sql}{asked}"
        for value, test, keep, asked in arms
    ).replace("b.width end", "i.n end")

    def of(items: list[Row], boxes: list[Row]) -> Counter[tuple[object, ...]]:
        found: Counter[tuple[object, ...]] = Counter()
        for value, test, keep, asked in arms:
            for r in items:
                joined = sum(1 for b in boxes if b["box"] == r["box"])
                more = any(o["box"] == r["box"] and o["m"] is not None and o["m"] > r["n"] for o in items)  # type: ignore[operator]
                if keep.of(r) is True and (not asked or more):
                    found[r["id"], value.of(r) if test.of(r) is True else r["n"]] += joined
        return +found

    return View(sql, of)


def _facts(rng: random.Random) -> tuple[list[Row], list[Row]]:
    boxes: list[Row] = [{"box": b, "width": rng.randrange(3)} for b in "abc" if rng.random() < 0.8]
    items: list[Row] = [
        {
            "id": str(i),
            "box": rng.choice("abcd"),
            "n": rng.choice([0, 1, 2, 1, 2, 1, 0, BIG]),
            "m": rng.choice([None, 0, 1, 2, -1, 1, 2, 1]),
            "price": rng.choice([None, *map(Decimal, ("0.00", "0.10", "0.20", "0.30", "999999.99"))]),
            "size": 1.0,
            "level": None,
        }
        for i in range(rng.randrange(7))
    ]
    return items, boxes


def _pack(folder: Path, views: list[View]) -> Pack:
    plain, _ = pack_of(folder, "")
    assert plain is not None
    text = ""
    for number, view in enumerate(views):
        key = "id" if "select i.id" in view.sql else "box"
        text += _text(plain, number, key, view.sql, ["m", "n", "price"])
    pack, problems = pack_of(folder, text)
    assert problems == []
    assert pack is not None
    return pack


def _text(pack: Pack, number: int, key: str, sql: str, drops: list[str]) -> str:
    """The view with exactly the columns that it drops: the loader refuses one that is named for nothing."""
    while True:
        said = f"-- drops: {', '.join(drops)} because x\n" if drops else ""
        text = f"-- key: {key}\n{said}create view v{number} as {sql};\n"
        reader = ViewReader(text, "views.sql", pack.relations, pack.parameters)
        reader.read()
        assert {p.code for p in reader.problems} <= {"bad-view"}, [p.message for p in reader.problems]
        idle = {p.message.rsplit("`", 2)[1] for p in reader.problems}
        if not idle:
            return text
        drops = [d for d in drops if d not in idle]


def test_generated_views_agree_with_plain_python(tmp_path: Path) -> None:
    rng = random.Random(20)
    views = [rng.choice([_groups, _rows])(rng) for _ in range(VIEWS)]
    pack = _pack(tmp_path, views)
    met: Counter[str] = Counter()
    for _ in range(PAIRS // VIEWS):
        items, boxes = _facts(rng)
        with from_rows(
            {"item": items, "box": boxes}, dict(pack.relations), limits=Settings().limits, threads=1
        ) as base:
            tables = with_views(pack.views, {n: table(n) for n in base.present})
            for number, view in enumerate(views):
                found = Counter(base.select(f"SELECT * FROM {tables[f'v{number}']}").fetchall())
                wanted = view.of(items, boxes)
                assert found == wanted, (view.sql, items, boxes)
                met["rows"] += len(wanted)
                cells = [cell for row in wanted for cell in row[1:]]
                met["null"] += sum(1 for cell in cells if cell is None)
                met["known"] += sum(1 for cell in cells if cell is not None)
    assert min(met["null"], met["known"]) > PAIRS // 4


def test_no_case_sees_the_rows_of_another(tmp_path: Path) -> None:
    rng = random.Random(21)
    views = [rng.choice([_groups, _rows])(rng) for _ in range(12)]
    pack = _pack(tmp_path, views)
    each = [_facts(rng) for _ in range(6)]
    sets = CaseSets(tuple(range(6)), {"item": frozenset(range(6)), "box": frozenset(range(5))})
    with from_rows(
        {name: [] for name in ("item", "box")}, dict(pack.relations), limits=Settings().limits, threads=1
    ) as base:
        tables = {
            name: _literal(
                pack, name, [(n, r) for n, both in enumerate(each) for r in both[at] if (name, n) != ("box", 5)]
            )
            for at, name in enumerate(("item", "box"))
        }
        all_of = with_views(pack.views, tables, sets)
        for number, view in enumerate(views):
            rows = base.select(f"SELECT * FROM {all_of[f'v{number}']}").fetchall()
            for case in range(6):
                wanted = view.of(*each[case]) if case < 5 else Counter()
                assert Counter(row[1:] for row in rows if row[0] == case) == wanted, view.sql


def _literal(pack: Pack, name: str, rows: list[tuple[int, Row]]) -> str:
    columns = pack.relations[name].columns
    selects = [
        ", ".join(
            [f"{case} AS _case"]
            + [
                f"CAST({_spelled(row[n])} AS {dialect.type_name(c.type)}) AS {dialect.quote(n)}"
                for n, c in columns.items()
            ]
        )
        for case, row in rows
    ]
    return "(" + " UNION ALL ".join(f"SELECT {one}" for one in selects) + ")"


def _spelled(value: object) -> str:
    return "NULL" if value is None else f"'{value}'"
