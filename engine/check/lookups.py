"""`same_as` against the pack: references, keys and columns that exist, and types that can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from ..errors import Place, Problem, did_you_mean
from ..lang.typed import BOOL, Cells, ColumnRef, Conflict, Junction, LookUp, Typed
from ..model import JUDGED_ON, Column, Pack, Policy, Reference, Relation, SameAs, ValueType

_NAMES = frozenset({"text", "levels"})
"""Types whose values are compared by name with one another."""


def look_ups(policy: Policy, pack: Pack, relation: Relation, problems: list[Problem]) -> Typed | None:
    """`same_as` as a condition: one look-up for each shown column. None, and problems, if it is not sound."""
    if policy.same_as is None:
        return None
    work = _Checker(policy, policy.same_as, pack, relation)
    found = work.look_ups()
    problems += work.problems
    if found is None or not found:
        return None
    if len(found) == 1:
        return found[0]
    return Junction(BOOL, None, True, 0, found[-1].end, "and", tuple(found))


def conflicts(policy: Policy, must: Typed) -> Typed | None:
    """Whether the references disagree, where a person decides that; else None."""
    if policy.same_as is None or not policy.same_as.review_conflicts:
        return None
    found = [n for n in (must, *must.children()) if isinstance(n, LookUp) and len(n.cells) > 1]
    asked = [Conflict(BOOL, None, False, one.start, one.end, one) for one in found]
    if len(asked) > 1:
        return Junction(BOOL, None, False, 0, asked[-1].end, "or", tuple(asked))
    return asked[0] if asked else None


def without_rows(policy: Policy, references: Mapping[str, Reference]) -> list[Problem]:
    """A case looks things up in the rows that it gives, never in the file: a problem for each reference without."""
    found = []
    for name, reference in references.items():
        own = policy.example is None or policy.per or policy.as_of == JUDGED_ON
        if name in policy.example_facts or (own and all(name in case.facts for case in policy.cases)):
            continue
        row = ", ".join(f"{column}: …" for column in reference.columns)
        message = f"the cases do not say what the reference `{name}` holds"
        help_text = f"add `example_facts: {{{name}: [{{{row}}}]}}`: cases look up in rows of their own, not in the file"
        place = policy.places.get("example") or policy.places.get("policy") or Place(policy.file, 1, 1)
        found.append(Problem("reference-in-case", message, place, help=help_text))
    return found


class _Checker:
    def __init__(self, policy: Policy, same_as: SameAs, pack: Pack, relation: Relation) -> None:
        self.policy, self.same_as, self.pack, self.relation = policy, same_as, pack, relation
        self.problems: list[Problem] = []

    def _problem(self, where: str, code: str, message: str, help: str | None = None) -> None:
        place = self.same_as.places.get(where) or self.policy.places.get("same_as") or Place(self.policy.file, 1, 1)
        self.problems.append(Problem(code, message, place, help=help))

    def look_ups(self) -> list[LookUp] | None:
        references = list(self._references())
        keys = {key: self._judged(f"match.{key}", name) for key, name in self.same_as.match.items()}
        shown = {name: self._judged(f"show {name}", name) for name in self.same_as.show}
        if len(references) < len(self.same_as.references):
            return None
        if self.same_as.review_conflicts and len(references) == 1:
            help_text = "leave it out, or name the references in order: `reference: [first, second]`"
            self._problem("on_conflict", "keys-exclude", "one reference cannot disagree with itself", help_text)
        for reference in references:
            self._key(reference)
        sound = [self._sound(reference, keys, shown) for reference in references]
        if not all(sound) or any(p.is_error and p.code != "incomplete-match" for p in self.problems):
            return None
        numbers = count(1)
        judged = {key: self._column(name, next(numbers)) for key, name in self.same_as.match.items()}
        return [
            self._look_up(references, judged, self._column(name, next(numbers)), column)
            for name, column in self.same_as.show.items()
        ]

    def _look_up(
        self, references: list[Reference], judged: Mapping[str, ColumnRef], shown: ColumnRef, column: str
    ) -> LookUp:
        names = tuple(judged)
        cells = tuple(
            Cells(r.name, names, tuple(r.columns[n].type for n in names), column, r.columns[column].type)
            for r in references
        )
        keys = tuple(judged.values())
        return LookUp(BOOL, None, shown.nullable, shown.start, shown.end, shown, keys, cells, self.same_as.lenient)

    def _column(self, name: str, at: int) -> ColumnRef:
        """The columns are mentioned in the order of `match`, then `show`."""
        column = self.relation.columns[name]
        return ColumnRef(column.type, column.unit, not column.required, at, at + 1, name, "row")

    def _references(self) -> Iterator[Reference]:
        for name in self.same_as.references:
            found = self.pack.references.get(name)
            if found is None:
                message = f"`{name}` is no reference of the pack `{self.pack.name}`"
                help_text = did_you_mean(name, self.pack.references, "references")
                if not self.pack.references:
                    help_text = "declare it in `references.yaml`, with its file and hash"
                self._problem(f"reference {name}", "unknown-reference", message, help_text)
            else:
                yield found

    def _judged(self, where: str, name: str) -> Column | None:
        column = self.relation.columns.get(name)
        if column is None:
            message = f"`{name}` is not a column of {self.relation.name}"
            self._problem(where, "unknown-column", message, did_you_mean(name, self.relation.columns, "columns"))
        elif column.type.kind == "float":
            message = f"`{name}` is a float, and floats are never compared for equality"
            self._problem(where, "float-equality", message, "declare it as text, int or decimal")
        return column

    def _key(self, reference: Reference) -> None:
        """`match` names the whole key and nothing else."""
        left = [name for name in reference.key if name not in self.same_as.match]
        if left:
            listed = ", ".join(f"`{name}`" for name in left)
            message = f"`match` does not name {listed}, and the key of {reference.name} is {', '.join(reference.key)}"
            help_text = f"add `{left[0]}: …`, the judged column that holds it: a part of a key names many rows"
            self._problem("match", "incomplete-match", message, help_text)
        for name in self.same_as.match:
            if name not in reference.key:
                message = f"`{name}` is not in the key of {reference.name}"
                help_text = did_you_mean(name, reference.key, "key columns")
                self._problem(f"match {name}", "unknown-column", message, help_text)

    def _sound(
        self, reference: Reference, keys: Mapping[str, Column | None], shown: Mapping[str, Column | None]
    ) -> bool:
        """Whether every column is one of the reference, and of a type that is compared with the judged one's."""
        good = True
        for name, column in keys.items():
            theirs = reference.columns.get(name)
            good &= theirs is None or self._comparable(f"match {name}", column, theirs, reference)
        for name, wanted in self.same_as.show.items():
            theirs = reference.columns.get(wanted)
            if theirs is None:
                message = f"`{wanted}` is not a column of {reference.name}"
                help_text = did_you_mean(wanted, reference.columns, "columns")
                self._problem(f"show.{name}", "unknown-column", message, help_text)
                good = False
            else:
                good &= self._comparable(f"show.{name}", shown[name], theirs, reference)
        return good

    def _comparable(self, where: str, ours: Column | None, theirs: Column, reference: Reference) -> bool:
        if ours is None or _same(ours.type, theirs.type):
            return True
        message = f"`{ours.name}` is {ours.type}, and `{theirs.name}` of {reference.name} is {theirs.type}"
        self._problem(where, "type-mismatch", message, "declare the two in the same way; text goes with levels")
        return False


def _same(one: ValueType, other: ValueType) -> bool:
    if one.kind == "float" or other.kind == "float":
        return False
    return one == other or ({one.kind, other.kind} == _NAMES)
