"""`quotient(a, b, places)`: exact division in views, rounded once, with halves away from zero."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .test_views import BIG, item, pack_of, rows_of

PLACES = {0: "0", 1: "1", 2: "two"}
NUMBERS = st.integers(-(10**6), 10**6)
PRICES = st.decimals(Decimal("-999.99"), Decimal("999.99"), places=2)


def nearest(above: int | Decimal, below: int | Decimal, places: int) -> Decimal | None:
    return None if below == 0 else (Decimal(above) / Decimal(below)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


@given(st.lists(st.tuples(NUMBERS, st.integers(-60, 60), PRICES), min_size=20, max_size=20))
@settings(max_examples=6, deadline=None)
def test_a_quotient_is_the_nearest_decimal_with_halves_away_from_zero(many: list[tuple[int, int, Decimal]]) -> None:
    listed = ", ".join(f"quotient(n, m, {w}) as x{p}, quotient(price, m, {w}) as y{p}" for p, w in PLACES.items())
    rows = [item(f"{i:02}", n=n) | {"m": m, "price": price} for i, (n, m, price) in enumerate(many)]
    with TemporaryDirectory() as folder:
        found = rows_of(Path(folder), f"-- key: id\ncreate view v as select id, {listed} from item;", "v", item=rows)
    for (_, *values), (n, m, price) in zip(found, many, strict=True):
        assert values == [q for p in PLACES for q in (nearest(n, m, p), nearest(price, m, p))]


def test_a_quotient_of_what_is_unknown_or_of_nothing_or_too_long_is_null(tmp_path: Path) -> None:
    view = "-- key: id\ncreate view v as select id, quotient(n, m, two) as x, quotient(price, n, two) as y from item;"
    rows = [item("1", n=BIG) | {"m": 1}, item("2", n=0) | {"m": 0, "price": Decimal(1)}, item("3", n=10**15)]
    rows += [item("4", n=10**15) | {"m": 1}]
    found = rows_of(tmp_path, view, "v", item=rows)
    assert found == [("1", None, None), ("2", None, None), ("3", None, None), ("4", Decimal("1E+15"), None)]


@pytest.mark.parametrize("written", ["n / m, m, two", "n, m", "n, m, weight", "n, m, n", "box, m, two", "size, m, two"])
def test_a_quotient_takes_exact_numbers_and_a_constant_number_of_places(tmp_path: Path, written: str) -> None:
    _, problems = pack_of(tmp_path, f"-- key: id\ncreate view v as select id, quotient({written}) as x from item;")
    assert [one.split()[1] for one in problems] == ["wrong-arguments"]


def test_a_quotient_of_two_units_has_to_say_its_own(tmp_path: Path) -> None:
    view = "create view v as select i.id, quotient(i.price, b.width, two) as x from item as i cross join box as b;"
    _, problems = pack_of(tmp_path, f"-- key: id\n{view}")
    assert [one.split()[1] for one in problems] == ["unit-mismatch"]
    declared = f"-- key: id\n-- x: decimal(18,2) EUR\n{view}"
    rows = [item("1") | {"price": Decimal("2.50")}]
    assert rows_of(tmp_path, declared, "v", item=rows, box=[{"box": "a", "width": 4}]) == [("1", Decimal("0.63"))]


def test_a_quotient_that_no_128_bits_hold_is_refused_when_loading(tmp_path: Path) -> None:
    wide = "quotient(weight * weight * weight * price * price * price * price, m, two)"
    _, problems = pack_of(
        tmp_path, f"-- key: id\n-- x: decimal(18,2) EUR\ncreate view v as select id, {wide} as x from item;"
    )
    assert [one.split()[1] for one in problems] == ["decimal-too-wide"]
