"""One POST over https, as both providers use it: no proxy, no redirect, a bounded body, a deadline for the whole.

The environment is not asked for proxies: the key and the texts go to the address that was named and nowhere else.
"""

from __future__ import annotations

import http.client
import re
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from urllib.parse import SplitResult, urlsplit

from ...frozen import dataclass
from .calls import LARGEST, Call, SendError

_CHUNK = 64 * 1024
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4}))?")


@dataclass(frozen=True, slots=True)
class Received:
    """What a server sent: the status, the headers as they came, and the whole body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text, U+FFFD for what is no UTF-8 (of which `post` gives none)."""
        return self.body.decode("utf-8", "replace")

    def header(self, name: str) -> str:
        """The value of a header, empty if it is not there."""
        return next((value for one, value in self.headers if one.lower() == name.lower()), "")


def post(url: str, headers: Mapping[str, str], body: bytes, call: Call) -> Received:
    """Sends, and gives what came if its status is 200 and it is JSON by its own word. Raises SendError.

    Whatever came is first searched for the key; if it is there, nothing of it is kept.
    """
    parts = urlsplit(url)
    connection = _connection(parts, call.timeout)
    watch = _Watch(connection, call.timeout)
    failed = ("model-unreachable", "the connection failed")
    received = None
    try:
        with watch:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.connect()
            watch.held = connection.sock
            connection.request("POST", target, body, {**headers, "Accept-Encoding": "identity", "Connection": "close"})
            received = _receive(connection.getresponse(), call)
    except TimeoutError:
        failed = _too_late(call)
    except (OSError, http.client.HTTPException, ValueError) as error:
        failed = ("model-unreachable", _reason(error))
    finally:
        connection.close()
    # Outside the handler, so that no exception of a library, which knows the headers, hangs on ours.
    if watch.expired:
        failed, received = _too_late(call), None
    if received is None:
        raise SendError(*failed)
    return _settled(received)


def _too_late(call: Call) -> tuple[str, str]:
    return "model-timed-out", f"there was no whole answer within {call.timeout:g} seconds"


def _connection(parts: SplitResult, timeout: float) -> http.client.HTTPConnection:
    host = parts.hostname or ""
    if parts.scheme == "http":
        return http.client.HTTPConnection(host, parts.port, timeout=timeout)
    import ssl

    return http.client.HTTPSConnection(host, parts.port, timeout=timeout, context=ssl.create_default_context())


class _Watch:
    """Ends a connection when its time is over, also one on which a byte arrives now and then."""

    def __init__(self, connection: http.client.HTTPConnection, seconds: float) -> None:
        self.connection, self.end = connection, time.monotonic() + seconds
        self.done, self.expired = threading.Event(), False
        self.held: socket.socket | None = None
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.done.set()
        self.thread.join()

    def _watch(self) -> None:
        wait = self.end - time.monotonic()
        while not self.done.wait(max(wait, 0)):
            self.expired, wait = True, 0.2
            # While it is connected the connection has the socket; once a response is read, only `held` does.
            held = self.held or self.connection.sock
            if held is not None:
                with suppress(OSError):
                    # Of the socket below TLS: the other thread is in the middle of the layer above.
                    socket.socket.shutdown(held, socket.SHUT_RDWR)


def _receive(response: http.client.HTTPResponse, call: Call) -> Received:
    headers = tuple(response.getheaders())
    chunks: list[bytes] = []
    size = 0
    whole = True
    while whole and (chunk := response.read1(_CHUNK)):
        chunks.append(chunk)
        size += len(chunk)
        whole = size <= LARGEST
    body = b"".join(chunks)
    said = f"{response.reason} " + " ".join(f"{name} {value}" for name, value in headers)
    if call.key is not None and (_holds(said, call.key) or _holds(body.decode("utf-8", "replace"), call.key)):
        raise SendError("key-echoed", "the answer has the key in it; nothing of it was kept")
    if not whole:
        raise SendError("answer-too-large", f"the answer is longer than {LARGEST:,} bytes")
    received = Received(response.status, headers, body)
    if response.length:
        missing = f"the answer ended {response.length:,} bytes before its end"
        raise SendError("model-unreachable", missing, raw=received.text)
    return received


def _holds(text: str, key: str) -> bool:
    """Whether the key is in the text, as it is or in the escapes of JSON, also of JSON within JSON."""
    return key in text or _plain(key) in _plain(text)


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda one: chr(int(one[1], 16)) if one[1] else "", text)


def _settled(received: Received) -> Received:
    """Raises SendError unless there is an answer in it."""
    raw, status = received.text, received.status
    if 300 <= status < 400:
        message = f"the server redirects ({status}), which is not followed: name the address that answers"
        raise SendError("model-redirects", message, raw=raw, status=status)
    if status != 200:
        words = http.client.responses.get(status, "no status of HTTP")
        raise SendError("model-status", f"the server answered {status} ({words})", raw=raw, status=status)
    if received.header("Content-Encoding").strip().lower() not in ("", "identity"):
        raise SendError("answer-malformed", "the answer is compressed, which was not asked for")
    media = received.header("Content-Type").partition(";")[0].strip().lower()
    if media != "application/json":
        message = "the answer does not say that it is JSON (`application/json`)"
        raise SendError("answer-not-json", message, raw=raw, status=status)
    if raw.encode("utf-8") != received.body:
        raise SendError("answer-not-json", "the answer is no UTF-8", raw=raw, status=status)
    return received


def _reason(error: Exception) -> str:
    """Words for what failed that cannot hold anything that was sent or received."""
    if isinstance(error, ConnectionRefusedError):
        return "nobody listens at this address"
    if isinstance(error, socket.gaierror):
        return "the name of the host is not known"
    if type(error).__name__ == "SSLCertVerificationError":
        return "the certificate of the server is not trusted"
    if isinstance(error, (ConnectionError, http.client.HTTPException)):
        return "the connection ended before the answer did, or the answer is no HTTP"
    return f"the connection failed ({type(error).__name__})"
