"""What a reader of a report has to know before anything else in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...report import Report


def notices(report: Report, words: Mapping[str, str]) -> Iterator[str]:
    """That it is a sample, that there is no word in the text, that no model was asked; each if it is so."""
    if report.constructed:
        yield words["constructed"]
    if not report.text.strip():
        yield words["empty_notice"]
    elif any(one.missing in ("not-asked", "asked-otherwise") for one in report.runs):
        yield words["not_asked_notice"]
