"""Views: what they give is what `docs/semantics.md`, section 8, says; what they may not do is refused in its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.facts import from_rows, table
from engine.facts.factbase import FactBase
from engine.judging import Settings
from engine.lang.views import with_views
from engine.load.packs import load_packs
from engine.model import Pack

from .packs import PACK

RELATIONS = """
item:
  row: One item.
  key: [id]
  columns:
    id: {type: text}
    box: {type: text, required: true}
    n: {type: int, unit: none, required: true}
    m: {type: int, unit: none}
    price: {type: decimal, digits: 8, places: 2, unit: EUR}
    size: {type: float, unit: none, required: true}
    level: {type: levels, levels: [low, mid, high]}
box:
  row: One box.
  key: [box]
  columns:
    box: {type: text}
    width: {type: int, unit: cm, required: true}
"""
PARAMETERS = """
weight: {value: 0.4, unit: none, origin: convention, because: x}
two: {value: 2, unit: none, origin: convention, because: x}
fee:
  unit: EUR
  origin: convention
  because: x
  values: [{from: 2024-01-01, value: 3}]
"""
BIG = 2**63 - 1


def pack_of(folder: Path, views: str) -> tuple[Pack | None, list[str]]:
    root = folder / "policies" / "t"
    root.mkdir(parents=True, exist_ok=True)
    for name, text in (("pack.yaml", PACK), ("relations.yaml", RELATIONS), ("parameters.yaml", PARAMETERS)):
        (root / name).write_text(text, encoding="utf-8")
    (root / "views.sql").write_text(views, encoding="utf-8")
    loaded = load_packs(root)
    where = [f"{p.place.line}:{p.place.column}" if p.place else "" for p in loaded.problems]
    return loaded.packs.get("t"), [f"{at} {p.code}" for at, p in zip(where, loaded.problems, strict=True)]


def item(id: str, box: str = "a", n: int = 1, **more: object) -> dict[str, object]:
    return {"id": id, "box": box, "n": n, "m": None, "price": None, "size": 1.0, "level": None, **more}


def base_of(pack: Pack, **facts: list[dict[str, object]]) -> FactBase:
    return from_rows(facts, dict(pack.relations), limits=Settings().limits, threads=1)


def rows_of(folder: Path, views: str, name: str, **facts: list[dict[str, object]]) -> list[tuple[object, ...]]:
    """The rows of a view over these facts, in order."""
    pack, problems = pack_of(folder, views)
    assert problems == []
    assert pack is not None
    with base_of(pack, **facts) as base:
        tables = with_views(pack.views, {n: table(n) for n in base.present})
        return sorted(base.select(f"SELECT * FROM {tables[name]}").fetchall(), key=repr)


def single(folder: Path, column: str, rows: list[dict[str, object]], declared: str = "", more: str = "") -> object:
    """The value of one column for the one group of these rows."""
    view = f"-- key: box\n{declared}\ncreate view v as select box, {column} as x from item {more} group by box;"
    ((_, value),) = rows_of(folder, view, "v", item=rows)
    return value


# -- what they give --------------------------------------------------------------------------------------------


def test_a_sum_over_a_null_is_null_and_without_it_exact(tmp_path: Path) -> None:
    from decimal import Decimal

    rows = [item("1", price=Decimal("0.10")), item("2", price=Decimal("0.20"))]
    assert single(tmp_path, "sum(price)", rows) == Decimal("0.30")
    assert single(tmp_path, "sum(price)", [*rows, item("3")]) is None
    assert single(tmp_path, "sum(price) filter (where price is not null)", [*rows, item("3")]) == Decimal("0.30")


def test_a_count_whose_bounds_differ_is_null(tmp_path: Path) -> None:
    assert single(tmp_path, "count_if(m = n)", [item("1", m=1), item("2", m=2)]) == 1
    assert single(tmp_path, "count_if(m = n)", [item("1", m=1), item("2")]) is None
    assert single(tmp_path, "count(distinct m)", [item("1", m=1), item("2", m=1)]) == 1
    assert single(tmp_path, "count(distinct m)", [item("1", m=1), item("2")]) is None


def test_levels_are_highest_in_their_order_and_not_by_their_letters(tmp_path: Path) -> None:
    # Stored as ranks: of low, mid, high the highest is the third, though `mid` is the last by its letters.
    assert single(tmp_path, "max(level)", [item("1", level=2), item("2", level=3)]) == 3
    views = "-- key: id\ncreate view v as select id, level = 'mid' as x from item;"
    assert rows_of(tmp_path, views, "v", item=[item("1", level=2), item("2", level=3)]) == [("1", True), ("2", False)]


def test_an_int_that_overflows_and_a_division_by_zero_are_null(tmp_path: Path) -> None:
    views = "-- key: id\ncreate view v as select id, n + 1 as x, n / m as y from item;"
    given = [item("1", n=BIG, m=0), item("2", n=3, m=2)]
    assert rows_of(tmp_path, views, "v", item=given) == [("1", None, None), ("2", 4, 1.5)]


def test_a_declared_decimal_takes_what_fits_it_exactly(tmp_path: Path) -> None:
    from decimal import Decimal

    views = "-- key: id\n-- x: decimal(3,1) point\ncreate view v as select id, weight * n as x from item;"
    given = [item("1", n=5), item("2", n=6), item("3", n=250), item("4", n=10**6)]
    found = dict(rows_of(tmp_path, views, "v", item=given))  # type: ignore[arg-type]
    assert found == {"1": Decimal("2.0"), "2": Decimal("2.4"), "3": None, "4": None}
    narrow = views.replace("decimal(3,1)", "decimal(3,0)")
    found = dict(rows_of(tmp_path, narrow, "v", item=given))  # type: ignore[arg-type]
    assert found == {"1": Decimal("2"), "2": None, "3": Decimal("100"), "4": None}


def test_the_right_side_of_a_left_join_is_null_where_nothing_matches(tmp_path: Path) -> None:
    views = (
        "-- key: box\ncreate view c as select box, count(*) as k from item group by box;\n"
        "-- key: box\ncreate view v as select b.box, coalesce(c.k, 0) as k, c.k is null as none\n"
        "from box as b left join c on c.box = b.box;"
    )
    boxes: list[dict[str, object]] = [{"box": "a", "width": 1}, {"box": "b", "width": 1}]
    assert rows_of(tmp_path, views, "v", item=[item("1")], box=boxes) == [("a", 1, False), ("b", 0, True)]


def test_union_all_keeps_every_row_and_finds_a_decimal_for_both(tmp_path: Path) -> None:
    from decimal import Decimal

    views = (
        "-- key: id, kind\ncreate view v as select id, 'official' as kind, 1 as w from item "
        "union all select id, 'proposed' as kind, weight as w from item;"
    )
    found = rows_of(tmp_path, views, "v", item=[item("1")])
    assert found == [("1", "official", Decimal("1.0")), ("1", "proposed", Decimal("0.4"))]


def test_case_takes_the_first_true_branch_and_sub_queries_are_two_valued(tmp_path: Path) -> None:
    views = (
        "-- key: id\ncreate view v as select i.id, case when i.n = 1 then 'one' when i.n < two then 'less' end as w\n"
        "from item as i where exists (select 1 from box as b where b.box = i.box and b.width > 0)\n"
        "and i.id in (select id from item);"
    )
    given = [item("1"), item("2", n=0), item("3", n=7), item("4", box="z")]
    boxes: list[dict[str, object]] = [{"box": "a", "width": 1}]
    assert rows_of(tmp_path, views, "v", item=given, box=boxes) == [("1", "one"), ("2", "less"), ("3", None)]


def test_substr_goes_by_code_point_and_gives_null_before_the_beginning(tmp_path: Path) -> None:
    views = "-- key: id\ncreate view v as select id, substr(box, n, two) as x from item;"
    given = [item("1", "a\U0001f600bc", 2), item("2", "abc", 0), item("3", "abc", 9)]
    assert rows_of(tmp_path, views, "v", item=given) == [("1", "\U0001f600b"), ("2", None), ("3", "")]


def test_with_having_and_distinct_work_together(tmp_path: Path) -> None:
    views = (
        "-- key: k\ncreate view v as with c as (select box, count(*) as k from item group by box having count(*) > 0)\n"
        "select distinct k from c;"
    )
    given = [item("1"), item("2", "b"), item("3", "c"), item("4", "c")]
    assert rows_of(tmp_path, views, "v", item=given) == [(1,), (2,)]


def test_a_view_that_reads_an_absent_relation_is_absent(tmp_path: Path) -> None:
    views = "-- key: id\ncreate view v as select i.id from item as i join box as b on b.box = i.box;"
    pack, problems = pack_of(tmp_path, views)
    assert problems == []
    assert pack is not None
    with base_of(pack, item=[item("1")]) as base:
        assert "v" not in with_views(pack.views, {n: table(n) for n in base.present})


# -- what is refused -------------------------------------------------------------------------------------------

REFUSED = {
    "select id from item where m > n": "view-drops-unknown",
    "select id from item where n + 1 > n": "view-drops-unknown",
    "select i.id from item as i join item as o on o.m = i.m": "view-drops-unknown",
    "select m as id, count(*) as k from item group by m": "view-drops-unknown",
    "select distinct m as id from item": "view-drops-unknown",
    "select id, case when m > n then 1 else 0 end as x from item": "view-drops-unknown",
    "select id from item where n in (select o.m from item as o)": "view-drops-unknown",
    "select box as id from item group by box having sum(price) > min(price)": "view-drops-unknown",
    "select i.id from item as i left join box as b on b.box = i.box where b.width > 0": "view-drops-unknown",
    "select size as id from item group by size": "float-equality",
    "select distinct size as id from item": "float-equality",
    "select id, fee as x from item": "dated-in-view",
    "select id, price * price as x from item": "unit-mismatch",
    "select id from item where n > 3": "bare-number",
    "select * from item": "not-in-language",
    "select id from item order by id": "not-in-language",
    "select id from item limit 1": "not-in-language",
    "select id from item union select id from item": "not-in-language",
    "select id, count(*) over (partition by id) as x from item": "unknown-function",
    "select id from (select id from item) as x": "not-in-language",
    "select id from item full join box on item.box = box.box": "bad-syntax",
    "select id from item, box": "not-in-language",
    "select id from itme": "unknown-relation",
    "select idd as id from item": "unknown-column",
    "select box as id from item as i join box as b on b.box = i.box": "unknown-column",
    "select id n from item": "bad-syntax",
    "select id, n as id from item": "name-clash",
    "select id, now() as x from item": "unknown-function",
    "select id, n as x from item group by id": "not-grouped",
    "select id from item union all select n as id from item": "type-mismatch",
    "select box as other from item": "view-key",
    "drop table item": "not-in-language",
    "": "bad-view",
}


@pytest.mark.parametrize("select", REFUSED)
def test_what_a_view_may_not_hold_is_refused_in_its_place(tmp_path: Path, select: str) -> None:
    pack, problems = pack_of(tmp_path, f"-- key: id\ncreate view v as {select};\n")
    assert REFUSED[select] in {p.split()[1] for p in problems}
    assert all(p.split(":")[0] in ("1", "2") for p in problems)
    assert pack is None or "v" not in pack.views


COMMENTS = {
    "create view v as select id from item;": "1:13 view-key",
    "-- keys: id\ncreate view v as select id from item;": "1:1 bad-view",
    "-- Key: id\ncreate view v as select id from item;": "1:1 bad-view",
    "-- key: id\n-- key: id\ncreate view v as select id from item;": "2:1 bad-view",
    "-- key: id\n-- drops: m\ncreate view v as select id from item;": "2:1 bad-view",
    "-- key: id\n-- drops: m because x\ncreate view v as select id from item;": "2:1 bad-view",
    "-- key: id\n-- x: decimal(40,2) EUR\ncreate view v as select id from item;": "2:1 bad-view",
    "-- key: id\n-- x: decimal(4,2) EUR\ncreate view v as select id from item;": "2:1 bad-view",
    "-- key: id\n-- x: decimal(4,2) cm\ncreate view v as select id, price as x from item;": "2:1 unit-mismatch",
    "-- key: id\ncreate view v as -- key: box\nselect id from item;": "2:18 bad-view",
    "-- key: id\ncreate table v as select id from item;": "2:1 bad-view",
    "-- key: id\ncreate view item as select id from item;": "2:13 name-taken",
    "-- key: id\ncreate view weight as select id from item;": "2:13 name-taken",
    "-- key: id\ncreate view case as select id from item;": "2:13 reserved-name",
    "-- key: id\n": "1:1 bad-view",
}


@pytest.mark.parametrize("text", COMMENTS)
def test_what_the_comments_say_is_read_or_refused(tmp_path: Path, text: str) -> None:
    _, problems = pack_of(tmp_path, text)
    assert COMMENTS[text] in problems


def test_what_is_dropped_in_the_open_is_no_problem(tmp_path: Path) -> None:
    shown = "-- key: id\ncreate view v as select id from item where m > n and m is not null;"
    said = "-- key: id\n-- drops: m because x\ncreate view v as select id from item where m > n;"
    given = [item("1", m=5), item("2")]
    for views in (shown, said):
        assert rows_of(tmp_path, views, "v", item=given) == [("1",)]


# -- policies over them ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", ["{total: 1, expect: pass}", "{rows: [], expect: no_evidence}"])
def test_a_case_gives_no_rows_of_a_view(tmp_path: Path, more: str) -> None:
    from engine.cases import check_cases

    pack_of(tmp_path, COSTS.format("", ""))
    (tmp_path / "policies" / "t" / "rule.yaml").write_text(f"{RULE}  - {more}\n", encoding="utf-8")
    pack = load_packs(tmp_path / "policies" / "t").packs["t"]
    assert [p.code for p in check_cases(pack.policies["rule"], pack)] == ["view-in-case"]


def judged(
    folder: Path, policy: str, views: str, facts: object, capsys: pytest.CaptureFixture[str]
) -> dict[str, object]:
    from engine.cli import main

    pack_of(folder, views)
    (folder / "policies" / "t" / "rule.yaml").write_text(policy, encoding="utf-8")
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    with pytest.raises(SystemExit):
        main(
            ["judge", "--facts", str(folder / "facts.json"), "--policies", str(folder / "policies"), "--format", "json"]
        )
    found: dict[str, object] = json.loads(capsys.readouterr().out)["policies"][0]
    return found


COSTS = "-- key: box\n{}create view costs as select box, sum(n) as total from item {}group by box;"
RULE = (
    "policy: t.rule\ntitle: T\nfor: costs\nmust: total <= two\ncannot_see: x\n"
    "cases:\n  - facts: {item: []}\n    expect: no_evidence\n"
)


def test_a_policy_over_a_view_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    views = COSTS.format("", "")
    found = judged(tmp_path, RULE, views, {"item": [item("1"), item("2")]}, capsys)
    assert (found["verdict"], found["in_scope"], found["notes"]) == ("pass", 1, [])
    found = judged(tmp_path, RULE, views, {"item": [item("1", n=2), item("2")]}, capsys)
    assert found["verdict"] == "fail"


def test_what_is_dropped_is_said_with_every_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    views = COSTS.format("-- drops: m because nobody counts those\n", "where m > n ")
    found = judged(tmp_path, RULE, views, {"item": [item("1", m=2), item("2")]}, capsys)
    assert found["verdict"] == "pass"
    assert found["notes"] == ["the view costs leaves out rows with unknown m, because nobody counts those"]


@pytest.mark.parametrize("key", ["box", "m"])
def test_a_repeated_or_null_key_is_an_error(tmp_path: Path, key: str, capsys: pytest.CaptureFixture[str]) -> None:
    views = f"-- key: {key}\ncreate view costs as select {key}, n as total from item;"
    given = [item("1"), item("2")] if key == "box" else [item("1")]
    found = judged(tmp_path, RULE, views, {"item": given}, capsys)
    assert (found["verdict"], found["reason"]) == ("error", "view_key")


def test_an_absent_relation_below_a_view_is_no_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = judged(tmp_path, RULE, COSTS.format("", ""), {"box": [{"box": "a", "width": 1}]}, capsys)
    assert (found["verdict"], found["reason"]) == ("no_evidence", "absent_relation")


def test_views_stand_in_each_of_exists_and_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grouped = RULE.replace(
        "for: costs\nmust: total <= two", "for: item\nper: [box]\neach_of: costs\nmust: count(*) <= two"
    )
    grouped = grouped.replace("facts: {item: []}", "rows: []").replace(
        "cases:",
        "example: {id: a, box: a, n: 1, m: 1, price: 1.00, size: 1.0, level: low}\nexample_facts:\n  box: []\ncases:",
    )
    given = {"item": [item("1"), item("2")], "box": []}
    assert judged(tmp_path, grouped, COSTS.format("", ""), given, capsys)["verdict"] == "pass"
    asked = RULE.replace("for: costs\nmust: total <= two", "for: box\nmust: exists (from costs where box = judged.box)")
    asked = asked.replace(
        "cases:\n  - facts: {item: []}", "example: {box: a, width: 1}\ncases:\n  - facts: {item: absent}"
    )
    given = {"item": [item("1")], "box": [{"box": "a", "width": 1}, {"box": "b", "width": 1}]}
    found = judged(tmp_path, asked, COSTS.format("", ""), given, capsys)
    assert found["counts"] == {"decided": 0, "fail": 1, "no_evidence": 0, "pass": 1, "review": 0, "waived": 0}


def test_what_follows_from_one_slip_is_not_said_again(tmp_path: Path) -> None:
    """A relation that is misspelt has no columns that could be wrong, nor has a view that reads a broken one."""
    _, problems = pack_of(
        tmp_path,
        "-- key: id\ncreate view a as select i.id, i.nn from itm as i where i.n > 0 and n > 0;\n"
        "-- key: id\ncreate view b as select id, n from a;\n"
        "-- key: id\ncreate view c as select id from b where n > 0;\n"
        "-- key: id\ncreate view d as with w as (select idd from item) select id from w;",
    )
    assert [one.split()[1] for one in problems] == ["unknown-relation", "unknown-column"]
