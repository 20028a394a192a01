"""The facts of a case: what the example, the case and its `facts` give together (`docs/semantics.md`, section 9)."""

from __future__ import annotations

from collections.abc import Sequence

from ..checked import CheckedPolicy
from ..errors import Place
from ..facts.values import from_yaml
from ..model import JUDGED_ON, Case, CaseRow, Policy, Relation, Row

Rows = list[dict[str, object]]


def can_be_written(checked: CheckedPolicy, case: Case) -> bool:
    """Whether a case that was made up gives no rows of views, which nobody may write."""
    of_view = checked.policy.relation in checked.views and (bool(case.cells) or case.rows is not None)
    return not of_view and not any(name in checked.views for name in case.facts)


def cases_of(policy: Policy) -> list[Case]:
    """The cases of a policy, before them the example alone (number 0) where it stands for itself."""
    if policy.example is None or policy.per or policy.as_of == JUDGED_ON:
        return list(policy.cases)
    place = policy.places.get("example", Place(policy.file, 1, 1))
    return [Case(0, {}, None, {}, "pass", place), *policy.cases]


def facts_of(checked: CheckedPolicy, case: Case) -> dict[str, Rows]:
    """The rows of each relation of a case, typed; a relation that is not here is absent."""
    policy, relations = checked.policy, checked.relations
    found: dict[str, Rows] = {
        name: _rows(relations[name], rows, {}) for name, rows in policy.example_facts.items() if name != policy.relation
    }
    if policy.relation in checked.views:
        return _with_facts(found, checked, case)
    example: Row = policy.example.cells if policy.example is not None else {}
    if case.rows is None:
        found[policy.relation] = _rows(checked.relation, (CaseRow({**example, **case.cells}),), {})
    elif not isinstance(case.rows, str):
        found[policy.relation] = _rows(checked.relation, case.rows, {**example, **case.cells})
    return _with_facts(found, checked, case)


def _with_facts(found: dict[str, Rows], checked: CheckedPolicy, case: Case) -> dict[str, Rows]:
    """What a case itself says of other relations, over what `example_facts` says."""
    for name, rows in case.facts.items():
        found.pop(name, None)
        if not isinstance(rows, str):
            found[name] = _rows(checked.relations[name], rows, {})
    return found


def _rows(relation: Relation, rows: Sequence[CaseRow], over: Row) -> Rows:
    made: Rows = []
    for row in rows:
        cells = {**over, **row.cells}
        typed = {name: from_yaml(cell.text, cell.quoted, relation.columns[name]) for name, cell in cells.items()}
        made += [typed] * row.repeat
    return made
