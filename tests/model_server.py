"""A model that speaks over a socket: a real HTTP server on this machine, for both protocols, with scripted behaviour.

    with serving(good(0.9)) as server:
        call = Call("model-1", KEY, server.url_of("anthropic"))
        …
    server.heard  # what it was asked, in order

A behaviour is a function from what was heard to what is sent. A list of them is a script: one a request, the last one
for all that follow. `FAILURES` has one for each way in which a provider can fail.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

MODEL = "model-1-20261130"
"""What the server says answered."""
KEY = "sk-test-0123456789abcdef"
"""A key that opens nothing."""
USAGE = {"input_tokens": 1000, "output_tokens": 50}


@dataclass(frozen=True)
class Heard:
    """One request: `number` counts from 1 over the life of the server."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self.body))

    @property
    def provider(self) -> str:
        return "anthropic" if self.path.endswith("/v1/messages") else "decisions"

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of the answer; only of `anthropic`."""
        return cast("dict[str, Any]", self.json["output_config"]["format"]["schema"])

    @property
    def text(self) -> str:
        """All that the model can read."""
        if self.provider == "decisions":
            return str(self.json["state"])
        return f"{self.json['system']}\n\n{self.json['messages'][0]['content']}"

    @property
    def ids(self) -> tuple[str, ...]:
        """What is asked: `R1.question`."""
        if self.provider == "decisions":
            return tuple(one["id"] for one in self.json["questions"])
        labels = self.schema["properties"]
        return tuple(
            f"{label}.{name}" for label, one in labels.items() if "properties" in one for name in one["properties"]
        )

    @property
    def wants_booleans(self) -> bool:
        return self.provider == "anthropic" and '"boolean"' in json.dumps(self.schema)


@dataclass(frozen=True)
class Sent:
    """What is sent. `how`: whole; cut (less than its length); hang (nothing, until the end); close (nothing);
    drip (a byte now and then, for ever); endless (for ever, fast)."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    how: str = "whole"


Behaviour = Callable[[Heard], Sent]
Value = Callable[[str], object]


def answered(heard: Heard, pairs: Sequence[tuple[str, object]]) -> Sent:
    """The pairs (id, value) in the form of the protocol. A pair may be there twice, also as JSON."""
    if heard.provider == "decisions":
        answers = ",".join(f'{{"id":{json.dumps(name)},"p_yes":{_json(value)}}}' for name, value in pairs)
        return enveloped(heard, f"[{answers}]")
    labels: dict[str, list[str]] = {}
    for name, value in pairs:
        label, _, question = name.partition(".")
        shown = value
        if heard.wants_booleans and isinstance(value, (int, float)):
            shown = value >= 0.5
        labels.setdefault(label, []).append(f"{json.dumps(question)}:{_json(shown)}")
    body = ",".join(f"{json.dumps(label)}:{{{','.join(inner)}}}" for label, inner in labels.items())
    return enveloped(heard, f"{{{body}}}")


def enveloped(heard: Heard, answer: str, **changes: object) -> Sent:
    """A JSON text as the answer of the model, in what the protocol puts around it."""
    around: dict[str, object]
    if heard.provider == "decisions":
        around = {"id": f"response-{heard.number}", "model": MODEL, "usage": USAGE, **changes}
        return Sent((json.dumps(around)[:-1] + f', "answers": {answer}}}').encode("utf-8", "surrogatepass"))
    around = {
        "id": f"response-{heard.number}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [{"type": "text", "text": answer}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
        **changes,
    }
    return Sent(json.dumps(around).encode())


def _json(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else json.dumps(value)


def good(value: object = 0.2) -> Behaviour:
    """Answers all that is asked: with one P(yes), or with what a function of the id (`R1.question`) gives."""

    def behave(heard: Heard) -> Sent:
        return answered(heard, [(name, value(name) if callable(value) else value) for name in heard.ids])

    return behave


def annotating(found: Mapping[str, Sequence[Mapping[str, object]]] | Callable[[Heard], object]) -> Behaviour:
    """Answers with spans: by relation, or what a function of the request gives. Only `anthropic`."""
    return lambda heard: enveloped(heard, json.dumps(found(heard) if callable(found) else found, ensure_ascii=False))


def instead(value: object) -> Behaviour:
    """Answers well, but the first pair has this value; bytes are written as they are."""
    return lambda heard: answered(heard, [(heard.ids[0], value), *[(name, 0.2) for name in heard.ids[1:]]])


def stopped(reason: str) -> Behaviour:
    """Ends for another reason than that the answer is complete; a `decisions` service answers 422."""

    def behave(heard: Heard) -> Sent:
        if heard.provider == "decisions":
            return Sent(json.dumps({"error": reason}).encode(), 422)
        return enveloped(heard, '{"R1": {"', stop_reason=reason)

    return behave


def status(number: int, headers: Mapping[str, str] | None = None) -> Behaviour:
    """An error of HTTP, with a body that says so."""
    body = json.dumps({"type": "error", "error": {"type": "made_up", "message": f"status {number}"}}).encode()
    return lambda _: Sent(body, number, {"Content-Type": "application/json", **(headers or {})})


def how(manner: str) -> Behaviour:
    """A good answer that is sent in a bad manner (see `Sent`)."""
    return lambda heard: replace(good()(heard), how=manner)


def with_headers(**headers: str) -> Behaviour:
    """A good answer with these headers (`_` for `-`) instead."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda heard: replace(good()(heard), headers={"Content-Type": "application/json", **named})


def _key_of(heard: Heard) -> str:
    return heard.headers.get("x-api-key") or heard.headers.get("authorization", "").removeprefix("Bearer ")


def _echo(heard: Heard) -> Sent:
    return answered(heard, [(name, 0.2) for name in heard.ids] + [("R1.note", _key_of(heard))])


def _echo_escaped(heard: Heard) -> Sent:
    escaped = "".join(f"\\u{ord(one):04x}" for one in _key_of(heard))
    return answered(heard, [(name, 0.2) for name in heard.ids] + [("R1.note", f'"{escaped}"'.encode())])


def _echo_in_error(heard: Heard) -> Sent:
    return Sent(json.dumps({"error": f"invalid key {_key_of(heard)}"}).encode(), 401)


FAILURES: dict[str, tuple[Behaviour, str]] = {
    "refusal": (stopped("refusal"), "model-refused"),
    "cut by tokens": (stopped("max_tokens"), "answer-cut"),
    "paused": (stopped("pause_turn"), "answer-malformed"),
    "bad JSON": (lambda heard: enveloped(heard, "[1, 2"), "answer-not-json"),
    "no JSON": (lambda _: Sent(b"<p>Bad gateway", 200), "answer-not-json"),
    "no UTF-8": (lambda _: Sent(b'{"model": "\xff"}', 200), "answer-not-json"),
    "nested": (lambda heard: enveloped(heard, "[" * 5000 + "]" * 5000), "answer-not-json"),
    "empty": (lambda _: Sent(b""), "answer-not-json"),
    "page": (with_headers(Content_Type="text/html"), "answer-not-json"),
    "compressed": (with_headers(Content_Encoding="gzip"), "answer-malformed"),
    "cut body": (how("cut"), "model-unreachable"),
    "closed": (how("close"), "model-unreachable"),
    "hang": (how("hang"), "model-timed-out"),
    "drip": (how("drip"), "model-timed-out"),
    "endless": (how("endless"), "answer-too-large"),
    "missing": (lambda heard: answered(heard, [(n, 0.2) for n in heard.ids[1:]]), "answer-missing"),
    "extra": (lambda heard: answered(heard, [(n, 0.2) for n in (*heard.ids, "R1.more")]), "answer-extra"),
    "extra record": (lambda heard: answered(heard, [(n, 0.2) for n in (*heard.ids, "R99.x")]), "answer-extra"),
    "repeated": (lambda heard: answered(heard, [(n, 0.2) for n in (*heard.ids, heard.ids[0])]), "answer-repeated"),
    "too likely": (instead(1.2), "answer-out-of-range"),
    "negative": (instead(-0.1), "answer-out-of-range"),
    "just above": (instead(b"1.00000000000000000000000000000001"), "answer-out-of-range"),
    "infinite": (instead(b"1e999"), "answer-not-json"),
    "not a number": (instead(b"NaN"), "answer-not-json"),
    "true": (instead(True), "answer-malformed"),
    "text": (instead("0.5"), "answer-malformed"),
    "null": (instead(None), "answer-malformed"),
    "key in body": (_echo, "key-echoed"),
    "key in escapes": (_echo_escaped, "key-echoed"),
    "key in error": (_echo_in_error, "key-echoed"),
    "key in header": (lambda h: replace(good()(h), headers={"X-Debug": f"key={_key_of(h)}"}), "key-echoed"),
    "redirect": (status(307, {"Location": "http://127.0.0.1:9/elsewhere"}), "model-redirects"),
    "unauthorised": (status(401), "model-status"),
    "limited": (status(429, {"Retry-After": "1"}), "model-status"),
    "broken": (status(500), "model-status"),
    "overloaded": (status(529), "model-status"),
    "no content": (status(204), "model-status"),
    "no usage": (lambda heard: enveloped(heard, _good_text(heard), usage=None), "answer-malformed"),
    "odd usage": (lambda heard: enveloped(heard, _good_text(heard), usage={"input_tokens": True}), "answer-malformed"),
    "no model": (lambda heard: enveloped(heard, _good_text(heard), model=""), "answer-malformed"),
}
"""By name: a behaviour that gives no answer, and the code of what is said about it."""
OF_ANTHROPIC = frozenset({"refusal", "cut by tokens", "paused"})
"""What only `anthropic` has words for; `decisions` says it by a status."""


def _good_text(heard: Heard) -> str:
    sent = json.loads(good()(heard).body)
    return str(sent["content"][0]["text"]) if heard.provider == "anthropic" else json.dumps(sent["answers"])


class Server:
    """A server that runs. `url` is its root; `heard` what it was asked so far."""

    def __init__(self, script: Sequence[Behaviour]) -> None:
        self.script, self.heard = list(script), list[Heard]()
        self.lock, self.over = threading.Lock(), threading.Event()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of what was heard."""
        return [one.json for one in self.heard]

    def url_of(self, provider: str) -> str:
        """The address to name for a provider."""
        return self.url if provider == "anthropic" else f"{self.url}/decide"

    def listen(self, path: str, headers: Mapping[str, str], body: bytes) -> Sent:
        with self.lock:
            heard = Heard(len(self.heard) + 1, path, headers, body)
            self.heard.append(heard)
            behaviour = self.script[min(heard.number, len(self.script)) - 1]
        return behaviour(heard)


@contextmanager
def serving(behaviour: Behaviour | Sequence[Behaviour]) -> Iterator[Server]:
    """A server that behaves so (a list: one behaviour a request), for as long as the block lasts."""
    server = Server([behaviour] if callable(behaviour) else behaviour)
    thread = threading.Thread(target=server.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.server.shutdown()
        server.server.server_close()
        thread.join()


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            sent = server.listen(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            with suppress(OSError):
                self.give(sent)
            self.close_connection = True

        def give(self, sent: Sent) -> None:
            if sent.how == "hang":
                server.over.wait(30)
            if sent.how in ("hang", "close"):
                with suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(sent.status)
            for name, value in sent.headers.items():
                self.send_header(name, value)
            if sent.how not in ("endless", "drip"):
                self.send_header("Content-Length", str(len(sent.body) + (100 if sent.how == "cut" else 0)))
            self.end_headers()
            if sent.how == "drip":
                while not server.over.wait(0.05):
                    self.wfile.write(b" ")
            elif sent.how == "endless":
                while not server.over.is_set():
                    self.wfile.write(b" " * 1_000_000)
            else:
                self.wfile.write(sent.body)

    return Handler
