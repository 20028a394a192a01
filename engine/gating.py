"""`fiel honesty`: packs, pages and facts are examined, then lies are told to see whether the gate notices."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from .errors import FactError, Problem
from .frozen import dataclass, field, replace
from .gate.estate import Estate, gather, usual_paths
from .gate.examine import Examiner, View
from .gate.inject import Progress, Telling, ground_of, tell
from .gate.lies import KINDS
from .gate.offender import Offender
from .home import SHIPPED_HONESTY_TESTS, SHIPPED_POLICIES
from .honesty import promises
from .judgeable import check_packs
from .load import load_packs
from .model import Reference
from .policies_folder import Folder, policies_folder
from .references import open_references, reference_folders
from .render.problems import visible


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What to examine. Without `paths` the usual ones; `lies` None is the default number of each kind, 0 none."""

    paths: tuple[Path, ...] = ()
    policies: Path | None = None
    references: tuple[Path, ...] = ()
    tests: Path | None = None
    as_of: date | None = None
    lies: int | None = None
    seed: int = 1
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class GateReport:
    """What was looked at, what was found, and what came of the lies (None: none were told)."""

    pages: int
    facts: int
    rows: int
    official: int
    quotes: int
    excused: tuple[tuple[str, int, str], ...]
    promises: int
    skipped: dict[str, int]
    cited: tuple[Reference, ...]
    offenders: tuple[Offender, ...]
    problems: tuple[Problem, ...] = ()
    telling: Telling | None = None
    asked: int | None = None
    """How many lies were asked for, if a number was given."""
    absent: tuple[str, ...] = ()
    """References that are not installed, and that nothing here needs."""
    unguarded: tuple[str, ...] = ()
    """Relations of the facts of which nothing is looked up."""
    notes: tuple[str, ...] = field(default=())

    @property
    def exit_code(self) -> int:
        if self.problems:
            return 2
        return 1 if self.offenders or (self.telling is not None and self.telling.missed) else 0


def run_gate(request: GateRequest) -> GateReport:
    """Examines everything. Raises PolicyError, FactError or UsageError; then nothing was examined."""
    folder = policies_folder(request.policies)
    packs = load_packs(folder.path).whole()
    every = [policy for pack in packs.values() for policy in pack.policies.values()]
    judgeable = check_packs(packs).choose([policy.id for policy in every])
    judgeable.refuse_without_day(request.as_of)
    tests = promises(request.tests or SHIPPED_HONESTY_TESTS)
    paths = request.paths or tuple(usual_paths())
    declared = {name: one for pack in packs.values() for name, one in pack.references.items()}
    relations = {name for pack in packs.values() for name in pack.relations}
    estate = gather(paths, relations, {one.file for one in declared.values()})
    shelf = open_references(declared.values(), reference_folders(request.references))
    with Examiner(packs, judgeable.policies, shelf, tests, request.as_of) as examiner:
        view = examiner.view(estate)
        offenders = tuple(examiner.examine(view))
        notes = (*((folder.note,) if folder.note else ()), *_shipped_note(view, folder))
        report = _report(examiner, estate, view, offenders, notes)
        if request.lies == 0 or offenders or view.problems:
            return report
        ground = ground_of(examiner, view, estate.pages)
        telling = tell(examiner, view, ground, request.lies, request.seed, request.progress)
        if not telling.number:
            report = replace(report, problems=(*report.problems, _nothing_to_guard()))
        return replace(report, telling=telling, asked=request.lies)


def _shipped_note(view: View, folder: Folder) -> tuple[str, ...]:
    """A mark of a reference that no pack here declares, and a shipped one does, is told where that is."""
    if folder.shipped:
        return ()
    named = {one.reference for page in view.pages.values() for one in page.shown if one.reference}
    unknown = named - view.desk.pinned.keys()
    if not unknown:
        return ()
    packs = load_packs(SHIPPED_POLICIES).packs
    found = sorted((name, pack.name) for pack in packs.values() for name in pack.references if name in unknown)
    return tuple(
        f"`{name}` is declared by the pack `{pack}` that is shipped with Fiel, and `{folder.path}` is used here: "
        f"copy the folder {SHIPPED_POLICIES / pack} there"
        for name, pack in found
    )


def _nothing_to_guard() -> Problem:
    message = "nothing that is shown here is official, looked up or cited: no lie could be told, so nothing is proved"
    help_text = "mark what is official, or add facts that are looked up; `--lies 0` only looks for unmarked claims"
    return Problem("nothing-to-guard", message, help=help_text)


def _report(
    examiner: Examiner, estate: Estate, view: View, offenders: tuple[Offender, ...], notes: tuple[str, ...]
) -> GateReport:
    shown = [one for page in view.pages.values() for one in page.shown]
    rows = sum(
        unit.base.rows.get(f, 0) for unit in examiner.units for f in sorted({x.relation for x in unit.base.files})
    )
    if not estate.pages and not examiner.units:
        problem = Problem(
            "nothing-to-examine", "there is no page and no file of facts at these paths", help="name others"
        )
        raise FactError(problem)
    marked = ("official", "quote")
    named = {one.reference for one in shown if one.reference is not None and one.marked in marked}
    guarded = {one.policy.relation for one in examiner.guarding}
    named |= {name for unit in examiner.units for one in unit.policies for name in one.references}
    cited = tuple(view.desk.pinned[name].reference for name in sorted(n for n in named if n in view.desk.pinned))
    return GateReport(
        pages=len(estate.pages),
        facts=len({f.file for unit in examiner.units for f in unit.base.files}),
        rows=rows,
        official=sum(one.marked == "official" for one in shown),
        quotes=sum(one.marked == "quote" for one in shown),
        excused=tuple((n.file, n.line, n.because) for page in view.pages.values() for n in page.no_claims),
        promises=len(examiner.promises),
        skipped=dict(estate.skipped),
        cited=cited,
        offenders=offenders,
        problems=view.problems,
        notes=notes,
        absent=tuple(
            sorted(
                n for n, p in view.shelf.problems.items() if p.code == "reference-missing" and p not in view.problems
            )
        ),
        unguarded=tuple(sorted({f.relation for u in examiner.units for f in u.base.files} - guarded)),
    )


# -- text ------------------------------------------------------------------------------------------------------


BLIND = (
    "in a page without a seal: whether the word beside a mark is the one that its key names",
    "who sealed a page: whoever alters one can seal it anew",
    "pictures, words other than `official` and `oficial`, and files of other kinds",
)
"""What the gate does not look at. It is said with every report."""


def gate_text(report: GateReport) -> str:
    """The report, with a line feed at the end. It is the same for the same files and seed."""
    lines = [visible(note) for note in report.notes]
    facts = f"{_number(report.facts, 'file')} of facts with {_number(report.rows, 'row')}"
    official = f"{_number(report.official, 'value')} marked official, {_number(report.quotes, 'quote')}"
    lines.append(f"examined {_number(report.pages, 'page')} ({official}) and {facts}, by {report.promises} promises")
    if report.skipped:
        listed = ", ".join(f"{number} {visible(ending)}" for ending, number in report.skipped.items())
        lines.append(f"not looked at: {listed}")
    if report.unguarded:
        lines.append(f"of these relations nothing is looked up: {', '.join(report.unguarded)}")
    for one in report.cited:
        lines.append(f"{one.name} {visible(one.edition)}: {visible(one.cite)} Licence: {visible(one.licence)}")
    lines += [f"no claim, it says: {visible(file)}:{line}: {visible(why)}" for file, line, why in report.excused]
    for offender in report.offenders:
        place = f"{visible(offender.place)}: " if offender.place else ""
        lines += [f"{place}{offender.promise}: {visible(offender.message)}", f"  {visible(offender.title)}"]
        lines += [f"  help: {visible(offender.help)}"] if offender.help else []
    lines += [f"not here, and nothing uses it: {name}" for name in report.absent]
    lines += [f"cannot see: {spot}" for spot in BLIND]
    lines.append(f"offenders: {len(report.offenders) or 'none'}")
    lines += _lies(report)
    return "\n".join(lines) + "\n"


def _lies(report: GateReport) -> list[str]:
    telling = report.telling
    if telling is None:
        why = " while there are offenders" if report.offenders else ""
        why = " while something could not be looked up" if report.problems and not why else why
        return [f"lies: none told{why}, so nobody knows whether the gate would notice one"]
    lines = []
    for lie in telling.missed:
        lines.append(f"{visible(lie.place)}: NOT CAUGHT: {lie.kind}: {visible(lie.was)} became {visible(lie.now)}")
        lines.append(f"  detectable, because {KINDS[lie.kind].detectable}")
    if telling.idle:
        lines.append(f"no place for: {', '.join(telling.idle)}")
    if report.asked is not None and telling.number < report.asked:
        lines.append(f"{report.asked:,} lies were asked for, and there are only {telling.possible:,} to tell")
    number, caught = telling.number, sum(telling.caught.values())
    lines.append(f"lies: caught {caught:,} of {number:,} of {len(telling.told)} kinds (seed {telling.seed})")
    return lines


def _number(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def gate_json(report: GateReport) -> dict[str, Any]:
    """The report as a document: no time, no path but those that were given."""
    telling = report.telling
    return {
        "format": 1,
        "pages": report.pages,
        "facts": report.facts,
        "rows": report.rows,
        "official": report.official,
        "quotes": report.quotes,
        "promises": report.promises,
        "not_looked_at": report.skipped,
        "not_looked_up": list(report.unguarded),
        "references_not_here": list(report.absent),
        "cannot_see": list(BLIND),
        "references": [
            {"reference": r.name, "edition": r.edition, "cite": r.cite, "licence": r.licence} for r in report.cited
        ],
        "no_claims": [{"file": file, "line": line, "because": why} for file, line, why in report.excused],
        "offenders": [
            {
                "promise": o.promise,
                "title": o.title,
                "file": o.file,
                "line": o.line,
                "message": o.message,
                "help": o.help,
            }
            for o in report.offenders
        ],
        "lies": None
        if telling is None
        else {
            "seed": telling.seed,
            "told": dict(telling.told),
            "caught": dict(telling.caught),
            "not_caught": [{"kind": x.kind, "place": x.place, "was": x.was, "now": x.now} for x in telling.missed],
            "no_place_for": list(telling.idle),
        },
    }


__all__ = ["GateReport", "GateRequest", "gate_json", "gate_text", "run_gate"]
