"""Policies are attacked: each mutant is killed, or a case that would kill it is printed, or it is proved the same."""

from __future__ import annotations

import dataclasses
import random
import shutil
from pathlib import Path

import pytest

from engine.cases.base import CaseBase
from engine.cases.run import Trial
from engine.casework import PolicyTest, run_tests
from engine.casework_text import suggested
from engine.check import check_policy
from engine.checked import CheckedPolicy
from engine.lang import tree
from engine.lang.parse import parse
from engine.lang.spell import spell
from engine.load import load_packs
from engine.model import Expression, Pack
from engine.mutate.change import Subject, mutants_of
from engine.mutate.grammar import GRAMMAR
from engine.mutate.mistakes import MISTAKES
from engine.mutate.proofs import same_meaning
from engine.mutate.run import mutants
from engine.mutate.solve import killers
from engine.suggestions import write_suggestions
from tests.second import write
from tests.second.generate import seeded_pack
from tests.second.kept import Kept, keep

from . import packs
from .conftest import ROOT, Cli
from .test_variants import facts_case, read, some_of

RELATIONS = """
item:
  row: One item.
  key: [id]
  columns:
    id: {type: text}
    words: {type: int, unit: word}
    more_words: {type: int, unit: word}
    score: {type: float, unit: none}
    kind: {type: text, one_of: [a, b, c]}
    name: {type: text}
    day: {type: date}
    late: {type: date}
    level: {type: levels, levels: [A1, A2, B1]}
    price: {type: decimal, digits: 6, places: 2, unit: EUR}
    ok: {type: bool}
    sure: {type: bool}
box:
  row: One box of items.
  key: [kind]
  columns:
    kind: {type: text, one_of: [a, b, c]}
note:
  row: One note about an item.
  key: [note]
  columns:
    note: {type: text}
    id: {type: text}
    good: {type: bool}
"""
EXAMPLE = (
    "{id: a1, words: 1, more_words: 1, score: 1, kind: a, name: abc, day: 2026-01-01, late: 2026-01-03, level: A1, "
    "price: 1.00, ok: true, sure: false}"
)
CONVENTION = "origin: convention, because: x"
LAW = "source: s, checked: 2026-01-01"
RULES: dict[str, str] = {
    "plain": f"must: words <= top\nparams: {{top: {{value: 3, unit: word, {CONVENTION}}}}}\n",
    "below": f"must: score < top\nparams: {{top: {{value: 2, unit: none, {CONVENTION}}}}}\n",
    "closed": "where: kind in ('a', 'b')\nmust: not (kind = 'a') or ok\n",
    "ladder": f"must: level between low and high\n"
    f"params: {{low: {{value: A1, {CONVENTION}}}, high: {{value: A2, {CONVENTION}}}}}\n",
    "logic": "where: ok\nmust: (ok or sure) and (sure or ok and not sure) and kind = 'a'\nreview_if: sure\n",
    "sums": f"must: words + more_words <= top and words * twice >= low\n"
    f"params: {{top: {{value: 4, unit: word, {CONVENTION}}}, low: {{value: 2, unit: word, {CONVENTION}}}, "
    f"twice: {{value: 2, unit: none, {CONVENTION}}}}}\n",
    "days": f"must: days_between(day, late) <= wait and day - interval (step) day <= late\n"
    f"params: {{wait: {{value: 3, unit: day, {CONVENTION}}}, step: {{value: 2, unit: day, {CONVENTION}}}}}\n",
    "texts": "must: starts_with(name, 'ab') and upper(name) != 'ABX' and year(day) >= year(late)\n",
    "instead": f"must: coalesce(words, more_words) <= top\nparams: {{top: {{value: 1, unit: word, {CONVENTION}}}}}\n",
    "dated": "as_of: day\nmust: words <= top\nparams:\n  top:\n    unit: word\n    origin: law\n    values:\n"
    f"      - {{from: 2025-01-01, value: 2, {LAW}}}\n      - {{from: 2026-01-01, value: 1, {LAW}}}\n",
    "related": "must: exists (from note where id = judged.id and good)\n",
    "tolerant": f"must: ok\nallow: few\nparams: {{few: {{value: 2%, {CONVENTION}}}}}\n",
    "counted": f"must: ok\nallow: few\nparams: {{few: {{value: 2, unit: none, {CONVENTION}}}}}\n",
    "grouped": "per: [kind]\neach_of: box\nwhere: kind is not null\n"
    "must: count_if(ok) >= least and max(words) filter (where ok) <= top\n"
    f"params: {{least: {{value: 1, unit: none, {CONVENTION}}}, top: {{value: 5, unit: word, {CONVENTION}}}}}\n",
    "named": "per: [id, level]\nwhere: level is not null\nmust: sum(words) <= top\n"
    f"params: {{top: {{value: 5, unit: word, {CONVENTION}}}}}\n",
    "official": "same_as: {reference: [list, second], match: {word: name, class: kind}, show: {level: level}}\n",
    "disputed": "same_as:\n  reference: [list, second]\n  match: {word: name, class: kind}\n"
    "  show: {level: level, id: gloss}\n  on_conflict: review\n",
}
"""One rule for each form of the language that a mutant changes. Their cases say as little as can be."""
REFERENCE = """{name}:
  title: Made up
  edition: "1"
  file: {name}.csv
  sha256: {digest}
  licence: CC0-1.0
  cite: nobody
  columns:
    {{word: word, class: class, level: {{from: level, type: levels, levels: [A1, A2, B1]}}, gloss: gloss, sort: sort}}
  key: [word, class]
  checked: 2026-12-01
"""
GROUPED = ("grouped", "named")
HELD = "{word: abc, class: a, level: A1, gloss: a1, sort: a1}"


def few_cases(name: str) -> str:
    facts = {
        "related": "example_facts: {note: [{note: n1, id: a1, good: true}]}\n",
        "grouped": "example_facts: {box: [{kind: a}]}\n",
        "official": f"example_facts: {{list: [{HELD}], second: []}}\n",
        "disputed": f"example_facts: {{list: [{HELD}], second: []}}\n",
    }.get(name, "")
    known = "  - {rows: [{}], expect: pass}\n" if name in GROUPED else ""
    return f"cannot_see: x\nexample: {EXAMPLE}\n{facts}cases:\n  - {{rows: absent, expect: no_evidence}}\n{known}"


def failing(name: str) -> str:
    """A case that fails, without which the cases would not be in order."""
    return {
        "plain": "{words: 9, expect: fail}",
        "below": "{score: 9, expect: fail}",
        "closed": "{ok: false, expect: fail}",
        "ladder": "{level: B1, expect: fail}",
        "logic": "{kind: b, expect: fail}",
        "sums": "{words: 9, expect: fail}",
        "days": "{late: 2026-03-01, expect: fail}",
        "texts": "{name: xx, expect: fail}",
        "instead": "{words: 9, expect: fail}",
        "dated": "{words: 9, expect: fail}",
        "related": "{facts: {note: []}, expect: fail}",
        "tolerant": "{ok: false, expect: fail}",
        "counted": "{rows: [{ok: false, repeat: 9}], expect: fail}",
        "grouped": "{rows: [{ok: false}], expect: fail}",
        "named": "{rows: [{words: 9}], expect: fail}",
        "official": "{level: B1, expect: fail}",
        "disputed": "{level: B1, expect: fail}",
    }[name]


def written(folder: Path, name: str, more: str = "") -> Path:
    text = f"policy: t.{name}\ntitle: T\nfor: item\n{RULES[name]}{few_cases(name)}  - {failing(name)}\n{more}"
    root = packs.write(folder, {name: text}, RELATIONS)
    if "same_as" in RULES[name]:
        both = "".join(REFERENCE.format(name=one, digest="ab" * 32) for one in ("list", "second"))
        (root / "t" / "references.yaml").write_text(both, encoding="utf-8")
    return root


def attacked(root: Path) -> PolicyTest:
    (one,) = run_tests([root])
    assert one.cases_ok, [r.differences for r in one.results]
    return one


@pytest.mark.parametrize("name", RULES)
def test_a_pasted_case_kills_the_mutant_for_which_it_was_printed(name: str, tmp_path: Path) -> None:
    root = written(tmp_path, name)
    before = attacked(root)
    assert before.attack is not None
    solved = {s.mutant.name for s in before.attack.survivors if s.killer is not None}
    assert solved
    write_suggestions([before])
    after = attacked(root)
    assert after.attack is not None
    left = {s.mutant.name for s in after.attack.survivors}
    assert left == {s.mutant.name for s in before.attack.survivors} - solved
    assert after.attack.killed == before.attack.killed + len(solved)


def test_for_every_operator_a_case_is_found_that_kills_it(tmp_path: Path) -> None:
    """Each mutant is taken for a survivor, whatever the cases say; what is found for it is run as the only case."""
    solved: set[str] = set()
    for name in RULES:
        checked, pack = loaded(written(tmp_path / name, name), name)
        tried = mutants(checked, pack)
        found = killers(checked, checked.policy.cases, tried)
        lines = {k.line: k.case for k in found.values()}
        with CaseBase(checked.relations) as base:
            trials = {line: Trial(checked, base, [case]) for line, case in lines.items()}
            for line, trial in trials.items():
                noticed = [m for m in tried if m.name in found and found[m.name].line == line]
                outcomes = trial.judge([checked, *(m.checked for m in noticed)])
                assert not trial.notices(checked, 0, outcomes), line
                for number, mutant in enumerate(noticed, 1):
                    assert trial.notices(mutant.checked, number, outcomes), line
                    solved.add(mutant.operator)
    assert solved == {*GRAMMAR, *MISTAKES}


@pytest.mark.parametrize("name", RULES)
def test_a_mutant_is_solved_or_proved_the_same_or_one_of_those_that_are_known(name: str, tmp_path: Path) -> None:
    checked, pack = loaded(written(tmp_path, name), name)
    tried = mutants(checked, pack)
    found = killers(checked, checked.policy.cases, tried)
    left = [m.name for m in tried if m.name not in found and not same_meaning(checked, m.checked)]
    assert left == UNSOLVED.get(name, [])


# Mutants that mean the same for a reason that the proof does not see: what follows from whole numbers, from `where`
# holding, and from a null that leaves another part open.
UNSOLVED: dict[str, list[str]] = {
    "logic": ["rule-as-scope: `sure or (ok and not sure)` of `must` stands in `where`"],
    "sums": [
        "off-by-one: `low` 2 becomes 1",
        "off-by-one: `twice` 2 becomes 3",
        "wrong-unit: `low` 2 becomes 0.002",
    ],
    "texts": ["null-as-value: a null of `name` is taken for '' (2)"],
    "grouped": ["null-as-value: a null of `ok` is taken for true"],
}


def test_every_operator_makes_mutants(tmp_path: Path) -> None:
    made: set[str] = set()
    for name in RULES:
        checked, pack = loaded(written(tmp_path / name, name), name)
        for operators in (GRAMMAR, MISTAKES):
            made |= {m.operator for m in mutants_of(Subject(checked.policy, pack, checked), operators)}
    assert made == {*GRAMMAR, *MISTAKES}


def loaded(root: Path, name: str) -> tuple[CheckedPolicy, Pack]:
    pack = load_packs(root).packs["t"]
    checked, problems = check_policy(pack.policies[name], pack)
    assert checked is not None, problems
    return checked, pack


def test_no_two_mutants_of_a_policy_bear_one_name(tmp_path: Path) -> None:
    for name in RULES:
        checked, pack = loaded(written(tmp_path / name, name), name)
        names = [m.name for m in mutants(checked, pack)]
        assert len(names) == len(set(names))


def test_a_row_of_unknown_scope_does_not_show_what_is_out_of_scope(tmp_path: Path) -> None:
    """Without `where` that row passes or fails, so it kills the first mutant of `scope`, and not the second."""
    root = written(tmp_path, "closed", "  - {kind: null, expect: no_evidence}\n")
    one = attacked(root)
    assert one.attack is not None
    scope = {s.mutant.name: s.killer is not None for s in one.attack.survivors if s.mutant.operator == "scope"}
    assert scope == {"scope: what is out of scope is judged": True}


def test_a_null_that_one_place_misses_and_another_sees_is_missed_everywhere(tmp_path: Path) -> None:
    """With two limits a null that one takes for 0 is seen by the other; a mutant in which none sees it is tried."""
    rule = (
        f"must: words <= top and words >= low\nparams: {{top: {{value: 4, unit: word, {CONVENTION}}}, "
        f"low: {{value: 0, unit: word, {CONVENTION}}}}}\n"
    )
    cases = "".join(
        f"  - {{words: {n}, expect: {e}}}\n" for n, e in ((4, "pass"), (5, "fail"), (0, "pass"), (-1, "fail"))
    )
    text = f"policy: t.rule\ntitle: T\nfor: item\n{rule}cannot_see: x\nexample: {EXAMPLE}\ncases:\n{cases}"
    silent = "  - {rows: absent, expect: no_evidence}\n"
    root = packs.write(tmp_path, {"rule": text + silent}, RELATIONS)
    everywhere = "null-as-value: nulls are taken for values everywhere: words as 0"
    one = attacked(root)
    assert one.attack is not None
    assert {s.mutant.name: s.killer is not None for s in one.attack.survivors}.get(everywhere) is True
    write_suggestions([one])
    assert attacked(root).ok


def test_a_group_keeps_its_columns_when_nulls_are_taken_for_values(tmp_path: Path) -> None:
    checked, pack = loaded(written(tmp_path, "grouped"), "grouped")
    names = [m.name for m in mutants(checked, pack) if "everywhere" in m.name]
    start = "null-as-value: nulls are taken for values everywhere"
    assert names == [f"{start}: ok as {truth}, words as 0" for truth in ("false", "true")]


@pytest.mark.parametrize("op", ["=", "<=", ">=", "<", ">"])
def test_the_day_of_an_instant_is_tried_from_its_midnight_to_the_next(op: str, tmp_path: Path) -> None:
    rule = f"must: utc_day(at) {op} first\nparams: {{first: {{value: 2026-01-01, {CONVENTION}}}}}\n"
    relations = RELATIONS.replace("    late: {type: date}\n", "    late: {type: date}\n    at: {type: instant}\n")
    example = EXAMPLE.replace("{id:", "{at: 2026-01-01T12:00:00Z, id:")
    if op in ("<", ">"):
        example = example.replace("2026-01-01T12", "2025-12-30T12" if op == "<" else "2026-01-03T12")
    bad = {"=": "2026-02-01", "<=": "2026-02-01", ">=": "2025-02-01", "<": "2026-02-01", ">": "2025-02-01"}[op]
    cases = f"  - {{at: {bad}T00:00:00Z, expect: fail}}\n  - {{rows: absent, expect: no_evidence}}\n"
    text = f"policy: t.rule\ntitle: T\nfor: item\n{rule}cannot_see: x\nexample: {example}\ncases:\n{cases}"
    root = packs.write(tmp_path, {"rule": text}, relations)
    one = attacked(root)
    assert one.attack is not None
    assert [s.mutant.name for s in one.attack.survivors if s.killer is None] == []
    write_suggestions([one])
    assert attacked(root).ok


# -- proofs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULES)
def test_what_is_proved_the_same_is_never_told_apart(name: str, tmp_path: Path) -> None:
    """The search for cases is the judge: it tries edges, pairs and facts that the proof does not know of."""
    checked, pack = loaded(written(tmp_path, name), name)
    proved = [m for m in mutants(checked, pack) if same_meaning(checked, m.checked)]
    assert killers(checked, checked.policy.cases, proved) == {}


@pytest.mark.parametrize("seed", range(100, 112))
def test_what_is_proved_the_same_gives_the_same_on_generated_facts(seed: int, tmp_path: Path) -> None:
    made = seeded_pack(seed)
    keep(Kept(made.files, made.facts, made.as_of), tmp_path)
    pack = load_packs(tmp_path).packs["p"]
    chance = random.Random(seed)
    facts = read(write.facts_json(made.types, made.facts), pack.relations)
    for policy in list(pack.policies.values())[:5]:
        checked, _ = check_policy(policy, pack)
        tried = mutants(checked, pack)[:150] if checked is not None else []
        proved = [m.checked for m in tried if checked is not None and same_meaning(checked, m.checked)]
        if checked is None or not proved:
            continue
        with CaseBase(pack.relations) as base:
            trial = Trial(checked, base, [])
            trial.cases = [base.add_facts(facts_case(made.as_of), some_of(facts, chance)) for _ in range(6)]
            outcomes = trial.judge([checked, *proved])
            for number in range(1, len(proved) + 1):
                for one in trial.cases:
                    assert outcomes.of(one.number, number) == outcomes.of(one.number, 0), (policy.file, number)


def test_a_redundant_term_is_proved_and_needs_no_case(tmp_path: Path) -> None:
    rule = f"must: words <= top or words = top\nparams: {{top: {{value: 3, unit: word, {CONVENTION}}}}}\n"
    cases = "".join(
        f"  - {{words: {n}, expect: {e}}}\n" for n, e in ((3, "pass"), (4, "fail"), ("null", "no_evidence"))
    )
    text = f"policy: t.rule\ntitle: T\nfor: item\n{rule}cannot_see: x\nexample: {EXAMPLE}\ncases:\n{cases}"
    one = attacked(packs.write(tmp_path, {"rule": text}, RELATIONS))
    assert one.attack is not None
    assert one.attack.equivalent >= 1
    names = [s.mutant.name for s in one.attack.survivors]
    assert "dropped-term: `words = top` is dropped" not in names


# -- exclusions ------------------------------------------------------------------------------------------------


def test_an_excluded_mutant_is_counted_apart_and_shown_with_its_reason(cli: Cli, tmp_path: Path) -> None:
    one = attacked(written(tmp_path / "a", "below"))
    assert one.attack is not None
    name = one.attack.survivors[0].mutant.name
    root = written(tmp_path / "b", "below", f'exclusions:\n  - {{mutant: "{name}", because: nobody measures this}}\n')
    after = attacked(root)
    assert after.attack is not None
    assert [e.mutant for e in after.attack.excluded] == [name]
    assert after.attack.total == one.attack.total - 1
    assert "because nobody measures this" in cli("test", root, "--verbose").stdout


def test_an_exclusion_that_excludes_nothing_fails(cli: Cli, tmp_path: Path) -> None:
    root = written(tmp_path, "below", 'exclusions:\n  - {mutant: "boundary: made up", because: x}\n')
    write_suggestions([attacked(root)])
    done = cli("test", root)
    assert done.returncode == 1
    assert "this exclusion names no mutant that survives: boundary: made up" in done.stdout


def test_a_mutant_is_excluded_once(cli: Cli, tmp_path: Path) -> None:
    twice = "exclusions:\n  - {mutant: m, because: x}\n  - {mutant: m, because: y}\n"
    done = cli("check", written(tmp_path, "below", twice))
    assert done.returncode == 1
    assert "repeated-exclusion: `m` is excluded twice" in done.stdout


# -- suggestions -----------------------------------------------------------------------------------------------


def test_suggestions_are_printed_and_written_and_then_all_is_green(cli: Cli, tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    file = root / "t" / "plain.yaml"
    file.write_text(file.read_text().replace("cases:\n", "cases:  # what is expected\n") + "  # the end\n\n# done\n")
    shown = cli("test", root, "--suggest")
    assert shown.returncode == 1
    lines = [line for line in shown.stdout.splitlines() if line.startswith("  - ")]
    assert lines
    before = file.read_text()
    assert cli("test", root, "--suggest", "--write").returncode == 1
    after = file.read_text().splitlines()
    assert [line for line in after if line not in lines] == before.splitlines()
    assert cli("test", root).returncode == 0
    assert cli("test", root, "--suggest").stdout == "no case is missing\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("form", ["flow", "block", "spread"])
def test_cases_are_added_whatever_the_form_of_the_list(tmp_path: Path, form: str, line_end: str) -> None:
    root = written(tmp_path, "plain")
    file = root / "t" / "plain.yaml"
    head, _ = file.read_text().split("cases:\n")
    listed = {
        "flow": "cases: [{words: 9, expect: fail}, {rows: absent, expect: no_evidence}]  # few\n# end\n",
        "block": "cases:\n- words: 9\n  expect: fail\n-\n  rows: absent\n  expect: no_evidence  # few\n\n# end\n",
        "spread": "cases:\n    -   {words: 9,\n         expect: fail}\n    - {rows: absent, expect: no_evidence}",
    }[form]
    file.write_bytes((head + listed).replace("\n", line_end).encode())
    assert not attacked(root).ok
    write_suggestions([attacked(root)])
    text = file.read_bytes().decode()
    assert "\r\n" not in text if line_end == "\n" else "\n" not in text.replace("\r\n", "")
    assert attacked(root).ok, text


def test_write_needs_suggest(cli: Cli, tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    assert cli("test", root, "--write").returncode == 2
    assert cli("test", root, "--suggest", "--quick").returncode == 2


def test_quick_says_that_mutants_were_not_tried(cli: Cli, tmp_path: Path) -> None:
    done = cli("test", written(tmp_path, "plain"), "--quick")
    assert done.returncode == 0
    assert "mutants: not tried" in done.stdout
    assert "--quick: a case that is missing was not looked for" in done.stdout


def test_mutants_are_not_tried_while_a_case_is_not_as_expected(cli: Cli, tmp_path: Path) -> None:
    root = written(tmp_path, "plain")
    file = root / "t" / "plain.yaml"
    file.write_text(file.read_text().replace("words: 9, expect: fail", "words: 9, expect: pass"))
    done = cli("test", root)
    assert done.returncode == 1
    assert "mutants: not tried" in done.stdout


def test_a_survivor_for_which_no_case_is_found_says_what_to_do(cli: Cli, tmp_path: Path) -> None:
    """The one that the sample pack excludes: without its reason it is named, with the way out."""
    shutil.copytree(ROOT / "policies", tmp_path / "policies")
    file = tmp_path / "policies" / "prose" / "document_has_body.yaml"
    file.write_text(file.read_text().split("exclusions:")[0])
    done = cli("test", file)
    assert done.returncode == 1
    assert "no case was found that would notice it: mend the rule, or give a reason in `exclusions`" in done.stdout


def test_every_mutant_of_the_shipped_policies_is_killed_or_excluded_with_a_reason() -> None:
    done = run_tests([ROOT / "policies"])
    assert done
    for one in done:
        assert one.attack is not None
        assert one.ok, (one.policy.id, suggested(one.attack))


# -- the language ----------------------------------------------------------------------------------------------


def unplaced(node: object) -> object:
    if isinstance(node, tree.Node):
        fields = [f.name for f in dataclasses.fields(node) if f.name not in ("start", "end", "name_end")]
        return (type(node).__name__, *(unplaced(getattr(node, f)) for f in fields))
    return tuple(unplaced(n) for n in node) if isinstance(node, tuple) else node


@pytest.mark.parametrize("seed", range(12))
def test_a_spelt_tree_is_read_as_the_same_tree(seed: int, tmp_path: Path) -> None:
    made = seeded_pack(seed)
    keep(Kept(made.files, made.facts, made.as_of), tmp_path)
    seen = 0
    for policy in load_packs(tmp_path).packs["p"].policies.values():
        for expression in (policy.where, policy.must, policy.review_if):
            if expression is not None:
                node = parse(expression)
                again = Expression(spell(node), "again", expression.locate, expression.line_text)
                assert unplaced(parse(again)) == unplaced(node)
                seen += 1
    assert seen


def test_the_manual_of_mutants_lists_every_operator_with_its_reason() -> None:
    page = (ROOT / "docs" / "mutants.md").read_text(encoding="utf-8")
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert listed == [*GRAMMAR, *MISTAKES]
