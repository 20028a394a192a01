"""From rows to a report: what a pack's `report.yaml` says is made of the rows of one document."""

from .make import Material, make_report

__all__ = ["Material", "make_report"]
