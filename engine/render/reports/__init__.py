"""Reports on documents in the forms that people and programs read."""

from .html import report_html
from .json import report_json
from .overview import overview_html, overview_json
from .plain import report_markdown, report_text

FORMS = {".html": report_html, ".md": report_markdown, ".txt": report_text, ".json": report_json}
"""How a report is written, by the ending of the file."""

__all__ = ["FORMS", "overview_html", "overview_json", "report_html", "report_json", "report_markdown", "report_text"]
