"""A policy's file: the rule, its parameters, its cases. Expressions are kept as text with the way back to the file."""

from __future__ import annotations

from collections.abc import Mapping

from ..frozen import dataclass, field
from ..model import Exclusion, Expression, Parameter, Policy, Source
from .cases import read_cases, read_example, read_example_facts
from .lookups import read_same_as
from .nodes import Scalar, Table
from .parameters import read_parameters
from .reader import Reader

MAX_QUOTE_WORDS = 25
LATER_KEYS = ("obliges",)
"""Keys whose form is checked and whose work is not done yet."""


@dataclass(frozen=True)
class ReadPolicy:
    """A policy's file as far as it could be read. `policy` is None if what it rests on could not."""

    reader: Reader
    policy: Policy | None
    param_keys: Mapping[str, Scalar] = field(default_factory=dict)


def read_policy(reader: Reader, pack: str, name: str, said: str | None = None) -> ReadPolicy:
    """Read the policy `pack.name` from the file of that name. `said`: another name that `pack.yaml` has for it."""
    root = reader.root()
    if root is None:
        return ReadPolicy(reader, None)
    node = reader.scalar(root, "policy")
    if said is None or node is None or node.text != f"{pack}.{name}":
        _check_id(reader, root, said or pack, name)
    _check_keys(reader, root)
    params_table = reader.table(root, "params")
    params: dict[str, Parameter] = {}
    keys: dict[str, Scalar] = {}
    if params_table is not None:
        params, keys = read_parameters(reader, params_table)
    expressions = {key: _expression(reader, root, key) for key in ("where", "must", "review_if")}
    per, relation = reader.texts(root, "per"), reader.text(root, "for")
    lost = [key for key in ("where", "must", "review_if") if key in root.keys and expressions[key] is None]
    lost += [key for key in ("per", "params") if key in root.values and not reader.good(root.values[key])]
    lost += [key for key in ("each_of", "allow", "as_of", "if_none") if key in root.keys and not reader.text(root, key)]
    same_as = read_same_as(reader, root)
    lost += ["same_as"] if "same_as" in root.keys and same_as is None else []
    has_rule = "must" in root.keys or "same_as" in root.keys
    source = _source(reader, root)
    example, cases = read_example(reader, root), read_cases(reader, root)
    facts = read_example_facts(reader, root)
    if relation is None or lost or len(params) < len(keys) or ("per" in root.keys and per is None) or not has_rule:
        return ReadPolicy(reader, None, keys)
    policy = Policy(
        id=f"{pack}.{name}",
        title=reader.text(root, "title") or "",
        relation=relation,
        cannot_see=reader.text(root, "cannot_see") or "",
        file=reader.source.file,
        must=expressions["must"],
        where=expressions["where"],
        review_if=expressions["review_if"],
        if_none=reader.text(root, "if_none") or "no_evidence",
        per=per or (),
        each_of=reader.text(root, "each_of"),
        allow=reader.text(root, "allow"),
        as_of=reader.text(root, "as_of"),
        params=params,
        source=source,
        example=example,
        example_facts=facts,
        cases=cases,
        exclusions=_exclusions(reader, root),
        because=reader.text(root, "because"),
        same_as=same_as,
        later={key: reader.source.place(root.keys[key]) for key in LATER_KEYS if key in root.keys},
        places={key: reader.source.place(node) for key, node in root.values.items()},
    )
    return ReadPolicy(reader, policy, keys)


def _check_id(reader: Reader, root: Table, pack: str, name: str) -> None:
    node = reader.scalar(root, "policy")
    expected = f"{pack}.{name}"
    if node is not None and node.text != expected:
        message = f"the policy of this file is `{expected}`, not `{node.text}`"
        help = f"write `policy: {expected}`, or rename the file (or its folder)"
        reader.add_problem("policy-name", message, node, help)


def _check_keys(reader: Reader, root: Table) -> None:
    """Keys that exclude one another."""
    for key in ("per", "each_of"):
        if key in root.keys and "same_as" in root.keys:
            help = "a value is compared row by row: remove it"
            reader.add_problem("keys-exclude", f"`{key}` does not go with `same_as`", root.keys[key], help)


def _expression(reader: Reader, root: Table, key: str) -> Expression | None:
    node = reader.scalar(root, key)
    return None if node is None else reader.source.expression(node)


def _exclusions(reader: Reader, root: Table) -> tuple[Exclusion, ...]:
    """The mutants that are excluded, each once."""
    items = reader.items(root, "exclusions")
    found: dict[str, Exclusion] = {}
    for item in items.items if items is not None else ():
        mutant = reader.text(item, "mutant") if isinstance(item, Table) and reader.good(item) else None
        because = reader.text(item, "because") if isinstance(item, Table) and mutant is not None else None
        if mutant is None or because is None:
            continue
        if mutant in found:
            reader.add_problem("repeated-exclusion", f"`{mutant}` is excluded twice", item, "one reason is enough")
        found[mutant] = Exclusion(mutant, because, reader.source.place(item))
    return tuple(found.values())


def _source(reader: Reader, root: Table) -> Source | None:
    table = reader.table(root, "source")
    act = reader.text(table, "act") if table is not None else None
    if table is None or act is None:
        return None
    quote = reader.text(table, "quote")
    words = len((quote or "").split())
    if words > MAX_QUOTE_WORDS:
        message = f"the quote has {words} words; at most {MAX_QUOTE_WORDS} may stand here"
        reader.add_problem("quote-too-long", message, table.values["quote"], "quote the words that the rule rests on")
    return Source(act, reader.text(table, "article"), reader.text(table, "edition"), quote)
