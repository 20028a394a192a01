"""The same YAML in any form: a tree written anew with other quotes, line breaks, blocks, and comments everywhere."""

from __future__ import annotations

import json
from random import Random

from engine.format.scalars import may_be_plain, quoted
from engine.load.nodes import Items, Node, Scalar, Table
from engine.load.words import json_type


class Scribbler:
    """Writes trees at random. `comments` counts those that were written."""

    def __init__(self, random: Random, keep_quotes: bool = True) -> None:
        self.random = random
        self.comments: list[str] = []
        self.keep_quotes = keep_quotes

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent

    def comment(self) -> str:
        text = f"# remark {len(self.comments)}{self.random.choice(['', ': a', ' [', ' {', ' #', chr(39), '  '])}"
        self.comments.append(text.rstrip())
        return text

    def document(self, root: Node) -> str:
        lines = self.above(0)
        lines += self.block(root, 0)
        lines += self.above(self.random.choice([0, 0, 2, 4]))
        end = "\r\n" if self.chance(20) else "\n"
        text = end.join(lines) + (end if self.chance(80) else "")
        return ("\ufeff" if self.chance(10) else "") + text

    def above(self, indent: int) -> list[str]:
        """Comments on lines of their own, and blank lines."""
        lines: list[str] = []
        while self.chance(15):
            off = self.random.choice([0, 0, 0, 1, 2, -1])
            lines.append(" " * max(0, indent + off) + self.comment() if self.chance(70) else "")
        return lines

    def beside(self) -> str:
        return self.random.choice([" ", "   ", "\t"]) + self.comment() if self.chance(15) else ""

    # -- blocks --------------------------------------------------------------------------------------------------

    def block(self, node: Node, indent: int) -> list[str]:
        lines: list[str] = []
        if isinstance(node, Table):
            for name, value in node.values.items():
                lines += self.above(indent) + self.entry(" " * indent + name + ":", value, indent)
        elif isinstance(node, Items):
            for value in node.items:
                lines += self.above(indent) + self.item(value, indent)
        return lines

    def entry(self, start: str, value: Node, indent: int) -> list[str]:
        if isinstance(value, Scalar):
            return self.scalar(start, value, indent)
        empty = not (value.items if isinstance(value, Items) else value.values)
        if empty or self.chance(40):
            return f"{start} {self.flow(value, indent + 2)}{self.beside()}".split("\n")
        deeper = indent + (self.random.choice([0, 2]) if isinstance(value, Items) else self.random.choice([1, 2, 4]))
        return [start + self.beside(), *self.block(value, deeper)]

    def item(self, value: Node, indent: int) -> list[str]:
        start = " " * indent + "-"
        if isinstance(value, Scalar):
            return self.scalar(start, value, indent)
        empty = not (value.items if isinstance(value, Items) else value.values)
        if empty or self.chance(50):
            return f"{start} {self.flow(value, indent + 2)}{self.beside()}".split("\n")
        inner = self.block(value, indent + 2)
        while inner and (not inner[0].strip() or inner[0].strip().startswith("#")):
            gone = inner.pop(0).strip()
            if gone:
                self.comments.remove(gone)
        return [start + " " + inner[0].lstrip(), *inner[1:]]

    # -- scalars -------------------------------------------------------------------------------------------------

    def scalar(self, start: str, scalar: Scalar, indent: int) -> list[str]:
        text = scalar.text
        is_text = scalar.quoted or json_type(scalar) == "string"
        foldable = " " in text and "  " not in text and text == text.strip() and text.isprintable()
        words = text.split(" ")
        if is_text and foldable and not self.kept(scalar) and self.chance(20) and "\n" not in text:
            deep = " " * (indent + self.random.choice([1, 2, 4]))
            return [f"{start} >-{self.beside()}", *(deep + line for line in self.broken(words))]
        if foldable and not scalar.quoted and self.chance(20):
            lines = self.broken(words)
            if all(not line.startswith(("#", "- ", "? ")) and line[0] not in "#-?" for line in lines):
                return [f"{start} {lines[0]}", *(" " * (indent + 3) + line for line in lines[1:-1]),
                        *(" " * (indent + 3) + line + self.beside() for line in lines[1:][-1:])]  # fmt: skip
        return [f"{start} {self.inline(scalar, False)}{self.beside()}"]

    def kept(self, scalar: Scalar) -> bool:
        return self.keep_quotes and not scalar.quoted

    def broken(self, words: list[str]) -> list[str]:
        lines = [words[0]]
        for word in words[1:]:
            if self.chance(30):
                lines.append(word)
            else:
                lines[-1] += f" {word}"
        return lines

    def inline(self, scalar: Scalar, in_flow: bool) -> str:
        text = scalar.text
        if not scalar.quoted and may_be_plain(text, in_flow):
            return text
        if not scalar.quoted and not in_flow:
            return text
        if "'" not in text and text.isprintable() and self.chance(50):
            return f"'{text}'"
        in_escapes = max(text, default="") <= "\uffff" and (self.chance(20) or not text.isprintable())
        return json.dumps(text, ensure_ascii=True) if in_escapes else quoted(text)

    # -- flow ----------------------------------------------------------------------------------------------------

    def flow(self, node: Node, indent: int) -> str:
        if isinstance(node, Scalar):
            return self.inline(node, True)
        if isinstance(node, Items):
            parts = [self.flow(value, indent + 1) for value in node.items]
            opening, closing = "[]"
        else:
            parts = [f"{name}: {self.flow(value, indent + 1)}" for name, value in node.values.items()]
            opening, closing = "{}"
        out = opening + self.gap(indent)
        for number, part in enumerate(parts):
            out += part + self.gap(indent) + ("," if number < len(parts) - 1 else "")
            out += self.gap(indent) or " " if number < len(parts) - 1 else ""
        return out + closing

    def gap(self, indent: int) -> str:
        """Between the parts of a list: nothing, a space, a new line, or a comment and a new line."""
        if not self.chance(12):
            return ""
        comment = f" {self.comment()}" if self.chance(40) else ""
        return f"{comment}\n" + " " * (indent + self.random.choice([0, 1, 3]))
