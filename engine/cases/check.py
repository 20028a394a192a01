"""The example and the cases of a policy against the relations they speak of, before any of them is run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import Place, Problem, did_you_mean, nearest
from ..load.cases import CASE_KEYS
from ..model import JUDGED_ON, Case, CaseRow, Cell, Pack, Policy, Relation

MAX_CASE_ROWS = 100_000
"""The rows of one relation in one case, repeated ones counted."""

_REASONS = {
    "fail": frozenset({"differs", "not_in_reference", "ambiguous_key", "incomplete_key"}),
    "error": frozenset({"key_not_in_each_of", "judged_on_missing", "evaluation_failed"}),
    "no_evidence": frozenset(
        """scope_unknown date_unknown no_value_in_force absent_relation null_column related_unknown not_computable
        nothing_in_scope""".split()
    ),
    "not_applicable": frozenset({"nothing_in_scope"}),
}
"""The reasons that come with a verdict."""


def check_cases(policy: Policy, pack: Pack, unusable: Iterable[str] = ()) -> list[Problem]:
    """Every problem of the example and the cases.

    `unusable` names relations that were declared and could not be read; of them nothing is said. Nothing is said either
    of a policy over what is no relation of the pack: that is a problem of the policy.
    """
    return _Checker(policy, pack, frozenset(unusable)).run()


class _Checker:
    def __init__(self, policy: Policy, pack: Pack, unusable: frozenset[str]) -> None:
        self.policy = policy
        self.pack = pack
        self.unusable = unusable
        self.relation = pack.judged.get(policy.relation)
        self.problems: list[Problem] = []

    def _add_problem(self, code: str, message: str, place: Place | None, help: str | None = None) -> None:
        self.problems.append(Problem(code, message, place or Place(self.policy.file, 1, 1), help=help))

    def run(self) -> list[Problem]:
        if self.relation is None:
            return []
        self._example(self.relation)
        self._facts(self.policy.example_facts, "`example_facts`", self.policy.places.get("example_facts"))
        for case in self.policy.cases:
            self._case(case, self.relation)
        return self.problems

    def _example(self, relation: Relation) -> None:
        example = self.policy.example
        if relation.name in self.pack.views:
            if "example" in self.policy.places:
                self._made("example", self.policy.places["example"])
            return
        if example is None:
            if "example" not in self.policy.places:
                help = "add `example:` with one full row that passes; cases then say only what differs"
                self._add_problem("missing-key", "a policy needs `example`", self.policy.places.get("policy"), help)
            return
        self._cells(example.cells, relation, "the example")
        self._complete(example, relation, "the example", is_repeated=False)

    def _made(self, what: str, place: Place | None) -> None:
        """The rows of a view are made of other rows, and nobody gives them."""
        name = self.policy.relation
        message = f"`{what}` gives rows of `{name}`, which is a view"
        self._add_problem("view-in-case", message, place, "give the rows of what it reads, as `facts`")

    def _complete(self, row: CaseRow, relation: Relation, what: str, is_repeated: bool = True) -> None:
        """A full row has every column; what is unknown is written `null`. `is_repeated`: `repeat` is a number here."""
        missing = [c.name for c in relation.columns.values() if c.name not in row.cells and not c.may_be_absent]
        if is_repeated and "repeat" in missing:
            if row.repeat_place is None:
                message = f"{what} cannot give {relation.name} its column `repeat`, which is the number of rows there"
                self._add_problem("word-of-cases", message, row.place, "rename the column")
            missing.remove("repeat")
        if missing:
            listed = ", ".join(f"`{name}`" for name in missing)
            needed = ", ".join(f"`{name}`" for name in missing if relation.columns[name].required)
            help = (
                f"write `null` for what is unknown, and a value for {needed}"
                if needed
                else "write `null` for what is unknown"
            )
            self._add_problem("incomplete-row", f"{what} lacks {listed} of {relation.name}", row.place, help)

    def _rows(self, rows: tuple[CaseRow, ...], relation: Relation, what: str) -> None:
        for row in rows:
            self._cells(row.cells, relation, what)
            if row.repeat_place is not None and "repeat" in relation.columns:
                message = f"`repeat` is the number of these rows, and {relation.name} has a column of that name"
                help = "rename the column"
                if relation is self.relation:
                    help += ", or give it in the `example` or in a case of one row, beside `expect`"
                self._add_problem("word-of-cases", message, row.repeat_place, help)

    def _cells(self, cells: Mapping[str, Cell], relation: Relation, what: str, in_case: bool = False) -> None:
        for name, cell in cells.items():
            column = relation.columns.get(name)
            if column is None:
                message = f"{what} names `{name}`, which is no column of {relation.name}"
                place = cell.name_place or cell.place
                self._add_problem("unknown-column", message, place, self._column_help(name, relation, in_case))
                continue
            self._value(cell, relation, name)

    def _column_help(self, name: str, relation: Relation, in_case: bool) -> str:
        if name == "repeat":
            return "`repeat` belongs in a row: `rows: [{repeat: 3, …}]`"
        key = nearest(name, CASE_KEYS) if in_case else None
        if key is not None and nearest(name, [key, *relation.columns]) == key:
            return f"did you mean `{key}`, a key of a case?"
        return did_you_mean(name, relation.columns, "columns")

    def _value(self, cell: Cell, relation: Relation, name: str) -> None:
        from ..facts.values import from_yaml

        try:
            from_yaml(cell.text, cell.quoted, relation.columns[name])
        except ValueError as error:
            help = getattr(error, "help", None)
            self._add_problem("case-value", f"`{name}` of {relation.name}: {error}", cell.place, help)

    def _facts(self, facts: Mapping[str, tuple[CaseRow, ...] | str], what: str, at: Place | None) -> None:
        """Rows of other relations. They are full: there is no example that they could differ from."""
        for name, rows in facts.items():
            place = rows[0].place if isinstance(rows, tuple) and rows else at
            if name == self.policy.relation:
                help = "the judged rows are `example`, or `rows` of a case"
                self._add_problem("judged-in-facts", f"{what} names `{name}`, which is judged", place, help)
                continue
            relation = self.pack.given.get(name)
            if relation is None and name in self.pack.views:
                message, help = f"{what} gives rows of `{name}`, which is a view", "give the rows of what it reads"
                self._add_problem("view-in-case", message, place, help)
                continue
            if name in self.pack.references and not isinstance(rows, tuple):
                message = f"{what} makes the reference `{name}` absent, and a reference is there or the run is in error"
                self._add_problem("reference-in-case", message, place, f"write `{name}: []` for one without rows")
            if relation is None:
                if name not in self.unusable:
                    message = f"{what} names `{name}`, which is no relation or reference of the pack"
                    help = did_you_mean(name, self.pack.given, "relations")
                    self._add_problem("unknown-relation", message, place, help)
                continue
            if isinstance(rows, tuple):
                self._rows(rows, relation, f"a row of {what}")
                for row in rows:
                    self._complete(row, relation, f"a row of {what}")
                self._count(rows, place)

    def _count(self, rows: tuple[CaseRow, ...], place: Place | None) -> None:
        total = sum(row.repeat for row in rows)
        if total > MAX_CASE_ROWS:
            message = f"{total:,} rows, repeated ones counted, are more than the {MAX_CASE_ROWS:,} that a case may have"
            self._add_problem("too-many-rows", message, place, "fewer rows will show the same")

    def _case(self, case: Case, relation: Relation) -> None:
        what = f"case {case.number}"
        if relation.name in self.pack.views and (case.cells or case.rows is not None):
            self._made(next(iter(case.cells), "rows"), case.place)
            return
        self._cells(case.cells, relation, what, in_case=True)
        if isinstance(case.rows, tuple):
            self._rows(case.rows, relation, f"a row of {what}")
            self._count(case.rows, case.place)
        self._facts(case.facts, f"`facts` of {what}", case.place)
        self._expected_rows(case, relation, what)
        if case.reason is not None and case.reason not in _REASONS.get(case.expect, frozenset()):
            verdicts = [f"`{verdict}`" for verdict, reasons in _REASONS.items() if case.reason in reasons]
            message = f"{what} expects `{case.expect}`, which never has the reason `{case.reason}`"
            self._add_problem("reason-does-not-fit", message, case.place, f"it comes with {' or '.join(verdicts)}")
        needs_day = self.policy.as_of == JUDGED_ON
        if needs_day and case.judged_on is None:
            help = "add `judged_on: YYYY-MM-DD`: with `as_of: judged_on` each case has a day of its own"
            self._add_problem("judged-on-missing", f"{what} does not say on what day it is judged", case.place, help)
        if not needs_day and case.judged_on is not None:
            help = f"remove it, or write `as_of: {JUDGED_ON}` in the policy"
            self._add_problem("judged-on-unused", f"{what} has `judged_on`, which nothing reads", case.place, help)

    def _expected_rows(self, case: Case, relation: Relation, what: str) -> None:
        key = self.policy.per or relation.key
        for row in case.expect_rows:
            if "outcome" in key:
                message = f"`expect_rows` of {what} cannot name a row by `outcome`, which is its outcome there"
                help = "expect the verdict alone, or rename the column"
                self._add_problem("word-of-cases", message, row.place, help)
                break
            for name, cell in row.key.items():
                if name in key and name in relation.columns:
                    self._value(cell, relation, name)
                elif name not in key:
                    named = "the columns of `per`" if self.policy.per else f"the key of {relation.name}"
                    message = f"`expect_rows` of {what} names `{name}`, which is not among {named}"
                    place = cell.name_place or cell.place
                    self._add_problem("not-in-key", message, place, did_you_mean(name, key, "key columns"))
