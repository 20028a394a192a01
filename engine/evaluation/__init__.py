"""A run of sensors against annotated facts: what is compared, which rows are one and the same, and what chance says.

`nouns` holds what comes of it, `matching` pairs rows, `statistics` draws and tests, `measuring` makes figures of both.
Nothing here reads a file: `engine/annotated.py` does.
"""

from .measuring import ANNOTATED, SIDES, Scores, measure_relation, measure_score
from .nouns import (
    CONFIDENCE,
    FEWEST,
    SIGNIFICANCE,
    Agreement,
    Documents,
    Evaluation,
    Figure,
    FileUsed,
    Interval,
    Item,
    LeftOut,
    Pair,
    PairedTest,
    RelationResult,
    RunResult,
    Score,
    ScoreResult,
    Settings,
    Tally,
    Unscored,
)
from .rows import RUN_COLUMNS, Looked, Shape, items_of, refuse_two_runs, shape_of

__all__ = [
    "ANNOTATED",
    "CONFIDENCE",
    "FEWEST",
    "RUN_COLUMNS",
    "SIDES",
    "SIGNIFICANCE",
    "Agreement",
    "Documents",
    "Evaluation",
    "Figure",
    "FileUsed",
    "Interval",
    "Item",
    "LeftOut",
    "Looked",
    "Pair",
    "PairedTest",
    "RelationResult",
    "RunResult",
    "Score",
    "ScoreResult",
    "Scores",
    "Settings",
    "Shape",
    "Tally",
    "Unscored",
    "items_of",
    "measure_relation",
    "measure_score",
    "refuse_two_runs",
    "shape_of",
]
