"""Calls of models over a real socket: good answers of both protocols, and each way in which there is none."""

from __future__ import annotations

import json
import logging
import traceback
from decimal import Decimal

import pytest

from engine.errors import UsageError
from engine.sensor import Question, Record, Sensor
from engine.sensors.llm.answers import BadAnswer, answers_of
from engine.sensors.llm.asking import Request, build_requests
from engine.sensors.llm.calls import URLS, Call, SendError, Usage, check_call, provider_of

from .model_server import FAILURES, KEY, MODEL, OF_ANTHROPIC, enveloped, good, serving, status

SENSOR = Sensor(
    "reader", "llm", "documents", ("claim",), "{{questions}}\n{{records}}", (Question("a", "A?"), Question("b", "B?"))
)
(REQUEST,) = build_requests(SENSOR, (), [Record("one", "first text"), Record("two", "second text")])
(REPEATED,) = build_requests(
    Sensor("r", "llm", "documents", ("c",), SENSOR.prompt, SENSOR.questions, repeats=2), (), [Record("one", "text")]
)[:1]
PROVIDERS = sorted(URLS)


def ask(provider: str, url: str, request: Request = REQUEST, timeout: float = 10.0) -> list[tuple[str, str, Decimal]]:
    call = Call("model-1", KEY, url, timeout)
    check_call(provider, call, [request])
    reply = provider_of(provider).send(request, call)
    assert reply.model == MODEL
    assert reply.usage == Usage(1000, 50)
    return [(one.record, one.question, one.p_yes) for one in answers_of(request, reply.payload)]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_good_answer_comes_back_with_model_tokens_and_the_text_as_received(provider: str) -> None:
    with serving(good(lambda name: 0.9 if name == "R2.a" else 0.1)) as server:
        call = Call("model-1", KEY, server.url_of(provider))
        reply = provider_of(provider).send(REQUEST, call)
    assert [(one.record, one.question, str(one.p_yes)) for one in answers_of(REQUEST, reply.payload)] == [
        ("one", "a", "0.1"),
        ("one", "b", "0.1"),
        ("two", "a", "0.9"),
        ("two", "b", "0.1"),
    ]
    assert json.loads(reply.raw)["model"] == reply.model == MODEL
    assert reply.response_id == "response-1"
    assert KEY not in repr(reply) + repr(call)


def test_an_anthropic_request_bears_the_schema_in_words_that_the_provider_takes() -> None:
    with serving(good()) as server:
        ask("anthropic", server.url)
    heard = server.heard[0]
    assert heard.path == "/v1/messages"
    assert heard.json["model"] == "model-1"
    assert heard.json["max_tokens"] == SENSOR.most_output
    assert "minimum" not in json.dumps(heard.schema)
    assert "at least 0; at most 1" in heard.schema["properties"]["R1"]["properties"]["a"]["description"]
    assert heard.schema["additionalProperties"] is False
    assert heard.headers["x-api-key"] == KEY
    assert sorted(heard.headers) == [
        *("accept", "accept-encoding", "anthropic-version", "connection", "content-length", "content-type", "host"),
        *("user-agent", "x-api-key"),
    ]


def test_a_decisions_request_is_as_the_page_says() -> None:
    with serving(good()) as server:
        ask("decisions", server.url_of("decisions"))
    heard = server.heard[0]
    assert sorted(heard.json) == ["model", "questions", "state"]
    assert heard.json["questions"][1] == {"id": "R1.b", "question": "About record R1: B?"}
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.body.count(KEY.encode()) == 0


def test_repeats_ask_anthropic_for_yes_or_no_and_take_the_likelier_of_decisions() -> None:
    for provider in PROVIDERS:
        with serving(good(lambda name: 0.7 if name == "R1.a" else 0.4)) as server:
            assert [p for _, _, p in ask(provider, server.url_of(provider), REPEATED)] == [Decimal(1), Decimal(0)]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", sorted(FAILURES))
def test_each_failure_gives_its_code_and_no_answer(provider: str, name: str) -> None:
    behaviour, code = FAILURES[name]
    if provider == "decisions" and name in OF_ANTHROPIC:
        code = "model-status"
    if provider == "anthropic" and name == "repeated":
        code = "answer-not-json"
    if name == "paused" and provider == "anthropic":
        code = "answer-malformed"
    timeout = 0.4 if code == "model-timed-out" else 10.0
    with serving(behaviour) as server, pytest.raises((SendError, BadAnswer)) as caught:
        ask(provider, server.url_of(provider), timeout=timeout)
    assert caught.value.code == code
    assert len(server.heard) == 1, "nothing is tried again"
    assert KEY not in "".join(traceback.format_exception(caught.value))
    if isinstance(caught.value, SendError):
        assert KEY not in repr(vars(caught.value))
        assert caught.value.__context__ is None
        if code == "key-echoed":
            assert caught.value.raw is None
        if name in ("refusal", "cut by tokens") and provider == "anthropic":
            assert caught.value.usage == Usage(1000, 50)
            assert caught.value.raw is not None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_may_pass_is_told_apart_from_what_will_not(provider: str) -> None:
    for number, may in ((401, False), (400, False), (429, True), (500, True), (529, True)):
        with serving(status(number)) as server, pytest.raises(SendError) as caught:
            ask(provider, server.url_of(provider))
        assert (caught.value.status, caught.value.may_pass) == (number, may)
    with pytest.raises(SendError) as caught:
        ask(provider, "http://127.0.0.1:9")
    assert caught.value.code == "model-unreachable"
    assert caught.value.may_pass


@pytest.fixture
def hostile_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another-token-altogether")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another-key-altogether")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-More: another-header-altogether")


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.usefixtures("hostile_environment")
def test_the_environment_has_no_part_in_a_call(provider: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(good()) as server:
        ask(provider, server.url_of(provider))
    assert "altogether" not in repr(server.heard)
    assert KEY not in caplog.text


def test_a_key_that_cannot_be_one_is_refused_before_anything_is_sent() -> None:
    bad = [
        "",
        "short",
        "sk-with\nline-break",
        "sk-with\r\nX-Evil: 1",
        "sk-ünïcödé-letters",
        "sk-with space-in-it",
        "\x00" * 9,
    ]
    with serving(good()) as server:
        for key in bad:
            for provider in PROVIDERS:
                with pytest.raises(UsageError) as caught:
                    check_call(provider, Call("m", key, server.url_of(provider)), [REQUEST])
                assert [one.code for one in caught.value.problems] == ["key-refused"]
                assert len(key) < 9 or key not in str(caught.value)
    assert server.heard == []


def test_a_key_in_a_text_that_would_be_sent_is_refused() -> None:
    (request,) = build_requests(SENSOR, (), [Record("one", f"my key is {KEY}, do not tell")])
    with pytest.raises(UsageError) as caught:
        check_call("decisions", Call("m", KEY, "https://example.org/"), [request])
    assert "key-refused" in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://user:secret@example.org/",
        "https://user@example.org/",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "https://",
        "",
        "127.0.0.1:80",
        "http://127.0.0.1.example.org/",
        "https://example.org:0/",
        "https://example.org:99999/",
        "https://exämple.org/",
        "https://example.org/ x",
        "https://example.org/\nX: y",
        "http://[::2]/",
    ],
)
def test_an_address_that_may_not_be_spoken_to_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_call("anthropic", Call("m", KEY, url), [REQUEST])
    assert [one.code for one in caught.value.problems] == ["address-refused"]
    assert "secret" not in str(caught.value)


def test_an_address_is_shown_without_what_follows_its_path() -> None:
    assert Call("m", None, "https://example.org:8443/v1?token=abc#x").shown_url == "https://example.org:8443/v1"


def test_what_is_wrong_with_a_call_is_said_at_once() -> None:
    annotating = Request(1, "s", None, ("one",), (), "", "", {}, "", "", 1)
    with pytest.raises(UsageError) as caught:
        check_call("decisions", Call("", "x", "gopher://x"), [annotating])
    codes = sorted(one.code for one in caught.value.problems)
    assert codes == ["address-refused", "key-refused", "model-not-named", "provider-cannot"]
    check_call("decisions", Call("m", None, "http://localhost:1/"), [REQUEST])
    with pytest.raises(UsageError):
        check_call("anthropic", Call("m", None, "http://localhost:1/"), [REQUEST])


def test_an_entry_that_the_decisions_protocol_does_not_know_is_refused() -> None:
    with serving(lambda heard: enveloped(heard, "[]", verdict="pass")) as server, pytest.raises(SendError) as caught:
        ask("decisions", server.url_of("decisions"))
    assert caught.value.code == "answer-malformed"
    assert caught.value.usage == Usage(1000, 50)
