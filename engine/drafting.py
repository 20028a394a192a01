"""`fiel new`: drafts of packs, relations and policies, which pass `check` and `test` before they are written.

No file and no name is ever written over: only `relations.yaml` of a pack that exists gets entries at its end.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path

from .draft.infer import Guess, guess, typed_rows
from .draft.rules import example_for, made_up_rows, rule_for
from .draft.sample import MOST_ROWS, Sample, folder_name, read_samples, survey_of
from .draft.texts import pack_text, policy_text, relation_text, repeated_text
from .draft_proof import Draft, complete, formatted, judge_draft
from .errors import FactError, FielError, PolicyError, Problem, UsageError, did_you_mean, nearest
from .load import load_packs, shown_path
from .model import UNIT_NONE, Column, Pack, Relation, ValueType
from .names import NAME, RESERVED
from .publish import write_whole


def new_pack(root: Path, name: str, today: date) -> Draft:
    """A pack with one relation and one policy, both made up. Raises UsageError if there is such a pack.

    A folder that has no `pack.yaml` is no pack yet: it is taken, and what is in it stays.
    """
    draft = _begin(root, name, today)
    if os.path.lexists(draft.folder / "pack.yaml"):
        raise UsageError(_exists(draft.folder / "pack.yaml", f"draft into the pack: `fiel new relation {name}.NAME`"))
    if os.path.lexists(draft.folder) and not draft.folder.is_dir():
        raise UsageError(_exists(draft.folder, "give another name, or move the file away"))
    relation = _drafted_relation("item")
    _add_pack(draft, "items")
    _add_relations(draft, None, [_made_up(relation)])
    _add_policy(draft, None, relation, "first_rule", ())
    return draft


def new_relation(root: Path, pack: str, name: str, today: date) -> Draft:
    """One more relation of a pack that exists. Raises UsageError if it declares it already."""
    draft, loaded = _existing(root, pack, today)
    _check_free(loaded, name, "relation")
    _add_relations(draft, loaded, [_made_up(_drafted_relation(name))])
    return draft


def new_policy(root: Path, pack: str, name: str, relation: str | None, today: date) -> Draft:
    """One more policy of a pack that exists, over the named relation; a pack that has but one needs no name of it."""
    draft, loaded = _existing(root, pack, today)
    file = draft.folder / f"{name}.yaml"
    go_on = f"edit `{shown_path(file)}`, or delete it and draft anew" if os.path.lexists(file) else None
    _check_free(loaded, name, "policy", go_on)
    if relation is not None and relation not in loaded.relations:
        message = f"`{relation}` is no relation of the pack `{pack}`"
        raise UsageError(
            Problem("unknown-relation", message, help=did_you_mean(relation, loaded.relations, "relations"))
        )
    if relation is None and len(loaded.relations) > 1:
        listed = " or ".join(f"`--for {one}`" for one in sorted(loaded.relations))
        message = f"the pack `{pack}` has {len(loaded.relations)} relations, and it is not said which one is judged"
        raise UsageError(Problem("draft-what", message, help=f"add {listed}"))
    chosen = loaded.relations[relation] if relation is not None else next(iter(loaded.relations.values()))
    _add_policy(draft, loaded, chosen, name, ())
    return draft


def from_facts(root: Path, argument: str, pack: str | None, csv_delimiter: str, today: date) -> Draft:
    """A pack, or what it lacks, for the relations of a file of facts, and one policy over the first of them.

    Raises FactError for facts that nothing can be declared for, UsageError for names that are taken.
    """
    survey = survey_of(argument)
    samples = read_samples(survey, csv_delimiter)
    if not samples:
        raise FactError(Problem("no-facts", "the facts bring no relation", help='JSON reads `{"relation": [rows]}`'))
    packs = load_packs(root).packs if root.is_dir() else {}
    name = pack if pack is not None else _pack_of(samples, packs, folder_name(survey))
    loaded: Pack | None = None
    if os.path.lexists(root / name / "pack.yaml"):
        draft, loaded = _existing(root, name, today)
    else:
        draft = _begin(root, name, today)
    declared = dict(loaded.relations) if loaded is not None else {}
    elsewhere = {n: (p.name, r) for p in packs.values() for n, r in p.relations.items() if n not in declared}
    if loaded is None:
        _add_pack(draft, " and ".join(sorted(samples)).replace("_", " "))
    for known in sorted(set(samples) & set(declared)):
        draft.said.append(f"relation {known}: declared by the pack {name} already, so its types are taken from there")
    guesses = [guess(s) for n, s in samples.items() if n not in declared and n not in elsewhere]
    repeated = {n: elsewhere[n] for n in samples if n in elsewhere}
    if guesses or repeated:
        _add_relations(draft, loaded, guesses, repeated)
    declared |= {n: relation for n, (_, relation) in repeated.items()}
    first, rows = _first(samples, guesses, declared)
    policy = f"{first.name}_rule"
    _check_free(loaded, policy, "policy", f"draft another one: `fiel new policy {name}.NAME --for {first.name}`")
    _add_policy(draft, loaded, first, policy, rows)
    judge_draft(draft, argument, csv_delimiter, any(sample.more for sample in samples.values()))
    return draft


def publish(draft: Draft) -> None:
    """Tries and completes the draft, then writes it. Raises what hinders either; then nothing is there."""
    complete(draft)
    made = [path for path in (draft.root, draft.folder) if not path.exists()]
    try:
        draft.folder.mkdir(parents=True, exist_ok=True)
        write_whole(list(draft.files.items()))
    except (OSError, FielError) as error:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir()
        if isinstance(error, OSError):
            message = f"cannot write `{shown_path(draft.folder)}`: {(error.strerror or 'refused').lower()}"
            raise UsageError(Problem("cannot-write", message, help="name another folder: `--policies DIR`")) from None
        raise


# -- the parts of a draft --------------------------------------------------------------------------------------


def _begin(root: Path, name: str, today: date) -> Draft:
    if not NAME.fullmatch(name) or name in RESERVED:
        message = f"`{name}` cannot name a pack: small letters, digits and `_`, a letter first, no word of the language"
        raise UsageError(Problem("draft-name", message, help="give another name (with --from-facts: `--pack NAME`)"))
    return Draft(root, name, today)


def _existing(root: Path, pack: str, today: date) -> tuple[Draft, Pack]:
    """A pack that is there and in order. Raises UsageError, or PolicyError with its problems."""
    draft = _begin(root, pack, today)
    if not (draft.folder / "pack.yaml").exists():
        known = [path.parent.name for path in root.glob("*/pack.yaml")] if root.is_dir() else []
        message = f"there is no pack `{pack}` in `{shown_path(root)}`"
        draft_it = f"draft it: `fiel new pack {pack}`"
        near = nearest(pack, known) if not draft.folder.is_dir() else None
        help_text = f"did you mean `{near}`? If not, {draft_it}" if near is not None else draft_it
        raise UsageError(Problem("unknown-pack", message, help=help_text))
    loaded = load_packs(draft.folder)
    errors = [p for p in loaded.problems if p.is_error]
    if errors or pack not in loaded.packs:
        raise PolicyError(errors)
    return draft, loaded.packs[pack]


def _check_free(pack: Pack | None, name: str, what: str, help_text: str | None = None) -> None:
    if not NAME.fullmatch(name) or name in RESERVED:
        message = f"`{name}` cannot name a {what}: small letters, digits and `_`, a letter first, no reserved word"
        raise UsageError(Problem("draft-name", message, help="give another name"))
    if pack is None:
        return
    taken = {**dict.fromkeys(pack.relations, "a relation"), **dict.fromkeys(pack.parameters, "a parameter")}
    taken |= dict.fromkeys(pack.policies, "a policy")
    taken |= {n: f"a parameter of {p.id}" for p in pack.policies.values() for n in p.params if what == "relation"}
    path = Path(pack.folder) / f"{name}.yaml"
    if name in taken:
        message = f"`{name}` is {taken[name]} of the pack `{pack.name}` already"
        raise UsageError(Problem("draft-exists", message, help=help_text or "give another name, or edit what is there"))
    if what == "policy" and os.path.lexists(path):
        raise UsageError(_exists(path, help_text or "give another name"))


def _exists(path: Path, help_text: str) -> Problem:
    return Problem("draft-exists", f"`{shown_path(path)}` exists, and nothing is written over", help=help_text)


def _made_up(relation: Relation) -> Guess:
    """A relation of which there are no facts: its columns stand in for those that the facts will have."""
    return Guess(relation, {"size": "made up: which columns do the facts have?"}, ())


def _drafted_relation(name: str) -> Relation:
    key = f"{name[:60]}_id"
    columns = {
        key: Column(key, ValueType("text"), required=True),
        "size": Column("size", ValueType("int"), unit=UNIT_NONE),
    }
    return Relation(name, f"One {name.replace('_', ' ')}.", (key,), columns)


def _add_pack(draft: Draft, about: str) -> None:
    _add(draft, draft.folder / "pack.yaml", pack_text(draft.pack, about))


def _pack_of(samples: Mapping[str, Sample], packs: Mapping[str, Pack], name: str) -> str:
    """The pack for facts: that of this name, else the one that declares a relation of them, else a new one."""
    found = sorted(n for n, pack in packs.items() if set(samples) & set(pack.relations))
    if name in packs or not found:
        return name
    if len(found) > 1:
        message = f"the packs {' and '.join(found)} declare relations of these facts"
        raise UsageError(Problem("draft-what", message, help="say into which pack to draft: `--pack PACK`"))
    return found[0]


def _add_relations(
    draft: Draft, pack: Pack | None, guesses: list[Guess], repeated: Mapping[str, tuple[str, Relation]] | None = None
) -> None:
    path = draft.folder / "relations.yaml"
    texts = []
    for name, (owner, relation) in (repeated or {}).items():
        if pack is not None:
            _check_free(pack, name, "relation")
        draft.said.append(f"relation {name}: in the words of the pack {owner}, since both have to declare it alike")
        texts.append(repeated_text(relation))
    for one in guesses:
        if pack is not None:
            _check_free(pack, one.relation.name, "relation")
        columns, key = len(one.relation.columns), ", ".join(one.relation.key)
        looked = (
            f"from the first {MOST_ROWS:,} rows"
            if one.more
            else f"from {len(one.rows)} rows"
            if one.rows
            else "made up"
        )
        draft.said.append(f"relation {one.relation.name}: {columns} columns, key {key}; {looked}")
        texts.append(relation_text(one.relation, one.remarks, not one.rows))
    text = "\n".join(texts)
    if pack is None:
        _add(draft, path, text)
    else:
        before = path.read_text("utf-8-sig").rstrip("\n")
        draft.files[path] = f"{before}\n\n{formatted(path, text)}"


def _add_policy(
    draft: Draft, pack: Pack | None, relation: Relation, name: str, rows: tuple[Mapping[str, object], ...]
) -> None:
    taken = {relation.name, name}
    if pack is not None:
        taken |= {*pack.relations, *pack.parameters, *pack.policies}
    origin = f"of {len(rows)} sampled rows" if rows else "of a made-up row"
    given = rows or tuple(made_up_rows(relation))
    rule = rule_for(relation, given, taken, origin)
    text = policy_text(draft.pack, name, relation, rule, example_for(relation, given, rule), draft.today, not rows)
    _add(draft, draft.folder / f"{name}.yaml", text)
    draft.said.append(f"policy {draft.pack}.{name}: {rule.must}")


def _add(draft: Draft, path: Path, text: str) -> None:
    if os.path.lexists(path):
        raise UsageError(_exists(path, "move it away, or draft into another pack"))
    draft.files[path] = formatted(path, text)


def _first(
    samples: Mapping[str, Sample], guesses: list[Guess], declared: Mapping[str, Relation]
) -> tuple[Relation, tuple[Mapping[str, object], ...]]:
    """The relation that a policy is drafted for: the guessed one with the most columns, else such a declared one."""
    if guesses:
        best = max(guesses, key=lambda one: len(one.relation.columns))
        return best.relation, best.rows
    name = max(samples, key=lambda one: (samples[one].rows > 0, len(declared[one].columns)))
    return declared[name], typed_rows(samples[name], declared[name])
