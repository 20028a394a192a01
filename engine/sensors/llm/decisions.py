"""The provider `decisions`: a small protocol over plain HTTPS, for services that answer questions with probabilities.

Request, POST to the address: `{"model", "state", "questions": [{"id", "question"}]}`. `state` is all that is to be
known, the records in their fence. Response: `{"model", "usage": {"input_tokens", "output_tokens"}, "answers": [{"id",
"p_yes"}]}`, and `id` if the service names its responses. `docs/sensors-llm.md` is the definition.
"""

from __future__ import annotations

from ... import __version__
from ...canonical import dumps
from .asking import Request
from .calls import Call, Reply, SendError
from .envelopes import envelope_of, name_in, usage_of
from .wire import post

_ENTRIES = frozenset({"model", "usage", "answers", "id"})


def send(request: Request, call: Call) -> Reply:
    """Sends a request once. Raises SendError."""
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": f"fiel/{__version__}"}
    if call.key is not None:
        headers["Authorization"] = f"Bearer {call.key}"
    return reply_of(post(call.url, headers, dumps(body_of(request, call)).encode("utf-8"), call).text)


def reply_of(raw: str) -> Reply:
    """The reply that the text of a body is, just received or kept. Raises SendError."""
    envelope = envelope_of(raw)
    usage, model = usage_of(envelope), name_in(envelope, "model")
    wrong = None
    if model is None:
        wrong = "it does not say which model answered"
    elif usage is None:
        wrong = "it does not say how many tokens it took"
    elif set(envelope) - _ENTRIES:
        wrong = "it has an entry that the protocol does not know"
    elif "id" in envelope and name_in(envelope, "id") is None:
        wrong = "its `id` is no name"
    elif not isinstance(envelope.get("answers"), list):
        wrong = "it has no list of answers"
    if wrong is not None or model is None or usage is None:
        raise SendError("answer-malformed", f"the answer is not as the protocol says: {wrong}", usage, raw)
    return Reply(raw, {"answers": envelope["answers"]}, model, usage, name_in(envelope, "id"))


def body_of(request: Request, call: Call) -> dict[str, object]:
    """What is posted."""
    return {
        "model": call.model,
        "state": f"{request.system}\n\n{request.user}",
        "questions": [{"id": one.id, "question": f"About record {one.label}: {one.ask}"} for one in request.asked],
    }
