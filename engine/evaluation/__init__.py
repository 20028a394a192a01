"""A run held against annotations: what was found, missed and invented, and how sure the figures are."""

from .figures import Counts, compare_runs, interval_of_f1, mean_with_interval
from .matching import Item, Matched, matched

__all__ = ["Counts", "Item", "Matched", "compare_runs", "interval_of_f1", "matched", "mean_with_interval"]
