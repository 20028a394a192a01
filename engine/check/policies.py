"""A policy against its pack: every name, type, unit and parameter, before anything runs.

`check_policy` gives a `CheckedPolicy`, which is what `compile` reads, and all the problems it found. What concerns one
file alone (form, positions, dates of parameters) was checked when it was loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from ..checked import CheckedPolicy
from ..errors import Place, PolicyError, Problem, did_you_mean
from ..frozen import dataclass, field
from ..lang import tree
from ..lang.parse import parse
from ..lang.typed import (
    BOOL,
    ColumnRef,
    IsNull,
    Junction,
    Not,
    Typed,
    conjuncts_of,
    dated_parameters,
    exists_in,
    parameters_named,
    relations_read,
)
from ..lang.types import Scope, check
from ..model import JUDGED_ON, Expression, Pack, Parameter, Policy, Relation, View
from .emptiness import can_fail_when_empty
from .lookups import conflicts, look_ups, without_rows

_PERCENT = frozenset({"%", "percent", "percentage", "percents", "pct"})
"""Units that mean a share to whoever writes them; a tolerance in them would count rows."""


def check_policy(
    policy: Policy, pack: Pack, trees: Mapping[str, tree.Node] | None = None, harmless: frozenset[str] = frozenset()
) -> tuple[CheckedPolicy | None, list[Problem]]:
    """The checked policy (None if it has an error), and every problem.

    `trees` stand in place of the expressions under these keys, and problems with the codes of `harmless` are no errors:
    so the variants of a policy are made, of which nobody has the text.
    """
    work = _Work(policy, pack, trees or {})
    relation = work.relation_of("for", policy.relation)
    if relation is None:
        return None, work.problems
    each_of = work.relation_of("each_of", policy.each_of) if policy.each_of else None
    work.groups(relation, each_of)
    typed = work.expressions(relation)
    work.parameters_and_days(relation, typed)
    if policy.per and typed["must"] is not None:
        work.emptiness(typed["must"])
        if policy.where is None or typed["where"] is not None:
            work.nullable_groups(relation, typed["where"])
    must = typed["must"]
    review_if = typed["review_if"]
    if policy.same_as is not None and "must" not in (trees or {}):
        must = look_ups(policy, pack, relation, work.problems)
        review_if = _either(review_if, conflicts(policy, must) if must is not None else None)
    if must is None or any(p.is_error and p.code not in harmless for p in work.problems):
        return None, work.problems
    read = {name: work.parameters[name] for name in sorted(work.names_read)}
    named = [policy.relation, policy.each_of or "", *relations_read(typed["where"], must, review_if)]
    views = views_read(pack, named)
    named += [name for view in views.values() for name in view.reads]
    for view in views.values():
        read.update((name, pack.parameters[name]) for name in view.parameters)
    read = dict(sorted(read.items()))
    references = {name: pack.references[name] for name in dict.fromkeys(named) if name in pack.references}
    if not trees:
        work.problems += without_rows(policy, references)
    checked = CheckedPolicy(
        policy, relation, typed["where"], must, review_if, read, pack.readable, each_of, references, views
    )
    return checked, work.problems


def views_read(pack: Pack, names: Iterable[str]) -> dict[str, View]:
    """The views among the names and those that they read, in the order of the file: each behind what it reads."""
    wanted = set(names)
    for name, view in reversed(list(pack.views.items())):
        if name in wanted:
            wanted |= set(view.reads)
    return {name: view for name, view in pack.views.items() if name in wanted}


def _either(review_if: Typed | None, disagree: Typed | None) -> Typed | None:
    """A person decides where the policy says so, and where references disagree."""
    if review_if is None or disagree is None:
        return review_if or disagree
    return Junction(BOOL, None, review_if.nullable, review_if.start, review_if.end, "or", (review_if, disagree))


@dataclass
class _Work:
    """The problems found so far for one policy, and what finds them."""

    policy: Policy
    pack: Pack
    trees: Mapping[str, tree.Node]
    problems: list[Problem] = field(default_factory=list)
    names_read: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.parameters: dict[str, Parameter] = {**self.pack.parameters, **self.policy.params}

    def problem(self, key: str, code: str, message: str, help: str | None = None) -> None:
        place = self.policy.places.get(key) or self.policy.places.get("policy") or Place(self.policy.file, 1, 1)
        self._at(place, code, message, help)

    def _at(self, place: Place | None, code: str, message: str, help: str | None = None) -> None:
        self.problems.append(Problem(code, message, place=place, help=help))

    # -- relations and groups ----------------------------------------------------------------------------------

    def relation_of(self, key: str, name: str) -> Relation | None:
        found = self.pack.judged.get(name)
        if found is None:
            message = f"`{name}` is no relation of the pack `{self.pack.name}`"
            self.problem(key, "unknown-relation", message, did_you_mean(name, self.pack.judged, "relations"))
        return found

    def groups(self, relation: Relation, each_of: Relation | None) -> None:
        policy = self.policy
        for name in policy.per:
            column = relation.columns.get(name)
            if column is None:
                message = f"`{name}` is not a column of {relation.name}"
                self.problem("per", "unknown-column", message, did_you_mean(name, relation.columns, "columns"))
            elif column.type.kind == "float":
                message = f"`{name}` is a float, and floats make no groups: nearly equal is not equal"
                self.problem("per", "float-equality", message, "group by a text, an int or a decimal")
        if policy.each_of and not policy.per:
            self.problem("each_of", "each-of-without-per", "`each_of` names the groups of `per`, and there is no `per`")
        if each_of is not None and policy.per and not any(p.code == "unknown-column" for p in self.problems):
            self._each_of_key(relation, each_of)

    def _each_of_key(self, relation: Relation, each_of: Relation) -> None:
        wanted = {name: relation.columns[name].type for name in self.policy.per}
        found = {name: each_of.columns[name].type for name in each_of.key}
        if wanted != found:
            shown = ", ".join(f"{n} ({t})" for n, t in found.items())
            asked = ", ".join(f"{n} ({t})" for n, t in wanted.items())
            message = f"the key of {each_of.name} is {shown}, and `per` is {asked}"
            self.problem("each_of", "each-of-key", message, "name a relation whose key is the `per` columns")

    def nullable_groups(self, relation: Relation, where: Typed | None) -> None:
        shown = _columns_not_null(where)
        for name in self.policy.per:
            column = relation.columns.get(name)
            if column is not None and not column.required and name not in shown:
                message = f"`{name}` may be null, and a row without it belongs to no group"
                help_text = f"declare it `required: true`, or write `where: … and {name} is not null`"
                self.problem("per", "nullable-group", message, help_text)

    def emptiness(self, must: Typed) -> None:
        if self.policy.each_of is None and can_fail_when_empty(must):
            message = "this can be false of a group without rows, and such a group is not seen"
            help_text = f"add `each_of: R`, a relation with the key [{', '.join(self.policy.per)}]"
            self.problem("must", "lower-bound-without-each-of", message, help_text)

    # -- expressions -------------------------------------------------------------------------------------------

    def expressions(self, relation: Relation) -> dict[str, Typed | None]:
        row = Scope(relation.name, relation.columns, self.parameters, self.pack.readable)
        group = Scope(relation.name, relation.columns, self.parameters, self.pack.readable, frozenset(self.policy.per))
        judged = group if self.policy.per else row
        return {
            "where": self._expression("where", self.policy.where, row),
            "must": self._expression("must", self.policy.must, judged),
            "review_if": self._expression("review_if", self.policy.review_if, judged),
        }

    def _expression(self, key: str, expression: Expression | None, scope: Scope) -> Typed | None:
        if expression is None:
            return None
        try:
            typed = check(expression, self.trees.get(key) or parse(expression), scope)
        except PolicyError as error:
            self.problems.extend(error.problems)
            return None
        self.names_read |= parameters_named(typed)
        return typed

    # -- parameters --------------------------------------------------------------------------------------------

    def parameters_and_days(self, relation: Relation, typed: Mapping[str, Typed | None]) -> None:
        policy = self.policy
        if policy.allow is not None:
            self._allow(policy.allow)
        broken = any((getattr(policy, key) is not None) and value is None for key, value in typed.items())
        if not broken:
            self._unread()
        self._clashes(relation, typed.values())
        dated = dated_parameters(*typed.values())
        if policy.as_of is None and dated:
            message = f"`{dated[0]}` has dated values, and nothing says of which day"
            help_text = f"add `as_of:` with a date column of {relation.name}, or `as_of: {JUDGED_ON}`"
            self.problem("must", "as-of-missing", message, help_text)
        if policy.as_of is not None:
            self._as_of(policy.as_of, relation, bool(dated), broken)

    def _as_of(self, as_of: str, relation: Relation, dated: bool, broken: bool) -> None:
        allow = self.parameters.get(self.policy.allow or "")
        if not dated and not broken and not (allow is not None and allow.dated):
            self.problem("as_of", "as-of-unused", "`as_of` picks dated values, and the policy reads none")
        if as_of == JUDGED_ON:
            return
        column = relation.columns.get(as_of)
        if column is None:
            message = f"`{as_of}` is not a column of {relation.name}"
            days = [c.name for c in relation.columns.values() if c.type.kind == "date"]
            self.problem("as_of", "unknown-column", message, did_you_mean(as_of, [*days, JUDGED_ON], "days"))
        elif column.type.kind != "date":
            message = f"`{as_of}` is {column.type}, and `as_of` wants a date column"
            self.problem("as_of", "type-mismatch", message, "declare it as date, or let the sensor write the day")
        elif self.policy.per and as_of not in self.policy.per:
            message = f"`{as_of}` differs within a group"
            self.problem("as_of", "not-grouped", message, f"add it to `per`, or write `as_of: {JUDGED_ON}`")

    def _allow(self, name: str) -> None:
        parameter = self.parameters.get(name)
        if parameter is None:
            if name.lstrip("-")[:1].isdigit():
                message = f"`{name}` has no origin"
                help_text = f"give it a name: `params: {{tolerated: {{value: {name}, unit: …, origin: …}}}}`"
                self.problem("allow", "bare-number", message, help_text)
            else:
                message = f"`{name}` is no parameter of the policy"
                self.problem("allow", "unknown-parameter", message, did_you_mean(name, self.parameters, "parameters"))
            return
        self.names_read.add(name)
        numbers = [v.value for v in parameter.values if isinstance(v.value, Decimal)]
        if len(numbers) != len(parameter.values) or parameter.is_list:
            self.problem("allow", "type-mismatch", f"`{name}` is no number, and `allow` counts or shares rows")
        elif (parameter.unit or "").lower().replace(" ", "").replace("_", "") in _PERCENT:
            message = f"`{name}` is in `{parameter.unit}`, which would be taken for a number of rows"
            help_text = f"write `value: {parameter.values[0].shown}%` without a unit: that is a share"
            self.problem("allow", "allow-out-of-range", message, help_text)
        elif parameter.unit == "share" and any(not 0 <= n <= 1 for n in numbers):
            message = f"`{name}` is a share, and not between 0 and 1"
            self.problem("allow", "allow-out-of-range", message, "write `5%`, or `0.05` with `unit: share`")
        elif parameter.unit != "share" and any(n < 0 or n != n.to_integral_value() for n in numbers):
            message = f"`{name}` is no whole number of rows"
            self.problem("allow", "allow-out-of-range", message, "write a whole number, or a share with `unit: share`")
        if parameter.dated and self.policy.as_of != JUDGED_ON:
            message = f"`{name}` has dated values, and a tolerance has one day"
            self.problem("allow", "as-of-missing", message, f"write `as_of: {JUDGED_ON}`")

    def _unread(self) -> None:
        for name, parameter in self.policy.params.items():
            if name not in self.names_read:
                message = f"nothing reads the parameter `{name}`"
                self._at(parameter.place, "unused-parameter", message, "use it in the rule, or remove it")

    def _clashes(self, relation: Relation, typed: Iterable[Typed | None]) -> None:
        reached: list[Relation] = [relation]
        readable = self.pack.readable
        reached += [readable[e.relation] for e in exists_in(*typed) if e.relation in readable]
        columns: dict[str, str] = {c: r.name for r in reversed(reached) for c in r.columns}
        for name, parameter in self.parameters.items():
            used = name in self.policy.params or name in self.names_read
            if used and name in columns:
                message = f"the parameter `{name}` bears the name of a column of {columns[name]}"
                self._at(parameter.place, "name-clash", message, "give the parameter another name")


def _columns_not_null(where: Typed | None) -> set[str]:
    """The columns that a conjunct `c is not null` of the scope shows."""
    found: set[str] = set()
    for item in conjuncts_of(where) if where is not None else ():
        if isinstance(item, Not) and isinstance(item.value, IsNull) and isinstance(item.value.value, ColumnRef):
            found.add(item.value.value.name)
    return found
