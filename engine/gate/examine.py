"""What the gate looks at, and what it finds: the promises asked of all that is about to be shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date

from ..checked import CheckedPolicy
from ..errors import Problem
from ..frozen import dataclass, replace
from ..honesty import TABLES, Desk, HonestyTest, Inquiry, Tables, desk_of, joined, judged_rows, page_rows
from ..honesty import Offender as Broken
from ..judging import tables_of
from ..model import Pack
from ..references import Shelf
from ..sensors.artifact import ClaimWords, Sensed, claim_words, sense
from ..verdict import PolicyVerdict, Run, worst
from .estate import Estate
from .facts import Unit, guarding, judge_unit, load_unit, offenders_of
from .offender import Offender

_OF_A_RUN = ("verdict", "witness", "run")


@dataclass(frozen=True, slots=True)
class View:
    """All that the promises are asked of. A lie puts something else in the place of one part."""

    packs: Mapping[str, Pack]
    shelf: Shelf
    desk: Desk
    pages: Mapping[str, Sensed]
    page_tables: Mapping[str, Tables]
    declared: Tables
    runs: Tables
    facts: tuple[Offender, ...]
    problems: tuple[Problem, ...] = ()


class Examiner:
    """Examines an estate once, and then again with small changes. Use it in a `with`: it owns databases."""

    def __init__(
        self,
        packs: Mapping[str, Pack],
        policies: Sequence[CheckedPolicy],
        shelf: Shelf,
        promises: Sequence[HonestyTest],
        as_of: date | None = None,
    ) -> None:
        self.packs, self.policies, self.shelf = packs, tuple(policies), shelf
        self.promises, self.as_of = tuple(promises), as_of
        self.guarding = tuple(guarding(policies))
        self.words: ClaimWords = claim_words([r for p in packs.values() for r in p.references.values()], packs.values())
        self.inquiry = Inquiry()
        self.units: list[Unit] = []

    def __enter__(self) -> Examiner:
        return self

    def __exit__(self, *about: object) -> None:
        self.inquiry.close()
        for unit in self.units:
            unit.base.close()

    def view(self, estate: Estate) -> View:
        """Everything of an estate, read, sensed and judged. Raises FactError."""
        relations = {name: one for pack in self.packs.values() for name, one in pack.relations.items()}
        desk = desk_of(self.packs.values(), self.shelf)
        tables = tables_of(self.shelf)
        found: list[Offender] = []
        problems: dict[str, Problem] = {}
        runs = []
        for sources in estate.facts:
            unit = load_unit(sources, self.policies, relations, tables, self.as_of, self.shelf.problems)
            self.units.append(unit)
            verdicts = judge_unit(unit)
            for verdict in verdicts:
                lacking = [name for name in verdict.checked.references if name in self.shelf.problems]
                problems |= {name: self.shelf.problems[name] for name in lacking}
                if verdict.checked in self.guarding and not lacking:
                    found += offenders_of(verdict)
            runs.append(self._run(unit, verdicts))
        pages = {name: sense(name, data, self.words) for name, data in estate.pages.items()}
        named = {one.reference for page in pages.values() for one in page.shown if one.reference is not None}
        changed = {n for n, problem in self.shelf.problems.items() if problem.code != "reference-missing"}
        problems |= {n: self.shelf.problems[n] for n in sorted((named & self.shelf.problems.keys()) | changed)}
        return View(
            self.packs,
            self.shelf,
            desk,
            pages,
            {name: page_rows(one, desk) for name, one in pages.items()},
            without_missing(judged_rows(None, self.packs.values(), desk)),
            joined(runs),
            tuple(found),
            tuple(problems[name] for name in sorted(problems)),
        )

    def _run(self, unit: Unit, verdicts: Sequence[PolicyVerdict]) -> Tables:
        """The rows of one run over facts: verdicts, witnesses, and the files that were judged."""
        receipt = {
            "facts": [
                {"relation": f.relation, "file": f.file, "sha256": f.sha256, "rows": f.rows, "run": f.run}
                for f in unit.base.files
            ]
        }
        verdict = worst(tuple(one.verdict for one in verdicts)) if verdicts else "not_applicable"
        run = Run(verdict, tuple(sorted(self.packs)), tuple(verdicts), self.as_of, receipt=receipt)
        rows = judged_rows(run, (), Desk()).rows
        return Tables({name: rows[name] for name in _OF_A_RUN}) if verdicts else Tables()

    def examine(self, view: View) -> list[Offender]:
        """Every offender, sorted: of the promises, and of the policies that say what may be shown."""
        asked = joined([view.declared, view.runs, *view.page_tables.values()])
        broken = self.inquiry.offenders(self.promises, asked)
        told = {problem.code.replace("-", "_") for problem in view.problems}
        # What could not be looked up is one problem of its reference, and not one more for each value.
        found = {_offender(one) for one in broken if dict(one.row).get("answer") not in told}
        return sorted({*view.facts, *found}, key=lambda one: (one.file, one.line, one.promise, one.message))

    # -- changes ------------------------------------------------------------------------------------------------

    def with_page(self, view: View, name: str, data: bytes) -> View:
        """The view with another text of one page."""
        sensed = sense(name, data, self.words)
        tables = {**view.page_tables, name: page_rows(sensed, view.desk)}
        return replace(view, pages={**view.pages, name: sensed}, page_tables=tables)

    def with_pack(self, view: View, pack: Pack) -> View:
        """The view with another pack of its name."""
        packs = {**view.packs, pack.name: pack}
        return replace(view, packs=packs, declared=without_missing(judged_rows(None, packs.values(), view.desk)))

    def with_shelf(self, view: View, packs: Mapping[str, Pack], shelf: Shelf, facts: Sequence[Offender]) -> View:
        """The view with other references. `facts` are the offenders among the facts then."""
        desk = desk_of(packs.values(), shelf)
        problems = tuple(shelf.problems[n] for n in sorted(shelf.problems) if n not in view.shelf.problems)
        return replace(
            view,
            packs=packs,
            shelf=shelf,
            desk=desk,
            page_tables={name: page_rows(one, desk) for name, one in view.pages.items()},
            declared=without_missing(judged_rows(None, packs.values(), desk)),
            facts=tuple(facts),
            problems=(*view.problems, *problems),
        )


def _offender(one: Broken) -> Offender:
    row = dict(one.row)
    file, line = row.pop("file", None), row.pop("line", None)
    key = row.pop("key", None)
    of = f"{_key_words(str(key))}: " if key is not None else ""
    said = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in row.items() if value is not None)
    return Offender(one.test, one.title, str(file or ""), line if isinstance(line, int) else 0, of + said, one.help)


def _key_words(key: str) -> str:
    """A key in JSON as words: `go, verb`."""
    try:
        found = json.loads(key)
    except ValueError:
        return key
    return ", ".join(str(value) for value in found.values()) if isinstance(found, dict) else key


def without_missing(tables: Tables) -> Tables:
    """The tables without references that are not here: where something needs one, that is a problem of its own."""
    state = list(TABLES["reference"]).index("state")
    rows = tuple(row for row in tables.rows.get("reference", ()) if row[state] != "reference_missing")
    return Tables({**tables.rows, "reference": rows})
