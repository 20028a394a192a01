"""Bytes of a file or of standard input, hashed and counted as they are read, and their lines as text."""

from __future__ import annotations

import codecs
import hashlib
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..errors import Problem
from .findings import Findings, Spot

BLOCK = 1 << 20
BLOCKS = 1 << 22
"""Bytes of lines that are handed on together, or more if a line is longer."""
_MARK = 4
"""Bytes of the longest byte-order mark."""


class Stop(Exception):
    """Nothing more can be read from this file; the problem is among the findings already."""


class HashedBytes(io.RawIOBase):
    """A raw stream that hashes and counts what passes through it. More than `most` bytes raise `TooLong`."""

    def __init__(self, source: BinaryIO, most: int) -> None:
        super().__init__()
        self._source = source
        self._most = most
        self._hash = hashlib.sha256()
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._source.read(len(buffer))
        size = len(block)
        self.count += size
        if self.count > self._most:
            raise TooLong
        self._hash.update(block)
        buffer[:size] = block
        return size

    @property
    def sha256(self) -> str:
        """The digest of what was read so far: of the whole, once the end was reached."""
        return self._hash.hexdigest()


class TooLong(Exception):
    """The stream holds more bytes than the limit."""


def limit_problem(findings: Findings, spot: Spot, limit: str, value: int, what: str) -> None:
    """Adds the problem of a limit that was hit, naming its setting."""
    findings.add(
        Problem(
            "fact-limit",
            f"{what}, more than the limit `{limit}` of {value}",
            where=str(spot),
            help=f"split the file, or raise the limit with `--limit {limit}=…`",
        ),
        spot,
    )


def read_at_most(stream: BinaryIO, count: int) -> bytes:
    """What the stream holds, up to so many bytes, without asking for the memory of all of them first."""
    blocks: list[bytes] = []
    while count > 0 and (block := stream.read(min(count, BLOCK))):
        blocks.append(block)
        count -= len(block)
    return b"".join(blocks)


def read_text(stream: HashedBytes, file: str, findings: Findings, limit: tuple[str, int]) -> str:
    """The whole stream as text without its byte-order mark. Raises `Stop`."""
    try:
        data = io.BufferedReader(stream, BLOCK).read()
    except TooLong:
        limit_problem(findings, Spot(file), limit[0], limit[1], "the file has too many bytes")
        raise Stop from None
    except OSError as error:
        findings.fact_problem("fact-file-unreadable", Spot(file), f"the file could not be read: {reason(error)}")
        raise Stop from None
    refuse_other_encodings(data[:4], file, findings)
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        byte = error.start - (body.rfind(b"\n", 0, error.start) + 1) + 1
        _encoding_problem(findings, Spot(file, line=line), body[error.start], byte)
        raise Stop from None


def read_lines(
    stream: HashedBytes, file: str, findings: Findings, file_limit: int, line_limit: int
) -> Iterator[tuple[int, str | None]]:
    """(line number, text with its line feed) one after the other, never holding more than a block and a line.

    A line that is no UTF-8 gives None, its problem added. A line or a file over its limit raises `Stop`, as does an
    error of the system.
    """
    for first, block in read_blocks(stream, file, findings, file_limit, line_limit):
        yield from lines_of(first, block, file, findings, line_limit)


def lines_of(
    first: int, block: bytes, file: str, findings: Findings, line_limit: int
) -> Iterator[tuple[int, str | None]]:
    """The lines of one block, as `read_lines` gives them. Raises `Stop` for a line over its limit."""
    for number, data in enumerate(io.BytesIO(block), start=first):
        if len(data) > line_limit and len(data.rstrip(b"\r\n")) > line_limit:
            limit_problem(findings, Spot(file, line=number), "line_bytes", line_limit, "the line has too many bytes")
            raise Stop
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            _encoding_problem(findings, Spot(file, line=number), data[error.start], error.start + 1)
            yield number, None
            continue
        yield number, text


def read_blocks(
    stream: HashedBytes, file: str, findings: Findings, file_limit: int, line_limit: int
) -> Iterator[tuple[int, bytes]]:
    """(number of its first line, bytes) of blocks of whole lines, without a byte-order mark.

    The last block may end without a line feed, as may one whose first line is over the limit: nothing follows that.
    A file over its limit raises `Stop` after the lines before it, as does an error of the system.
    """
    reader = io.BufferedReader(stream, BLOCK)
    first, held = 1, bytearray()
    fault: Exception | None = None
    more = True
    while more:
        try:
            data = reader.read1(BLOCK)
        except (TooLong, OSError) as error:
            fault, data = error, b""
        more = bool(data)
        held += data
        if first == 1 and len(held) < _MARK and more:
            continue
        end = len(held) if not more and fault is None else held.rfind(b"\n") + 1
        too_long = not end and len(held) > line_limit + _MARK
        if too_long:
            end = len(held)
        if (len(held) < BLOCKS and more and not too_long) or not end:
            continue
        block = bytes(held[:end])
        del held[:end]
        if first == 1:
            refuse_other_encodings(block[: min(block.find(b"\n") % len(block) + 1, 4)], file, findings)
            block = block.removeprefix(codecs.BOM_UTF8)
        if block:
            yield first, block
        first += block.count(b"\n")
    if isinstance(fault, TooLong):
        limit_problem(findings, Spot(file), "file_bytes", file_limit, "the file has too many bytes")
        raise Stop
    if fault is not None:
        assert isinstance(fault, OSError)
        findings.fact_problem("fact-file-unreadable", Spot(file), f"the file could not be read: {reason(fault)}")
        raise Stop


def refuse_other_encodings(start: bytes, file: str, findings: Findings) -> None:
    """Raises `Stop` for what begins like UTF-16 or UTF-32, with a byte-order mark or as ASCII with NULs between."""
    marks = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
    if start.startswith(marks) or (len(start) > 1 and 0 in start[:2] and start[:2] != b"\0\0"):
        findings.fact_problem(
            "fact-encoding",
            Spot(file),
            "the file looks like UTF-16 or UTF-32, and UTF-8 was expected",
            "save it as UTF-8",
        )
        raise Stop


def reason(error: OSError) -> str:
    """What the system says about an error, without its number and path."""
    return (error.strerror or type(error).__name__).lower()


def _encoding_problem(findings: Findings, spot: Spot, byte: int, at: int) -> None:
    findings.fact_problem(
        "fact-encoding", spot, f"byte {at} of the line, 0x{byte:02X}, is no UTF-8", "save the file as UTF-8"
    )
