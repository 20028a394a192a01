"""One call of a model: what it needs, what it gives, and the ways in which it gives nothing.

What is wrong with a call is found before anything is sent. What is wrong with a reply keeps what it cost, and the text
that came, except where that text has the key in it: then nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from types import ModuleType
from urllib.parse import urlsplit

from ...addresses import is_good_address
from ...errors import Problem, UsageError
from ...frozen import dataclass, field
from .asking import Request

URLS = {"anthropic": "https://api.anthropic.com", "decisions": None}
"""The providers, and where each is spoken to unless a flag says otherwise."""
LARGEST = 16 * 1024 * 1024
"""Bytes of a reply."""
PATIENCE = 600.0
"""Seconds for a reply, from the first byte sent to the last one received."""
_SHORTEST_KEY = 8
_RETRY = frozenset({"model-unreachable", "model-timed-out"})
_RETRY_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True)
class Call:
    """What every request of a run needs. The key is in no `repr`. `timeout` is in seconds, for a whole reply.

    `most_output` is in tokens; None: what the request says.
    """

    model: str
    key: str | None = field(repr=False)
    url: str
    timeout: float = PATIENCE
    most_output: int | None = None

    @property
    def shown_url(self) -> str:
        """The address as it may be written down: without what may follow its path."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the provider counted them."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `raw` is the text of the whole body as received; `payload` is what the model answered, as JSON.

    Numbers in the payload are `int` and `Decimal`. `model` is what the provider says answered.
    """

    raw: str
    payload: object
    model: str
    usage: Usage
    response_id: str | None = None


class SendError(Exception):
    """A call that gave nothing to use. `usage`: what it cost nevertheless, None where nobody knows.

    `raw` is the body that came, None if there is none or if it must not be kept. `status` is of HTTP, if it came to
    that. The codes are in `docs/errors.md`.
    """

    def __init__(
        self, code: str, message: str, usage: Usage | None = None, raw: str | None = None, status: int | None = None
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.usage, self.raw, self.status = code, message, usage, raw, status

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later: the reason lies with the network, or with a busy server."""
        return self.code in _RETRY or (self.code == "model-status" and self.status in _RETRY_STATUS)


def provider_of(name: str) -> ModuleType:
    """The module that speaks a provider's protocol: `send(request, call)` asks, `reply_of(raw)` reads what was kept.

    Both give a `Reply` or raise `SendError`. `name` is one of `URLS`.
    """
    if name == "anthropic":
        from . import anthropic_api

        return anthropic_api
    from . import decisions

    return decisions


def check_call(provider: str, call: Call, requests: Sequence[Request]) -> None:
    """Raises UsageError with everything that is wrong with a call before anything is sent."""
    problems = [*_address(call), *_key(provider, call, requests)]
    if not call.model or len(call.model) > 200 or not call.model.isprintable() or not call.model.isascii():
        problems.append(Problem("model-not-named", "no model is named", help="name it as its provider does: `--model`"))
    if provider == "decisions" and any(not request.asked for request in requests):
        message = "a decisions server answers questions, and this sensor has none: it asks for spans"
        problems.append(Problem("provider-cannot", message, help="use `--provider anthropic`"))
    if provider == "anthropic" and find_spec("anthropic") is None:
        message = "the provider anthropic needs its SDK, which is not installed"
        problems.append(Problem("missing-extra", message, help="pip install 'fiel[anthropic]'"))
    if problems:
        raise UsageError(problems)


def _address(call: Call) -> list[Problem]:
    if is_good_address(call.url, loopback=True):
        return []
    # What is wrong with it may be that a password stands in it: it is not repeated.
    help = "an https address without a name or a password; http only to this machine (127.0.0.1, ::1, localhost)"
    return [Problem("address-refused", "the address of the model is none that may be spoken to", help=help)]


def _key(provider: str, call: Call, requests: Sequence[Request]) -> list[Problem]:
    key = call.key
    if key is None:
        if provider != "anthropic":
            return []
        help = "add `--key-env NAME`: the environment variable that holds the key, never the key itself"
        return [Problem("key-refused", "there is no key for this provider", help=help)]
    if len(key) < _SHORTEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        message = "the key is no key: it is too short, or has spaces, line breaks or letters beyond ASCII"
        return [Problem("key-refused", message, help="look at the variable that holds it; the value is not shown here")]
    if any(key in text for one in requests for text in (one.system, one.user, *one.records)):
        message = "the key stands in a text that would be sent"
        return [Problem("key-refused", message, help="take it out of the document, and have a new key made")]
    return []
