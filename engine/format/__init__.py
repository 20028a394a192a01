"""`fiel fmt`: the files of a pack in one form, with every comment, and with the meaning they had."""

from .files import Formatted, format_paths

__all__ = ["Formatted", "format_paths"]
