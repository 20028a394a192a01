"""Policies against their pack: names, types, units, parameters and groups."""

from .policies import check_policy

__all__ = ["check_policy"]
