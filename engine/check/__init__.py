"""Policies against their pack: names, types, units, parameters and groups; scopes that nothing or everything is in."""

from .policies import check_policy
from .satisfiable import scope_problems

__all__ = ["check_policy", "scope_problems"]
