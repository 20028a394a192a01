"""A typed condition as an English sentence, with the numbers in it."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import InternalError
from ..lang.show import value_text
from ..lang.typed import (
    AggregateRef,
    Arithmetic,
    Coerce,
    ColumnRef,
    Compare,
    Conflict,
    Constant,
    CountCompare,
    Exists,
    Function,
    In,
    IsNull,
    Junction,
    LookUp,
    Not,
    Shift,
    Typed,
)
from ..model import UNIT_NONE, Parameter

_COMPARED = {
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
}
_NOT_COMPARED = {
    "=": "is not",
    "!=": "is",
    "<": "is not less than",
    "<=": "is not at most",
    ">": "is not more than",
    ">=": "is not at least",
}
_DAYS = {"<": "is before", "<=": "is on or before", ">": "is after", ">=": "is on or after"}
_NOT_DAYS = {"<": "is not before", "<=": "is not on or before", ">": "is not after", ">=": "is not on or after"}
_MOMENTS = {"<=": "is at or before", ">=": "is at or after"}
_NOT_MOMENTS = {"<=": "is not at or before", ">=": "is not at or after"}
_OPERATED = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_FUNCTIONS = {
    "abs": "the size of {0}",
    "length": "the length of {0}",
    "lower": "{0} in small letters",
    "upper": "{0} in capitals",
    "year": "the year of {0}",
    "month": "the month of {0}",
    "day": "the day of the month of {0}",
    "utc_day": "the day (UTC) of {0}",
    "days_between": "the days from {0} to {1}",
}
_TEXT_TESTS = {"starts_with": "starts with", "ends_with": "ends with", "contains": "contains"}
_AGGREGATES = {
    "sum": "the sum of {0}",
    "avg": "the mean of {0}",
    "min": "the least {0}",
    "max": "the greatest {0}",
}


class Words:
    """Writes conditions in words. `parameters` gives the numbers that are put behind their names."""

    def __init__(self, parameters: Mapping[str, Parameter]) -> None:
        self.parameters = parameters
        self.in_exists = False

    def condition(self, node: Typed, negated: bool = False) -> str:
        """The condition, or its opposite."""
        if isinstance(node, Not):
            return self.condition(node.value, not negated)
        if isinstance(node, Junction):
            return self._junction(node, negated)
        if isinstance(node, Compare):
            return self._compare(node.op, node.left, node.right, negated)
        if isinstance(node, CountCompare):
            return self._compare(node.op, node.count, node.right, negated)
        if isinstance(node, In):
            members = self._listed([self.value(m) for m in node.members], "or")
            return f"{self.value(node.value)} is {'not ' if negated else ''}{members}"
        if isinstance(node, IsNull):
            return f"{self.value(node.value)} is {'known' if negated else 'not known'}"
        if isinstance(node, Exists):
            return self._exists(node, negated)
        if isinstance(node, AggregateRef):
            return self._some_or_all(node, negated)
        if isinstance(node, LookUp):
            return self._look_up(node, negated)
        if isinstance(node, Conflict) and isinstance(node.value, LookUp):
            listed = self._listed([one.reference for one in node.value.cells], "and")
            return f"{listed} {'do not ' if negated else ''}disagree on {node.value.shown.name}"
        if isinstance(node, Function) and node.name in _TEXT_TESTS:
            verb = _TEXT_TESTS[node.name]
            if negated:
                return f"it is not so that {self.value(node.args[0])} {verb} {self.value(node.args[1])}"
            return f"{self.value(node.args[0])} {verb} {self.value(node.args[1])}"
        return f"{self.value(node)} is {'false' if negated else 'true'}"

    def _junction(self, node: Junction, negated: bool) -> str:
        # The opposite of `a and b` is the opposite of one of them.
        word = {"and": "or", "or": "and"}[node.op] if negated else node.op
        parts = [self.condition(item, negated) for item in node.items]
        parts = [f"({p})" if _joins(item) else p for p, item in zip(parts, node.items, strict=True)]
        return f" {word} ".join(parts)

    def _compare(self, op: str, left: Typed, right: Typed, negated: bool) -> str:
        if left.type.kind == "bool" and isinstance(right, Constant) and right.name is None and op in ("=", "!="):
            return self.condition(left, negated is (bool(right.options[0].value) is (op == "=")))
        words = _NOT_COMPARED if negated else _COMPARED
        if left.type.kind in ("date", "instant"):
            words = {**words, **(_NOT_DAYS if negated else _DAYS)}
        if left.type.kind == "instant":
            words = {**words, **(_NOT_MOMENTS if negated else _MOMENTS)}
        return f"{self.value(left)} {words[op]} {self.value(right)}"

    def _exists(self, node: Exists, negated: bool) -> str:
        start = f"there is {'no' if negated else 'a'} row of {node.relation}"
        if node.condition is None:
            return start
        outer, self.in_exists = self.in_exists, True
        inner = self.condition(node.condition)
        self.in_exists = outer
        return f"{start} whose {inner}"

    def _look_up(self, node: LookUp, negated: bool) -> str:
        """Where the value is looked up, and by what."""
        first = node.cells[0]
        where = " and ".join(
            key if key == column.name else f"{key} (here {column.name})"
            for key, column in zip(first.keys, node.keys, strict=True)
        )
        cells = self._listed([f"{one.column} of {one.reference}" for one in node.cells], "or, where it lacks the key,")
        return f"{node.shown.name} is {'not ' if negated else ''}the {cells}, looked up by {where}"

    def _some_or_all(self, node: AggregateRef, negated: bool) -> str:
        assert node.argument is not None
        which = f" whose {self.condition(node.filter)}" if node.filter is not None else ""
        every = (node.name == "all") is not negated
        inner = self.condition(node.argument, negated)
        return f"{'for every' if every else 'for some'} row{which}, {inner}"

    def value(self, node: Typed) -> str:
        """A value: a column by its name, a parameter by name and number."""
        if isinstance(node, Coerce):
            return self.value(node.value)
        if isinstance(node, ColumnRef):
            return f"the judged {node.name}" if self.in_exists and node.side != "related" else node.name
        if isinstance(node, Constant):
            return self._constant(node)
        if isinstance(node, Arithmetic):
            return f"{self.value(node.left)} {_OPERATED[node.op]} {self.value(node.right)}"
        if isinstance(node, Shift):
            side = "after" if node.sign > 0 else "before"
            return f"{self.value(node.amount)} {node.step}s {side} {self.value(node.value)}"
        if isinstance(node, AggregateRef):
            return self._aggregate(node)
        if isinstance(node, Function) and node.name == "coalesce":
            return f"{self.value(node.args[0])} (where it is not known: {self._rest(node)})"
        if isinstance(node, Function) and node.name in _FUNCTIONS:
            return _FUNCTIONS[node.name].format(*(self.value(a) for a in node.args))
        if node.type.kind == "bool":
            return f"whether {self.condition(node)}"
        raise InternalError(f"no words for {type(node).__name__}")

    def _rest(self, node: Function) -> str:
        return ", else ".join(self.value(a) for a in node.args[1:])

    def _constant(self, node: Constant) -> str:
        parameter = self.parameters.get(node.name or "")
        if parameter is None:
            return value_text(node.options[0].value, node.type.kind)
        return self.parameter(parameter)

    def parameter(self, parameter: Parameter) -> str:
        """A parameter by its name, with its number or numbers and their unit."""
        shown = " or ".join(dict.fromkeys(v.shown for v in parameter.values))
        unit = f" {parameter.unit}" if parameter.unit and parameter.unit != UNIT_NONE and "%" not in shown else ""
        days = ", by its day" if parameter.dated else ""
        return f"{parameter.name} ({shown}{unit}{days})"

    def _aggregate(self, node: AggregateRef) -> str:
        filtered = f" whose {self.condition(node.filter)}" if node.filter is not None else ""
        if node.name == "count_if" and node.argument is not None:
            which = f" of the rows{filtered}" if filtered else ""
            return f"the number of rows whose {self.condition(node.argument)}{which}"
        if node.is_count and node.argument is None:
            return f"the number of rows{filtered}"
        assert node.argument is not None
        inner = self.value(node.argument)
        if node.is_count:
            return f"the number of different {inner}" + (f" over the rows{filtered}" if filtered else "")
        return _AGGREGATES[node.name].format(inner) + (f" over the rows{filtered}" if filtered else "")

    def _listed(self, items: list[str], word: str) -> str:
        return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"


def _joins(node: Typed) -> bool:
    return isinstance(node.value, Junction) if isinstance(node, Not) else isinstance(node, Junction)
