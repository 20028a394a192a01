"""The stages in order: load → check → compile → evaluate. Doors (`cli`) call this and render what it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from .checked import CheckedPolicy, CheckedWaiver
from .decision import Decision, DecisionUse, Rulings
from .decisions import read_decisions
from .errors import FactError, Problem, UsageError, did_you_mean
from .evaluate import Queries
from .facts import FactBase, Survey, load, located, relations_in, undeclared_relations
from .frozen import dataclass, field, replace
from .judgeable import Judgeable, check_packs
from .judging import Settings, judge_policy, tables_of
from .limits import Limits
from .model import Pack, Relation, Waiver
from .policies_folder import Folder, policies_folder
from .prepared import Prepared, entry_name, keep, kept
from .references import Shelf, open_references, reference_folders
from .refusals import refuse_decisions_among_facts, refuse_outputs
from .render.text import reference_words
from .sweep import swept_or_nothing
from .verdict import PolicyVerdict, Run, WaiverUse, worst
from .waivers import in_force, values_named

if TYPE_CHECKING:
    from .receipts import Arguments
    from .verdict import Coverage

Progress = Callable[[str, int, int], None]
"""Called with what is going on, how much is done and how much there is (0 if unknown)."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to judge. `facts` are paths, globs, `relation=PATH` or `-`; `policies` is the folder of packs."""

    facts: tuple[str, ...]
    policies: Path | None = None
    packs: tuple[str, ...] = ()
    policy_ids: tuple[str, ...] = ()
    as_of: date | None = None
    witnesses: int = 20
    threads: int | None = None
    trust_keys: bool = False
    csv_delimiter: str = ","
    use_cache: bool = True
    limits: Limits = field(default_factory=Limits)
    stdin: BinaryIO | None = None
    progress: Progress | None = None
    outputs: tuple[Path, ...] = ()
    """Files that will be written: none may be a file that is read."""
    coverage: bool = False
    """Whether to say what of the facts and packs nobody used."""
    receipt: bool = False
    """Whether to say what made the verdict, by hash."""
    references: tuple[Path, ...] = ()
    """Folders in which references are looked for first."""
    decisions: Path | None = None
    """The file of what people decided."""
    prepared: Prepared | None = None
    """The packs, where the caller has loaded and checked them already, without a problem."""


@dataclass(frozen=True, slots=True)
class Session:
    """All that is judged, loaded and checked: what a request asks for, its packs and policies, and its facts."""

    request: Request
    folder: Folder
    packs: Mapping[str, Pack]
    chosen: str | None
    judgeable: Judgeable
    base: FactBase
    settings: Settings
    decisions: tuple[Decision, ...]

    def rulings(self, checked: CheckedPolicy) -> Rulings | None:
        """The decisions on a policy; None without a file of them."""
        return rulings_on(checked, self.decisions) if self.request.decisions is not None else None

    def waivers(self, checked: CheckedPolicy) -> list[CheckedWaiver]:
        """The waivers of a policy that are in force, in file order."""
        mine = [w for w in self.judgeable.waivers if w.waiver.policy == checked.policy.id]
        return [w for w in mine if _holds(w.waiver, self.request.as_of)]

    def refuse_changed_files(self) -> None:
        """Raises FactError if a file is not what it was when it was read."""
        changed = self.base.changed_files()
        if changed:
            message = "the file changed while it was judged"
            raise FactError([Problem("facts-changed", message, where=f, help="judge again") for f in changed])


def judge(request: Request) -> Run:
    """The verdict of a run. Raises PolicyError, FactError or UsageError, with all problems; then nothing is judged."""
    with opened(request) as session:
        run = judged(session)
        if request.receipt:
            from .receipts import make_receipt

            arguments = _arguments(request, session.folder, run)
            base = session.base
            run = replace(run, receipt=make_receipt(run, arguments, session.packs, base.files, base.present))
        return run


def rulings_on(checked: CheckedPolicy, decisions: Sequence[Decision]) -> Rulings:
    """Those of the decisions that are on a policy, with the digest that it has now."""
    from .receipts import digest, ruled_form

    mine = [one for one in decisions if one.policy == checked.policy.id]
    return Rulings(digest(ruled_form(checked)), mine)


@contextmanager
def opened(request: Request) -> Iterator[Session]:
    """What a request asks for, ready to be judged. Raises what `judge` raises."""
    if not request.facts:
        raise UsageError(Problem("no-facts", "no facts are given", help="add `--facts FILE`"))
    survey = relations_in(request.facts, stdin=request.stdin, limits=request.limits)
    folder = policies_folder(request.policies)
    refuse_decisions_among_facts(request.decisions, survey)
    refuse_outputs(request.outputs, request.decisions, survey, folder.path)
    packs, chosen, judgeable = _prepare(folder, request, survey)
    judgeable.refuse_without_day(request.as_of)
    decisions = read_decisions(request.decisions) if request.decisions is not None else ()
    shelf = shelf_of(judgeable.chosen, request.references)
    settings = Settings(request.as_of, request.witnesses, request.limits, shelf.problems)
    with _facts(request, survey, packs, shelf) as base:
        yield Session(request, folder, packs, chosen, judgeable, base, settings, decisions)


def _arguments(request: Request, folder: Folder, run: Run) -> Arguments:
    from .receipts import Arguments

    return Arguments(
        request.as_of,
        run.packs,
        tuple(sorted(set(request.policy_ids))),
        None if folder.shipped else str(folder.path),
        request.facts,
        request.witnesses,
        request.csv_delimiter,
        request.trust_keys,
        request.coverage,
        str(request.decisions) if request.decisions is not None else None,
    )


def _prepare(folder: Folder, request: Request, survey: Survey) -> tuple[Mapping[str, Pack], str | None, Judgeable]:
    """The packs, how they were chosen, and what of them is judged; as it was kept, if no file of theirs changed."""
    if request.prepared is not None:
        given = request.prepared
        return given.packs, _how_chosen(folder, request, given.packs), _choose(given, request.policy_ids)
    name = _entry_name(folder, request, survey)
    before = kept(name) if name is not None else None
    if before is not None:
        return before.packs, _how_chosen(folder, request, before.packs), _choose(before, request.policy_ids)
    packs = _choose_packs(folder, request, survey)
    ids = _choose_policies(packs, request.policy_ids)
    now = Prepared(packs, check_packs(packs))
    if name is not None and name == _entry_name(folder, request, survey):
        keep(name, now)
    return packs, _how_chosen(folder, request, packs), now.checked.choose(ids)


def _choose(prepared: Prepared, ids: Sequence[str]) -> Judgeable:
    return prepared.checked.choose(_choose_policies(prepared.packs, ids))


def _entry_name(folder: Folder, request: Request, survey: Survey) -> str | None:
    return entry_name(folder.path, request.packs, sorted(survey.relations)) if request.use_cache else None


def _how_chosen(folder: Folder, request: Request, packs: Mapping[str, Pack]) -> str | None:
    if request.packs:
        return folder.note
    chosen = f"packs: {', '.join(packs)} (they declare relations of these facts)"
    return f"{folder.note}\n{chosen}" if folder.note else chosen


def _choose_packs(folder: Folder, request: Request, survey: Survey) -> dict[str, Pack]:
    """The packs that the user named, or else those that declare a relation of the facts."""
    from .load import load_packs  # with the parser of YAML, which unchanged packs do without

    every = load_packs(folder.path, request.packs or None).whole()
    if request.packs:
        return dict(every)
    packs = {name: p for name, p in every.items() if survey.relations & set(p.relations)}
    if not packs:
        found = undeclared_relations(survey, {r for p in every.values() for r in p.relations})
        if folder.shipped:
            help_text = "these are the packs shipped with Fiel; name your own with `--policies DIR`"
            found = [replace(problem, help=help_text) for problem in found]
        raise FactError(found or [_no_relation()])
    return packs


def _no_relation() -> Problem:
    return Problem("no-facts", "the facts bring no relation", help='a JSON file reads `{"relation": [rows]}`')


def _choose_policies(packs: Mapping[str, Pack], ids: Sequence[str]) -> list[str]:
    """The ids of the policies that are judged, sorted: those that were named, or all."""
    available = [f"{name}.{stem}" for name, pack in packs.items() for stem in pack.policies]
    unknown = [i for i in ids if i not in available]
    if unknown:
        raise UsageError(
            [
                Problem("unknown-policy", f"`{i}` is no policy of {', '.join(packs)}", help=_near(i, available))
                for i in unknown
            ]
        )
    chosen = sorted(set(ids)) if ids else sorted(available)
    if not chosen:
        message = f"no policy was selected: {', '.join(packs)} holds none"
        raise UsageError(Problem("no-policies", message, help="a run without policies judges nothing"))
    return chosen


def _near(name: str, available: Iterable[str]) -> str:
    return did_you_mean(name, available, "policies")


def merged_relations(packs: Mapping[str, Pack]) -> dict[str, Relation]:
    """The relations of all packs; those that two packs declare are equal, or loading failed."""
    return {name: relation for pack in packs.values() for name, relation in pack.relations.items()}


def shelf_of(policies: Iterable[CheckedPolicy], folders: Sequence[Path]) -> Shelf:
    """The references that the policies read: found, in these folders first, compared with their hash, and read."""
    read = {name: one for checked in policies for name, one in checked.references.items()}
    return open_references([read[name] for name in sorted(read)], reference_folders(folders))


def _facts(request: Request, survey: Survey, packs: Mapping[str, Pack], shelf: Shelf) -> FactBase:
    return load(
        survey,
        merged_relations(packs),
        limits=request.limits,
        trust_keys=request.trust_keys,
        csv_delimiter=request.csv_delimiter,
        threads=request.threads,
        use_cache=request.use_cache,
        progress=request.progress,
        tables=tables_of(shelf),
    )


def judged(session: Session) -> Run:
    """The verdict of what was opened. Raises FactError if a file changed meanwhile."""
    request, packs, judgeable, base = session.request, session.packs, session.judgeable, session.base
    verdicts: list[PolicyVerdict] = []
    # Decisions are on any row, also on one that passes now, so with them nothing is left out.
    swept = swept_or_nothing(judgeable.chosen, base, session.settings) if request.decisions is None else {}
    for number, checked in enumerate(judgeable.chosen):
        name = checked.policy.id
        if request.progress is not None:
            request.progress(f"judging {name}", number, len(judgeable.chosen))
        rulings = session.rulings(checked)
        waivers = session.waivers(checked)
        verdict = judge_policy(checked, base, session.settings, waivers, rulings=rulings, swept=swept.get(name))
        verdicts.append(verdict)
    verdicts = located(verdicts, base, Queries(base, request.limits))
    session.refuse_changed_files()
    return Run(
        worst(tuple(v.verdict for v in verdicts)),
        tuple(sorted(packs)),
        tuple(verdicts),
        request.as_of,
        (*(() if base.keys_checked else ("keys not checked",)), *_unobserved(base)),
        _citations(verdicts),
        session.chosen,
        _blind_spots(packs, base),
        _uses(judgeable, verdicts, request.as_of),
        _decision_uses(session.decisions, verdicts),
        _coverage(session, verdicts) if request.coverage else None,
    )


def _coverage(session: Session, verdicts: Sequence[PolicyVerdict]) -> Coverage:
    from .coverage import coverage_of

    return coverage_of(session.base, session.packs, session.judgeable.policies, verdicts, session.request.limits)


def _unobserved(base: FactBase) -> list[str]:
    """Relations whose rows nobody observed, by what their runs say."""
    words = {
        "constructed": "a constructed run: its rows were written by hand, and observed by nobody",
        "unstated": "a run that does not say whether its rows were observed",
    }
    said = {(one.relation, words[one.provenance]) for one in base.files if one.provenance in words}
    return [f"`{relation}` is of {what}" for relation, what in sorted(said)]


def _holds(waiver: Waiver, day: date | None) -> bool:
    """Without a day no waiver holds; a run with waivers does not get so far."""
    return day is not None and in_force(waiver, day)


def _uses(judgeable: Judgeable, verdicts: Sequence[PolicyVerdict], day: date | None) -> tuple[WaiverUse, ...]:
    """What came of each waiver. Those that are over, and those that covered nothing, are there too."""
    covered = {verdict.id: verdict.covered for verdict in verdicts}
    relations = {checked.policy.id: checked.relation for checked in judgeable.chosen}
    return tuple(
        WaiverUse(
            one.pack,
            one.waiver,
            covered[one.waiver.policy].get(one.waiver.number, 0),
            not _holds(one.waiver, day),
            values_named(one, relations[one.waiver.policy]),
        )
        for one in judgeable.waivers
    )


def _decision_uses(decisions: Sequence[Decision], verdicts: Sequence[PolicyVerdict]) -> tuple[DecisionUse, ...]:
    """What came of each decision of the file, also of those on policies that were not judged."""
    judged = {use.decision.number: use for verdict in verdicts for use in verdict.decisions}
    return tuple(judged.get(one.number, DecisionUse(one, "policy_not_judged")) for one in decisions)


def _blind_spots(packs: Mapping[str, Pack], base: FactBase) -> dict[str, dict[str, str]]:
    """What the packs, and the relations that the facts bring, say they cannot see."""
    relations = merged_relations(packs)
    of_relations = {name: relations[name].cannot_see for name in sorted(base.present) if name in relations}
    return {
        "packs": {name: pack.cannot_see for name, pack in packs.items() if pack.cannot_see},
        "relations": {name: blind for name, blind in of_relations.items() if blind},
    }


def _citations(verdicts: Sequence[PolicyVerdict]) -> tuple[str, ...]:
    """Every source that a policy or a parameter names, once."""
    found: set[str] = set()
    for verdict in verdicts:
        if verdict.checked.policy.source is not None:
            found.add(str(verdict.checked.policy.source))
        found |= {reference_words(one) for one in verdict.checked.references.values()}
        for parameter in verdict.checked.parameters.values():
            found |= {s for s in [parameter.source, *(v.source for v in parameter.values)] if s}
    return tuple(sorted(found))
