"""Waivers: dated exceptions, checked against their pack, and matched with failed rows in one place for all commands."""

from .check import check_waivers, days_of_waivers, in_force, values_named
from .match import waive

__all__ = ["check_waivers", "days_of_waivers", "in_force", "values_named", "waive"]
