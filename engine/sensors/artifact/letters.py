"""Text as an eye reads it: look-alike letters, width, case, accents and what is invisible make no difference."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

# Letters of other scripts that are drawn like a Latin one. The compatibility forms (wide, bold, circled, raised, …) are
# not here: Unicode itself says what they stand for.
_DRAWN_ALIKE = {
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "ғ": "f", "ԍ": "g", "һ": "h", "н": "h", "і": "i", "ј": "j",
    "к": "k", "ӏ": "l", "м": "m", "п": "n", "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s", "т": "t", "ц": "u",
    "ѵ": "v", "ԝ": "w", "х": "x", "у": "y", "ү": "y", "з": "3", "б": "6", "ь": "b",
    "α": "a", "β": "b", "ϲ": "c", "δ": "d", "ε": "e", "ϝ": "f", "η": "h", "ι": "i", "ϳ": "j", "κ": "k", "μ": "m",
    "ν": "v", "ο": "o", "ρ": "p", "σ": "o", "τ": "t", "υ": "u", "χ": "x", "γ": "y", "ζ": "z",
    "օ": "o", "ո": "n", "ս": "u", "հ": "h", "ց": "g", "յ": "j", "ք": "p", "ա": "w",
    "ᴀ": "a", "ʙ": "b", "ᴄ": "c", "ᴅ": "d", "ᴇ": "e", "ꜰ": "f", "ɢ": "g", "ʜ": "h", "ɪ": "i", "ᴊ": "j", "ᴋ": "k",
    "ʟ": "l", "ᴍ": "m", "ɴ": "n", "ᴏ": "o", "ᴘ": "p", "ʀ": "r", "ꜱ": "s", "ᴛ": "t", "ᴜ": "u", "ᴠ": "v", "ᴡ": "w",
    "ʏ": "y", "ᴢ": "z", "ɑ": "a", "ɡ": "g", "ı": "i", "ƅ": "b", "ɓ": "b", "ƈ": "c", "ƒ": "f", "ⅼ": "l",
    "Ꭺ": "a", "Ᏼ": "b", "Ꮯ": "c", "Ꭰ": "d", "Ꭼ": "e", "Ꮋ": "h", "Ꭻ": "j", "Ꮶ": "k", "Ꮮ": "l", "Ꮇ": "m", "Ꮲ": "p",
    "ꓮ": "a", "ꓐ": "b", "ꓚ": "c", "ꓓ": "d", "ꓰ": "e", "ꓝ": "f", "ꓖ": "g", "ꓧ": "h", "ꓲ": "i", "ꓙ": "j", "ꓗ": "k",
    "ꓡ": "l", "ꓟ": "m", "ꓠ": "n", "ꓳ": "o", "ꓑ": "p", "ꓣ": "r", "ꓢ": "s", "ꓔ": "t", "ꓴ": "u", "ꓦ": "v", "ꓪ": "w",
    "𐐚": "b", "Ⲃ": "b", "Ⲥ": "c", "Ⲁ": "a", "ⲁ": "a", "ⲃ": "b", "ⲥ": "c", "ⲟ": "o", "Ƨ": "2", "ƨ": "2", "ᒿ": "2",
    "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-",
    "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"',
}  # fmt: skip
_INVISIBLE = ("Cf", "Mn", "Me", "Cc")
_ENCLOSED = ((0x1F130, 26, 97), (0x1F150, 26, 97), (0x1F170, 26, 97), (0x1F1E6, 26, 97))


def folded(text: str) -> tuple[str, list[int] | None]:
    """The text as an eye reads it, and where in `text` each of its characters comes from (None: at the same place)."""
    if text.isascii() and text.isprintable():
        return text.lower(), None
    characters: list[str] = []
    origins: list[int] = []
    for index, character in enumerate(text):
        for one in _read(character):
            characters.append(one)
            origins.append(index)
    return "".join(characters), origins


@lru_cache(maxsize=4096)
def _read(character: str) -> str:
    """What one character reads as: nothing, one letter, or several."""
    if character.isspace():
        return " "
    code = ord(character)
    for start, count, first in _ENCLOSED:
        if start <= code < start + count:
            return chr(first + code - start)
    if unicodedata.category(character) in _INVISIBLE or character in "\u115f\u1160\u3164\uffa0\u2800":
        return ""
    known = _DRAWN_ALIKE.get(character)
    if known is not None:
        return known
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    plain = unicodedata.normalize("NFKD", character).casefold()
    return "".join(_DRAWN_ALIKE.get(c, c) for c in plain if unicodedata.category(c) not in _INVISIBLE)
