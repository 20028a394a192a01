"""What the files of a pack, and packs, say of one another: names that stand alone, relations declared twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..errors import Place, Problem
from ..frozen import fields
from ..model import Pack, Reference, Relation

Declaration = tuple[str, Place, str]
"""What bears the name (`a relation`), where, and the line of the file."""

_OWN = "a parameter of "
_OF_PACK = "a parameter of the pack"


def check_names(declared: Mapping[str, Sequence[Declaration]]) -> list[Problem]:
    """Each name stands alone in its pack; only two policies may each have a parameter of one name."""
    problems = []
    for name, declarations in declared.items():
        shared = [each for each in declarations if not each[0].startswith(_OWN) or each[0] == _OF_PACK]
        own = [each for each in declarations if each not in shared]
        later = [*shared[1:], *own] if shared else []
        for what, place, excerpt in later:
            first, where, _ = shared[0]
            message = f"`{name}` is {what} and also {first} ({where.file}, line {where.line})"
            help = "a name stands alone in its pack: rename one of the two"
            problems.append(Problem("name-taken", message, place, None, excerpt, help))
    return problems


def check_shared_relations(packs: Iterable[Pack]) -> list[Problem]:
    """A relation that several packs declare is one, so they declare it in equal words."""
    problems = []
    first: dict[str, tuple[Pack, Relation]] = {}
    for pack in packs:
        for name, relation in pack.relations.items():
            if name not in first:
                first[name] = (pack, relation)
                continue
            other, known = first[name]
            difference = _difference(relation, known)
            if difference is not None:
                where = f" ({known.place.file}, line {known.place.line})" if known.place is not None else ""
                message = f"`{name}` is declared otherwise in the pack `{other.name}`{where}: {difference}"
                help = "declare it in equal words, or give it another name"
                problems.append(Problem("relations-differ", message, relation.place, help=help))
    return problems


def _difference(one: Relation, other: Relation) -> str | None:
    """What is not the same in two declarations, or None."""
    for key in ("row", "key", "cannot_see"):
        if getattr(one, key) != getattr(other, key):
            return f"`{key}` differs"
    for name in sorted(set(one.columns) | set(other.columns)):
        if name not in one.columns or name not in other.columns:
            return f"the column `{name}` stands in only one of them"
        if one.columns[name] != other.columns[name]:
            return f"the column `{name}` differs"
    return None


def check_shared_references(packs: Iterable[Pack]) -> list[Problem]:
    """A reference that several packs declare is one file with one meaning, so they declare it in equal words."""
    problems = []
    first: dict[str, tuple[Pack, Reference]] = {}
    for pack in packs:
        for name, reference in pack.references.items():
            other, known = first.setdefault(name, (pack, reference))
            differing = [one.name for one in fields(Reference) if one.compare and _differs(reference, known, one.name)]
            if differing:
                where = f" ({known.place.file}, line {known.place.line})" if known.place is not None else ""
                listed = " and ".join(f"`{one}`" for one in sorted({_WRITTEN.get(one, one) for one in differing}))
                message = f"`{name}` is declared otherwise in the pack `{other.name}`{where}: {listed} differs"
                help = "declare it in equal words, or give it another name"
                problems.append(Problem("references-differ", message, reference.place, help=help))
    return problems


_WRITTEN = {"headings": "columns"}
"""The key of `references.yaml` for a field of a reference that is called otherwise."""


def _differs(one: Reference, other: Reference, name: str) -> bool:
    return bool(getattr(one, name) != getattr(other, name))
