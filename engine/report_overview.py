"""What is said of a folder of documents together: the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .attest import Official
from .errors import Problem
from .frozen import dataclass
from .report import Entry, Headings, Overview, Report, Scale
from .report_run import Reported
from .report_setting import Setting
from .sensors.artifact import claim_words


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one document: its report, or the problems for which there is none."""

    document: str
    reported: Reported | None
    problems: tuple[Problem, ...] = ()


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
        any(score.guesses for score in scores),
        tuple(sources[name] for name in sorted(sources)),
        claim_words(setting.pack.references.values(), [setting.pack]),
        _levels(reports, plan.scale),
    )


def _entry(one: Outcome, pages: Mapping[str, str]) -> Entry:
    if one.reported is None:
        why = "; ".join(
            f"{problem.code}: {problem.message}{f' ({problem.help})' if problem.help else ''}"
            for problem in one.problems
        )
        return Entry(one.document, None, None, "error", "", problem=why)
    report = one.reported.report
    bands = [find.band for find in report.finds if find.band is not None]
    counts = tuple(bands.count(number) for number in range(1, len(report.scale.values) + 1))
    score = report.score.value.value if report.score is not None and report.score.value is not None else None
    corrections = len(report.corrections) if report.corrections is not None else None
    words = " ".join(report.lede)
    return Entry(one.document, f"{pages[one.document]}.html", score, report.verdict, words, counts, corrections, None)


def _levels(reports: Sequence[Report], scale: Sequence[str]) -> tuple[int, ...]:
    """How many different entries of references there are of each value of the scale, in all documents together."""
    found = {
        (find.band, find.value.reference, tuple(find.value.key.items()))
        for one in reports
        for find in one.finds
        if isinstance(find.value, Official)
    }
    bands = [band for band, *_ in found]
    return tuple(bands.count(number) for number in range(1, len(scale) + 1))
