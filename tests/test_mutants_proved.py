"""Proofs that a mutant means the same, exclusions, suggested cases, and mutants of each part of the language."""

from __future__ import annotations

import dataclasses
import random
import shutil
from pathlib import Path

import pytest

from engine.cases.base import CaseBase
from engine.cases.run import Trial
from engine.casework import run_tests
from engine.casework_text import suggested
from engine.check import check_policy
from engine.lang import tree
from engine.lang.parse import parse
from engine.lang.spell import spell
from engine.load import load_packs
from engine.model import Expression
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
from .mutant_rules import CONVENTION, EXAMPLE, RELATIONS, RULES, attacked, loaded, written
from .test_variants import facts_case, read, some_of

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
