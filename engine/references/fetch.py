"""`fetch`: a reference from its publisher. Nothing that the network says is believed: only the pinned hash counts.

Only https, and where the user names an address, http to this machine as well (mirrors, tests). A redirection may not
leave these. The body is hashed while it streams, is bounded, and never gets its name unless it is the pinned file.
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from .. import __version__
from ..addresses import is_good_address, is_loopback
from ..errors import Problem, UsageError
from ..facts.bad_values import plain, shown
from ..model import Reference
from .shelf import MAX_BYTES
from .store import arriving, too_large_problem

Report = Callable[[str, int, int], None]
"""What is done, how many bytes of how many; 0 if that is not known."""

_CHUNK = 64 * 1024
_PATIENCE = 30.0
"""Seconds for one answer of the other side."""
LONGEST = 900.0
"""Seconds for a whole file."""


def fetch(reference: Reference, folder: Path, address: str | None = None, report: Report | None = None) -> Path:
    """Downloads a reference into a folder and gives its place. Raises UsageError, and then nothing is there.

    `address` is used instead of the declared one.
    """
    url = address or reference.obtain
    if url is None:
        message = f"`{reference.name}` says no address where its publisher offers it"
        help = f"`fiel reference add {reference.name} --from FILE` takes a file that you have"
        raise UsageError(Problem("no-address", message, reference.place, help=help))
    _check_address(url, loopback=address is not None)
    local = is_loopback(urlsplit(url))
    try:
        with _opener(local).open(_request(url), timeout=_PATIENCE) as answer, arriving(reference, folder) as arrival:
            _stream(answer, arrival.write, reference, url, report)
            arrival.settle(url)
    except UsageError:
        raise
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UsageError(_failed(reference, url, _reason(error))) from None
    return arrival.place


def _stream(answer: Any, write: Callable[[bytes], None], reference: Reference, url: str, report: Report | None) -> None:
    """The whole body, bounded in size and time. A body that ends before its length is refused."""
    length = answer.headers.get("Content-Length", "")
    total = int(length) if length.isascii() and length.isdigit() and len(length) < 19 else 0
    if total > MAX_BYTES:
        raise UsageError(too_large_problem(reference))
    end, got = time.monotonic() + LONGEST, 0
    while chunk := _chunk(answer, reference, url):
        got += len(chunk)
        write(chunk)
        if report is not None:
            report(f"fetching {reference.name}", got, total)
        if time.monotonic() > end:
            raise UsageError(_failed(reference, url, f"it took longer than {LONGEST:.0f} seconds"))
    if got < total:
        raise UsageError(_failed(reference, url, f"the answer ended after {got:,} of {total:,} bytes"))


def _chunk(answer: Any, reference: Reference, url: str) -> bytes:
    """What came next, empty at the end. (A caller that writes files would take an OSError for its own.)"""
    try:
        return bytes(answer.read1(_CHUNK))
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UsageError(_failed(reference, url, _reason(error))) from None


class _Redirections(urllib.request.HTTPRedirectHandler):
    """Follows to https only; from this machine to this machine also by http."""

    def __init__(self, local: bool) -> None:
        self.local = local

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        _check_address(newurl, self.local, "the address redirects to ")
        return super().redirect_request(req, fp, code, msg, headers, newurl)

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        # The base class refuses some schemes in words of its own, before it asks.
        target = headers.get("Location", headers.get("URI"))
        if target is not None and urlsplit(target).scheme:
            _check_address(target, self.local, "the address redirects to ")
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _opener(local: bool) -> urllib.request.OpenerDirector:
    """An opener that knows no scheme but these: no file, no ftp, no data."""
    opener = urllib.request.OpenerDirector()
    handlers: list[urllib.request.BaseHandler] = [
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirections(local),
    ]
    handlers += [urllib.request.HTTPHandler()] if local else [urllib.request.ProxyHandler()]
    for handler in handlers:
        opener.add_handler(handler)
    return opener


def _request(url: str) -> urllib.request.Request:
    headers = {"User-Agent": f"fiel/{__version__}", "Accept-Encoding": "identity", "Accept": "*/*"}
    return urllib.request.Request(url, headers=headers)


def _check_address(url: str, loopback: bool, said: str = "") -> None:
    """Raises UsageError unless it is https, or (where that is allowed) http to this machine."""
    if is_good_address(url, loopback):
        return
    message = f"{said}{shown(url, 200)}, which is no address to fetch a reference from"
    help = "an https address; with `--from`, also http to this machine (127.0.0.1, ::1, localhost)"
    raise UsageError(Problem("address-refused", message, help=help))


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        said = f"the server answered {error.code} {error.reason}" if error.code else str(error.reason)
        loops = "infinite loop" in str(error)
        return "it redirects in a circle, or too often" if loops else plain(said, 120)
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return f"no answer within {_PATIENCE:.0f} seconds"
    said = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    return plain(said[:1].lower() + said[1:], 120)


def _failed(reference: Reference, url: str, reason: str) -> Problem:
    message = f"`{reference.name}` could not be fetched from {shown(url, 200)}: {reason}"
    help = f"nothing was written; try again, or `fiel reference add {reference.name} --from FILE` with a file you have"
    return Problem("fetch-failed", message, help=help)
