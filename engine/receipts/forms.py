"""The canonical forms of what a verdict rests on, and their digests.

A form changes if and only if something changes that can change the verdict or what is shown of it. Comments, places,
the order of keys, blanks between the words of an expression, examples and cases are no part of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

from .. import canonical
from ..checked import CheckedPolicy
from ..lang.lex import tokens_of
from ..lang.typed import aggregates_in
from ..model import Expression, Pack, Parameter, Reference, Relation, SameAs
from ..verdict import WaiverUse


def digest(form: object) -> str:
    """The SHA-256 of the canonical JSON of a form."""
    return text_digest(canonical.dumps(form))


def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def policy_form(checked: CheckedPolicy) -> dict[str, Any]:
    """The rule and what is said with it. Of parameters only the names: their values have forms of their own."""
    policy = checked.policy
    return {
        "policy": policy.id,
        "title": policy.title,
        "for": policy.relation,
        "where": _expression(policy.where),
        "must": _expression(policy.must),
        "review_if": _expression(policy.review_if),
        **({"same_as": _same_as(policy.same_as)} if policy.same_as is not None else {}),
        "if_none": policy.if_none,
        "per": list(policy.per),
        "each_of": policy.each_of,
        "allow": policy.allow,
        "as_of": policy.as_of,
        "parameters": sorted(checked.parameters),
        "because": policy.because,
        "source": _plain(policy.source),
        "cannot_see": policy.cannot_see,
        **({"views": view_forms(checked)} if checked.views else {}),
        # Witnesses of groups show aggregates as their author wrote them, blanks and all.
        "aggregates": [one.text for one in aggregates_in(checked.must, checked.review_if)],
    }


def view_forms(checked: CheckedPolicy) -> list[Any]:
    """The views that the policy reads, each behind what it reads: their words, and what is said above them."""
    return [
        [view.form, list(view.relation.key), list(view.drops), view.because]
        + [[name, str(one.type), one.unit] for name, one in view.relation.columns.items()]
        for view in checked.views.values()
    ]


def ruled_form(checked: CheckedPolicy) -> dict[str, Any]:
    """What a person looks at who decides a row: the policy, its numbers, its references, and what the columns mean.

    Of a parameter only what it says counts, not who said so or when somebody last looked.
    """
    return {
        "policy": policy_form(checked),
        "parameters": {
            name: [one.kind, one.unit, [[v.shown, v.start, v.until] for v in one.values]]
            for name, one in checked.parameters.items()
        },
        "references": {name: reference_form(one) for name, one in checked.references.items()},
        "columns": {name: [str(one.type), one.unit] for name, one in checked.relation.columns.items()},
    }


def _same_as(same_as: SameAs) -> dict[str, Any]:
    """The order of the references counts, that of the columns does not."""
    return {
        "references": list(same_as.references),
        "match": dict(same_as.match),
        "show": dict(same_as.show),
        "review_conflicts": same_as.review_conflicts,
    }


def reference_form(reference: Reference) -> dict[str, Any]:
    """What is pinned of a reference: the file, and how it is read and prepared."""
    return {
        "edition": reference.edition,
        "sha256": reference.sha256,
        "key": list(reference.key),
        "columns": {name: [reference.headings[name], _plain(column)] for name, column in reference.columns.items()},
        "prepare": [[step.name, step.column] for step in reference.prepare],
    }


def _expression(expression: Expression | None) -> str | None:
    return " ".join(token.text for token in tokens_of(expression)) if expression is not None else None


def parameter_form(parameter: Parameter) -> Any:
    return _plain(parameter)


def relation_form(relation: Relation) -> Any:
    return _plain(relation)


def pack_form(pack: Pack) -> dict[str, Any]:
    """What a pack says of itself."""
    return {
        "pack": pack.name,
        "title": pack.title,
        "version": pack.version,
        "licence": pack.licence,
        "cannot_see": pack.cannot_see,
    }


def waiver_form(use: WaiverUse) -> dict[str, Any]:
    waiver = use.waiver
    return {
        "policy": waiver.policy,
        "rows": dict(use.rows),
        "owner": waiver.owner,
        "because": waiver.because,
        "until": waiver.until,
        "at_most": waiver.at_most,
    }


def _plain(value: Any) -> Any:
    """Nouns as mappings of their fields, without places, and without what has its usual value.

    So a noun that gains a field keeps its digest where the field is not used.
    """
    if is_dataclass(value) and not isinstance(value, type):
        kept = [f for f in fields(value) if f.compare and not _is_usual(f, getattr(value, f.name))]
        return {f.name: _plain(getattr(value, f.name)) for f in kept}
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


def _is_usual(field: Field[Any], value: Any) -> bool:
    if field.default is not MISSING:
        return bool(value == field.default)
    return field.default_factory is not MISSING and bool(value == field.default_factory())
