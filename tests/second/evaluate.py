"""Rows, groups, policies and runs: docs/semantics.md sections 4 to 7, for packs without views and same_as.

`judge(files, facts, as_of, witnesses)` takes a pack as its files' YAML texts and facts as rows of Python values, and
gives the verdict as the JSON form of section 7 has it, as far as judging decides it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any

from . import decisions, expr, values
from .kleene import Env, Facts, Row, Truth
from .reading import Policy, Rule, Waiver, read_pack, read_waivers
from .values import Value

OUTCOMES = ("pass", "fail", "review", "no_evidence", "waived")
SEVERITY = ("error", "fail", "no_evidence", "review", "pass", "not_applicable")


@dataclass(frozen=True)
class Outcome:
    """Of a row or a group; `words` are what its witness says beside the outcome."""

    outcome: str
    key: tuple[Value, ...]
    words: Mapping[str, Any]
    certain: bool


# One row, one group.


@dataclass(frozen=True)
class Judging:
    """One policy over one set of facts."""

    policy: Policy
    facts: Facts
    as_of: date | None
    met: Counter[str]

    def env(self, row: Row, members: Sequence[Row]) -> Env:
        return Env(row, row, members, self.day(row), self.facts, self.met)

    def day(self, row: Row) -> date | None:
        if self.policy.as_of in (None, "judged_on"):
            return self.as_of
        found = row[str(self.policy.as_of)]
        assert found is None or isinstance(found, date)
        return found

    def scope(self, row: Row) -> Truth:
        answer: Truth = self.policy.where.typed.read(self.env(row, ())) if self.policy.where else True
        if answer is None:
            self.met["where unknown"] += 1
        return answer

    def decide(self, env: Env, rows: Sequence[Row]) -> dict[str, Any]:
        """The table of section 4, for a row in scope or a group whose rows these are."""
        review: Truth = self.policy.review_if.typed.read(env) if self.policy.review_if else False
        if review is None:
            self.met["review_if unknown"] += 1
            return self.unknown(self.policy.review_if, env, rows)
        if review:
            return {"outcome": "review"}
        held: Truth = self.policy.must.typed.read(env)
        if held is None:
            self.met["must unknown"] += 1
            return self.unknown(self.policy.must, env, rows)
        return {"outcome": "pass" if held else "fail"}

    def unknown(self, rule: Rule | None, env: Env, rows: Sequence[Row]) -> dict[str, Any]:
        assert rule is not None
        null = null_columns(rule, rows)
        dated = [each for each in rule.parameters if each.dated]
        if dated and env.day is None:
            reason = "date_unknown"
        elif any(each.in_force(env.day) is None for each in dated):
            reason = "no_value_in_force"
        elif any(each not in self.facts for each in rule.relations):
            reason = "absent_relation"
        elif null:
            reason = "null_column"
        else:
            reason = "related_unknown" if rule.relations else "not_computable"
        self.met[f"reason {reason}"] += 1
        words = {"outcome": "no_evidence", "reason": reason, "in": rule.word, "null_columns": null}
        if reason == "absent_relation":
            absent = sorted({each for each in rule.relations if each not in self.facts})
            return {**words, "related": [{"relation": r, "unknown_rows": 0, "null_columns": []} for r in absent]}
        return {**words, "related": self.related(rule, env)} if reason == "related_unknown" else words

    def related(self, rule: Rule, env: Env) -> list[dict[str, Any]]:
        """For each relation asked: the rows of which it is unknown whether they answer, and what is null in them."""
        found: list[dict[str, Any]] = []
        for asked in rule.exists:
            if asked.of_members:
                continue  # it speaks of many judged rows; the page says nothing of such
            unclear = [
                row
                for row in self.facts[asked.relation]
                if asked.condition.read(replace(env, row=row, judged=env.row, members=())) is None
            ]
            null = [name for name in asked.columns if any(row[name] is None for row in unclear)]
            if unclear:
                found.append({"relation": asked.relation, "unknown_rows": len(unclear), "null_columns": null})
        return found

    def scope_unknown(self, rows: Sequence[Row]) -> dict[str, Any]:
        assert self.policy.where is not None
        self.met["reason scope_unknown"] += 1
        null = null_columns(self.policy.where, rows)
        return {"outcome": "no_evidence", "reason": "scope_unknown", "in": "where", "null_columns": null}

    def row(self, row: Row) -> Outcome | None:
        scope = self.scope(row)
        if scope is False:
            return None
        words = self.decide(self.env(row, ()), [row]) if scope else self.scope_unknown([row])
        policy = self.policy
        shown: list[str] = []
        for rule in policy.rules:
            shown += [name for name in rule.columns if name not in shown]
        shown += [policy.as_of] if policy.as_of and policy.as_of != "judged_on" and policy.as_of not in shown else []
        words["key"] = self.show(row, policy.key)
        words["columns"] = self.show(row, [name for name in shown if name not in policy.key])
        words["parameters"] = self.parameters(row)
        return Outcome(words["outcome"], tuple(row[name] for name in policy.key), words, scope is True)

    def show(self, row: Row, columns: Sequence[str]) -> dict[str, Any]:
        return {name: values.show(self.policy.types[name], row[name]) for name in columns}

    def parameters(self, row: Row) -> dict[str, Any]:
        return {each.name: each.shown(self.day(row)) for each in self.policy.dated}

    def group(self, key: tuple[Value, ...], inside: Sequence[Row], unclear: Sequence[Row]) -> Outcome:
        policy = self.policy
        row = dict(zip(policy.per, key, strict=True))
        env = self.env(row, inside)
        if not inside and not unclear:
            self.met["empty group"] += 1
        words = self.scope_unknown(unclear) if unclear else self.decide(env, inside)
        words["key"] = self.show(row, policy.per)
        words["rows_in_scope"], words["rows_of_unknown_scope"] = len(inside), len(unclear)
        words["parameters"] = self.parameters(row)
        if not unclear:
            words["aggregates"] = self.aggregates(env)
        return Outcome(words["outcome"], key, words, bool(inside) or policy.each_of is not None)

    def aggregates(self, env: Env) -> list[dict[str, Any]]:
        found: dict[expr.Aggregate, dict[str, Any]] = {}
        for rule in (self.policy.must, self.policy.review_if):
            for node, typed in rule.aggregates if rule else ():
                low, high = typed.bounds(env) if typed.bounds else (None, None)
                words: dict[str, Any] = {"aggregate": node.text}
                if low == high:
                    words["value"] = values.show(typed.type, typed.read(env))
                else:
                    words["low"], words["high"] = low, high
                found.setdefault(node, words)
        return list(found.values())


def null_columns(rule: Rule, rows: Sequence[Row]) -> list[str]:
    return [name for name in rule.columns if any(row[name] is None for row in rows)]


def outcomes(judging: Judging) -> list[Outcome] | str:
    """Of every counted row or group; or the word of the error that makes the policy one."""
    policy, facts = judging.policy, judging.facts
    if not policy.per:
        return [each for each in map(judging.row, facts[policy.relation]) if each]
    groups: dict[tuple[Value, ...], tuple[list[Row], list[Row]]] = {}
    if policy.each_of:
        groups = {tuple(row[name] for name in policy.per): ([], []) for row in facts[policy.each_of]}
    for row in facts[policy.relation]:
        scope = judging.scope(row)
        if scope is not False:
            key = tuple(row[name] for name in policy.per)
            if policy.each_of and key not in groups:
                return "key_not_in_each_of"
            groups.setdefault(key, ([], []))[0 if scope else 1].append(row)
    return [judging.group(key, *rows) for key, rows in groups.items()]


# A policy, a run.


def waive(policy: Policy, found: Sequence[Outcome], waivers: Sequence[Waiver], met: Counter[str]) -> list[Outcome]:
    """Each waiver in turn excuses the first failures by key that it matches and that none before it excused."""
    left = list(found)
    columns = policy.per or policy.key
    for waiver in waivers:
        fits = [
            at
            for at, each in enumerate(left)
            if each.outcome == "fail"
            and all(each.key[columns.index(name)] == value for name, value in waiver.rows.items())
        ]
        fits.sort(key=lambda at: key_order(policy, left[at]))
        met["waiver unused"] += not fits
        met["waiver full"] += len(fits) > waiver.most
        for at in fits[: waiver.most]:
            met[f"waived {'group' if policy.per else 'row'}"] += 1
            words = {**left[at].words, "outcome": "waived", "waiver": waiver.number}
            left[at] = replace(left[at], outcome="waived", words=words)
    return left


def judge_policy(
    policy: Policy,
    facts: Facts,
    as_of: date | None,
    witnesses: int,
    met: Counter[str],
    waivers: Sequence[Waiver] = (),
    said: Sequence[decisions.Said] = (),
    policy_sha256: str = "",
) -> dict[str, Any]:
    """`waivers` are those in force of the policy, `said` what people decided of it, `policy_sha256` its digest.

    `why` in the answer has for each line of `said` why it does not count.
    """
    if policy.as_of == "judged_on" and as_of is None:
        met["error judged_on_missing"] += 1
        return _without_rows(policy, "error", "judged_on_missing")
    if policy.relation not in facts or (policy.each_of and policy.each_of not in facts):
        met["judged relation or each_of absent"] += 1
        return _without_rows(policy, "no_evidence", "absent_relation")
    found = outcomes(Judging(policy, facts, as_of, met))
    if isinstance(found, str):
        met[f"error {found}"] += 1
        return _without_rows(policy, "error", found)
    allowed = policy.allow.at(as_of) if policy.allow else Fraction(0)
    if allowed is None:
        met["allow not in force"] += 1
        return _without_rows(policy, "no_evidence", "no_value_in_force")
    found, why = decisions.decide(policy, found, facts[policy.relation], said, policy_sha256, met)
    decided = sum(1 for reason in why.values() if reason is None)
    found = waive(policy, found, waivers, met)
    met["decided and waived"] += sum(1 for each in found if each.outcome == "waived" and "decision" in each.words)
    count = Counter(each.outcome for each in found)
    passed, failed, review, unknown, waived = (count[word] for word in OUTCOMES)
    n = passed + failed + review + unknown + waived
    assert isinstance(allowed, (int, Fraction))
    if policy.allow and policy.allow.unit == "share":
        met["share with unknown scope"] += any(not each.certain for each in found)
        allowed = allowed * n // 1
    shown = ordered(policy, found)
    reason = None
    if n == 0:
        met["nothing in scope"] += 1
        verdict = policy.if_none
        reason = "nothing_in_scope" if verdict == "no_evidence" else None
    elif failed > allowed:
        verdict = "fail"
    elif failed + review + unknown <= allowed and any(each.certain for each in found):
        verdict = "pass"
        met["pass by tolerance"] += failed + review + unknown > 0
    elif unknown:
        verdict = "no_evidence"
        reason = next(each.words["reason"] for each in shown if each.outcome == "no_evidence")
    else:
        verdict = "review"
    answer = _without_rows(policy, verdict, reason)
    answer["counts"].update({word: count[word] for word in OUTCOMES} | {"decided": decided})
    answer["why"] = why
    answer.update(in_scope=n, allowed=int(allowed), more_witnesses=max(0, len(shown) - witnesses))
    answer["witnesses"] = [dict(each.words) for each in shown[:witnesses]]
    return answer


def _without_rows(policy: Policy, verdict: str, reason: str | None) -> dict[str, Any]:
    counts = dict.fromkeys((*OUTCOMES, "decided"), 0)
    return {
        "policy": policy.name, "verdict": verdict, "reason": reason, "counts": counts, "in_scope": 0, "allowed": 0,
        "witnesses": [], "more_witnesses": 0,
    }  # fmt: skip


def ordered(policy: Policy, found: Sequence[Outcome]) -> list[Outcome]:
    """Every counted row or group that is not a pass, by outcome, then key, nulls first."""

    def place(each: Outcome) -> tuple[Any, ...]:
        return ("fail", "no_evidence", "review", "waived").index(each.outcome), key_order(policy, each)

    return sorted((each for each in found if each.outcome != "pass"), key=place)


def key_order(policy: Policy, each: Outcome) -> tuple[Any, ...]:
    """What sorts rows or groups by their key, nulls first."""
    return tuple(
        (value is not None, value is not None and values.order(policy.types[name], value))
        for name, value in zip(policy.per or policy.key, each.key, strict=True)
    )


def whole_row(row: Row, columns: Iterable[str]) -> Row:
    """The row with all its columns; a stored -0.0 is 0.0."""
    found = {column: row.get(column) for column in columns}
    return {name: value + 0.0 if isinstance(value, float) else value for name, value in found.items()}


def judge(
    files: Mapping[str, str],
    facts: Facts,
    as_of: date | None,
    witnesses: int,
    met: Counter[str] | None = None,
    said: Sequence[decisions.Said] = (),
    digests: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The verdict of a run of one pack: `{"verdict", "policies": [...], "waivers": [...]}`, policies by name.

    `digests` are those of the policies, with which the decisions in `said` are compared.
    Facts are `{relation: rows}`; a relation that is not there is absent, a column that a row lacks is null.
    """
    types, _, policies = read_pack(files)
    full = {name: [whole_row(row, types[name]) for row in rows] for name, rows in facts.items()}
    met = Counter() if met is None else met
    waivers = read_waivers(files, policies)
    holding = [each for each in waivers if as_of is not None and as_of < each.until]
    met["waiver expired"] += len(waivers) - len(holding)
    judged = [
        judge_policy(
            policies[name],
            full,
            as_of,
            witnesses,
            met,
            [each for each in holding if each.policy == name],
            [each for each in said if each.policy == name],
            (digests or {}).get(name, ""),
        )
        for name in sorted(policies)
    ]
    verdicts = {each["verdict"] for each in judged} or {"error"}
    met.update(f"verdict {each['verdict']}" for each in judged)
    return {
        "verdict": next(word for word in SEVERITY if word in verdicts),
        "policies": judged,
        "waivers": [{"policy": w.policy, "number": w.number, "expired": w not in holding} for w in waivers],
    }
