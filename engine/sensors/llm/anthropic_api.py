"""The provider `anthropic`: the Messages API by its official SDK, with structured output.

The SDK makes the request. What goes over the network is sent by `wire`, as for every provider: so nothing that the
environment says (proxies, addresses, more headers, traces) has a part in it, no reply is retried, redirected or
unbounded, and the SDK never holds the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ... import __version__
from .asking import Request
from .calls import Call, Reply, SendError, Usage
from .envelopes import envelope_of, name_in, usage_of
from .schemas import portable
from .strict_json import NotJson, parse
from .wire import Received, post

if TYPE_CHECKING:
    import httpx2

_KEPT = ("accept", "content-type", "anthropic-version")
"""Headers of the SDK that are sent; the key is added, and nothing else."""
_ALSO_INPUT = ("cache_creation_input_tokens", "cache_read_input_tokens")
_SILENT = ("thinking", "redacted_thinking")
"""Blocks of an answer that are no answer."""


def send(request: Request, call: Call) -> Reply:
    """Sends a request once. Raises SendError."""
    import anthropic  # slow to import, and an extra: `check_call` has looked for it

    sent = _Wire(call)
    failed = "the SDK could not make the request"
    try:
        with anthropic.Anthropic(
            api_key="is-added-later",
            base_url=call.url,
            max_retries=0,
            timeout=call.timeout,
            open_telemetry=False,
            http_client=_client(sent),
        ) as client:
            client.messages.with_raw_response.create(**arguments(request, call))
    except Exception as error:  # whatever the SDK makes of a reply: the reply itself is what counts
        failed += f" ({type(error).__name__})"
    # Outside the handler, so that no exception of the SDK hangs on ours.
    if sent.failed is not None:
        raise sent.failed
    if sent.received is None:
        raise SendError("model-unreachable", failed)
    return reply_of(sent.received.text)


def arguments(request: Request, call: Call) -> dict[str, Any]:
    """What the SDK is asked to send."""
    return {
        "model": call.model,
        "max_tokens": request.most_output if call.most_output is None else call.most_output,
        "system": request.system,
        "messages": [{"role": "user", "content": request.user}],
        "output_config": {"format": {"type": "json_schema", "schema": portable(request.schema)}},
    }


class _Wire:
    """What the SDK takes for its network. Keeps what came, or why nothing did."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.received: Received | None = None
        self.failed: SendError | None = None

    def __call__(self, sdk_request: Any) -> tuple[int, bytes]:
        headers = {name.title(): value for name, value in sdk_request.headers.items() if name.lower() in _KEPT}
        headers["User-Agent"] = f"fiel/{__version__}"
        headers["X-Api-Key"] = self.call.key or ""
        url = self.call.url.rstrip("/") + "/v1/messages"
        try:
            self.received = post(url, headers, cast("bytes", sdk_request.read()), self.call)
        except SendError as error:
            self.failed = error
            return 400, b"{}"
        return self.received.status, self.received.body


def _client(sent: _Wire) -> httpx2.Client:
    import httpx2

    def answer(sdk_request: httpx2.Request) -> httpx2.Response:
        status, body = sent(sdk_request)
        return httpx2.Response(status, headers={"Content-Type": "application/json"}, content=body)

    return httpx2.Client(transport=httpx2.MockTransport(answer), trust_env=False, follow_redirects=False)


def reply_of(raw: str) -> Reply:
    """The reply that the text of a body is, just received or kept. Raises SendError."""
    envelope = envelope_of(raw)
    usage = usage_of(envelope, _ALSO_INPUT)
    stop = envelope.get("stop_reason")
    if stop == "refusal":
        raise SendError("model-refused", "the model refused to answer", usage, raw)
    if stop in ("max_tokens", "model_context_window_exceeded"):
        what = "`most_output` tokens" if stop == "max_tokens" else "the length that the model can hold"
        raise SendError("answer-cut", f"the answer was cut off at {what}", usage, raw)
    model = name_in(envelope, "model")
    if stop != "end_turn" or model is None or usage is None:
        wrong = "it did not end by itself" if stop != "end_turn" else "it names no model, or no tokens"
        raise SendError("answer-malformed", f"the answer is not as the API says: {wrong}", usage, raw)
    return Reply(raw, _payload(envelope, usage, raw), model, usage, name_in(envelope, "id"))


def _payload(envelope: Mapping[str, object], usage: Usage, raw: str) -> object:
    """The JSON in the one block of text of an answer."""
    content = envelope.get("content")
    blocks = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    blocks = [one for one in blocks if one.get("type") not in _SILENT]
    text = blocks[0].get("text") if len(blocks) == 1 and blocks[0].get("type") == "text" else None
    if not isinstance(text, str):
        raise SendError("answer-malformed", "the answer is not one block of text", usage, raw)
    message = ""
    try:
        return parse(text)
    except NotJson as error:
        message = error.message
    raise SendError("answer-not-json", f"what the model wrote cannot be read: {message}", usage, raw)
