"""What `fiel run` is asked: the pack and its plan, options of the pack, the model, the documents; then each report."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

from .errors import FielError, Problem, UsageError, did_you_mean
from .frozen import dataclass, replace
from .honesty import pinned_references
from .inputs import TEXTS, Input, files_of, refuse_within
from .judgeable import check_packs
from .leavings import private_folder, remove_folder
from .load import load_packs
from .model import Column, Pack
from .pipeline import Progress
from .policies_folder import Folder, policies_folder
from .prepared import Prepared, entry_name, keep, kept
from .references import open_references, reference_folders
from .report_overview import Outcome
from .report_plan import ReportPlan, RunOption
from .report_run import report_on
from .report_sensing import recorded_runs
from .report_setting import Setting
from .run_folder import alone
from .sense_task import Call


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


def setting_of(request: RunRequest) -> Setting:
    """All that is the same for every document. Raises UsageError and PolicyError for what is wrong with it."""
    folder = policies_folder(request.policies)
    name = entry_name(folder.path, [request.pack], ())
    before = kept(name) if name is not None else None
    pack, plan = _planned(folder, request.pack, before)
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
        request.as_of,
        before or _checked(pack, folder, name),
    )


def _planned(folder: Folder, name: str, before: Prepared | None = None) -> tuple[Pack, ReportPlan]:
    """The pack, as it was kept or else as its files are now, and its plan."""
    pack = before.packs[name] if before is not None else load_packs(folder.path, [name]).whole()[name]
    if pack.report is None:
        help = "a pack says in `report.yaml` what is run, and what the report shows"
        raise UsageError(Problem("no-report", f"the pack `{name}` has no report", help=help))
    return pack, pack.report


def _checked(pack: Pack, folder: Folder, name: str | None) -> Prepared:
    """The pack with all its policies checked; kept for the next run, if its files are what they were before."""
    now = Prepared({pack.name: pack}, check_packs({pack.name: pack}))
    if name is not None and name == entry_name(folder.path, [pack.name], ()):
        keep(name, now)
    return now


def options_of(pack: str, policies: Path | None) -> tuple[RunOption, ...]:
    """The options that a pack declares. Raises UsageError and PolicyError for a pack that has no report."""
    return _planned(policies_folder(policies), pack)[1].options


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
        message = f"`{value}` is no value of `--{option.name}`: {option.help}"
        raise UsageError(Problem("usage", message, help=help))
    if value is None and column.required:
        raise UsageError(
            Problem("usage", f"`--{option.name}` is needed: {option.help}", help=f"add `--{option.name} …`")
        )


def documents(request: RunRequest) -> list[Input]:
    """The texts, sorted by name."""
    if request.keep is not None:
        refuse_within(request.keep, request.inputs)
    return files_of(request.inputs, TEXTS)


def with_recorded(setting: Setting, request: RunRequest, found: Sequence[Input]) -> Setting:
    """The setting with the recorded runs by the texts that they looked at. Raises UsageError for one that fits none."""
    if not request.recorded:
        return setting
    named: dict[str, tuple[str, str]] = {}
    for one in found:
        with suppress(UsageError):  # a text that cannot be read says so by itself
            named[one.name] = (one.path.name, hashlib.sha256(one.data()).hexdigest())
    return replace(setting, recorded=recorded_runs(request.recorded, setting, named))


@contextmanager
def work_folder(keep: Path | None) -> Iterator[Path]:
    """Where the runs of sensors are written: the folder that was named, else one that is gone afterwards."""
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(Problem("run-folder", f"`{keep}` cannot be made: {reason}", help="name another")) from None
        help = "wait until it is done, or name another folder"
        with alone(keep, Problem("run-folder", f"another process is writing to `{keep}`", help=help)):
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
            outcome = Outcome(one.name, report_on(one, setting, folder / place(one)))
        except (FielError, OSError) as error:
            outcome = Outcome(one.name, None, problems_of(error))
        yield outcome


def problems_of(error: FielError | OSError) -> tuple[Problem, ...]:
    """Why one document has no report, when the others shall have theirs all the same."""
    if isinstance(error, FielError):
        return tuple(error.problems)
    what = f" `{error.filename}`" if error.filename else ""
    return (Problem("cannot-write", f"the system refused{what}: {(error.strerror or str(error)).lower()}"),)
