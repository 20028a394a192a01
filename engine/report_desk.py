"""What `fiel run` is asked: the pack and its plan, options of the pack, the model, the documents; then each report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from .errors import FielError, PolicyError, Problem, UsageError, did_you_mean
from .frozen import dataclass
from .honesty import pinned_references
from .inputs import TEXTS, Input, files_of
from .judgeable import check_packs
from .leavings import private_folder, remove_folder
from .load import load_packs
from .model import Column, Pack
from .pipeline import Progress
from .policies_folder import policies_folder
from .prepared import Prepared
from .references import open_references, reference_folders
from .report import Entry, Headings, Overview, Scale
from .report_plan import ReportPlan, RunOption
from .report_run import Reported, Setting, report_on
from .sense_task import Call
from .sensors.artifact import claim_words


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to run. `options` are those of the pack, as given; `keep` is where the runs of sensors stay."""

    pack: str
    inputs: tuple[str, ...]
    options: Mapping[str, str]
    policies: Path | None = None
    references: tuple[Path, ...] = ()
    recorded: tuple[Path, ...] = ()
    keep: Path | None = None
    call: Call | None = None
    as_of: date | None = None
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one document: its report, or the problems for which there is none."""

    document: str
    reported: Reported | None
    problems: tuple[Problem, ...] = ()


def setting_of(request: RunRequest) -> Setting:
    """All that is the same for every document. Raises UsageError and PolicyError for what is wrong with it."""
    folder = policies_folder(request.policies)
    loaded = load_packs(folder.path, [request.pack])
    errors = [p for p in loaded.problems if p.is_error]
    if errors:
        raise PolicyError(errors)
    pack = loaded.packs[request.pack]
    plan = pack.report
    if plan is None:
        help = "a pack says in `report.yaml` what is run, and what the report shows"
        raise UsageError(Problem("no-report", f"the pack `{pack.name}` has no report", help=help))
    for path in request.recorded:
        if not (path / "run.json").is_file():
            help = "name the folder of a run, which has a `run.json`"
            raise UsageError(Problem("run-folder", f"`{path}` is no folder of a run", help=help))
    shelf = open_references(pack.references.values(), reference_folders(request.references))
    needed = {name for sensor in plan.sensors for name in pack.sensors[sensor].references}
    problems = [shelf.problems[name] for name in sorted(needed) if name in shelf.problems]
    if problems:
        raise FielError(problems)
    return Setting(
        pack,
        plan,
        folder.path,
        _options(request, pack, plan),
        request.references,
        pinned_references(pack.references.values(), shelf),
        request.call,
        request.recorded,
        request.as_of,
        Prepared({pack.name: pack}, check_packs({pack.name: pack})),
    )


def _options(request: RunRequest, pack: Pack, plan: ReportPlan) -> dict[str, str | None]:
    """The options of the pack with their values; those that were not given have their default."""
    legal = {one.name: one for one in plan.options}
    for name in request.options:
        if name not in legal:
            help = did_you_mean(f"--{name}", [f"--{one}" for one in legal], f"options of the pack `{pack.name}`")
            raise UsageError(Problem("usage", f"`--{name}` is no option of `fiel run {pack.name}`", help=help))
    columns = pack.relations[plan.document].columns
    found: dict[str, str | None] = {}
    for option in plan.options:
        value = request.options.get(option.name, option.default)
        _refuse_value(option, columns[option.column], value)
        found[option.name] = value
    language = found.get(plan.language or "")
    if plan.language is not None and language not in plan.languages:
        help = f"one of {', '.join(plan.languages)}"
        raise UsageError(Problem("usage", f"there is no report in the language `{language}`", help=help))
    return found


def _refuse_value(option: RunOption, column: Column, value: str | None) -> None:
    choices = column.type.levels or column.one_of
    if value is not None and choices is not None and value not in choices:
        help = did_you_mean(value, choices, "values")
        raise UsageError(Problem("usage", f"`--{option.name} {value}`: {option.help}", help=help))
    if value is None and column.required:
        raise UsageError(
            Problem("usage", f"`--{option.name}` is needed: {option.help}", help=f"add `--{option.name} …`")
        )


def documents(request: RunRequest) -> list[Input]:
    """The texts, sorted by name."""
    return files_of(request.inputs, TEXTS)


@contextmanager
def work_folder(keep: Path | None) -> Iterator[Path]:
    """Where the runs of sensors are written: the folder that was named, else one that is gone afterwards."""
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(Problem("run-folder", f"`{keep}` cannot be made: {reason}", help="name another")) from None
        yield keep
        return
    folder = private_folder()
    try:
        yield Path(folder)
    finally:
        remove_folder(folder)


def outcomes(
    found: Sequence[Input], setting: Setting, folder: Path, place: Callable[[Input], Path], progress: Progress | None
) -> Iterator[Outcome]:
    """The outcome of each document. One that cannot be reported on does not keep the others from it."""
    for number, one in enumerate(found):
        if progress is not None:
            progress(f"reporting on {one.name}", number, len(found))
        try:
            yield Outcome(one.name, report_on(one, setting, folder / place(one)))
        except FielError as error:
            yield Outcome(one.name, None, tuple(error.problems))


def overview_of(setting: Setting, done: Sequence[Outcome], pages: Mapping[str, str]) -> Overview:
    """The summary of a folder: an entry a document, in the order of their names."""
    plan, language = setting.plan, setting.language
    words = plan.headings[language]
    reports = [one.reported.report for one in done if one.reported is not None]
    scores = [one.score for one in reports if one.score is not None]
    sources = {source.reference: source for one in reports for source in one.sources}
    return Overview(
        setting.pack.name,
        language,
        Headings(**{name: words[name] for name in Headings.__dataclass_fields__}),
        Scale(words["kind"], plan.scale),
        tuple(_entry(one, pages) for one in done),
        scores[0].low if scores else "0",
        scores[0].high if scores else "0",
        scores[0].name if scores else "",
        tuple(dict.fromkeys(text for one in scores for text in one.warnings)),
        tuple(sources[name] for name in sorted(sources)),
        claim_words(setting.pack.references.values(), [setting.pack]),
    )


def _entry(one: Outcome, pages: Mapping[str, str]) -> Entry:
    if one.reported is None:
        why = "; ".join(f"{problem.code}: {problem.message}" for problem in one.problems)
        return Entry(one.document, None, None, "error", "", problem=why)
    report = one.reported.report
    bands = [find.band for find in report.finds if find.band is not None]
    counts = tuple(bands.count(number) for number in range(1, len(report.scale.values) + 1))
    score = report.score.value.value if report.score is not None and report.score.value is not None else None
    corrections = len(report.corrections) if report.corrections is not None else None
    words = " ".join(report.lede)
    return Entry(one.document, f"{pages[one.document]}.html", score, report.verdict, words, counts, corrections, None)
