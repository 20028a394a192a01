"""From the rows that queries gave to a verdict whose witnesses say why."""

from .witnesses import Circumstances, explain

__all__ = ["Circumstances", "explain"]
