"""What verdicts and problems look like."""

from .formats import FORMATS, verdict_json, verdict_text

__all__ = ["FORMATS", "verdict_json", "verdict_text"]
