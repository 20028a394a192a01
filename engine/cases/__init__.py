"""The worked examples of policies: checked, and run."""

from .check import check_cases
from .run import CaseResult, run_cases

__all__ = ["CaseResult", "check_cases", "run_cases"]
