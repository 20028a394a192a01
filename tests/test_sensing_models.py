"""`fiel sense --run` against a real server on this machine: what becomes facts, and all that does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Cli
from .model_runs import PROVIDERS, home, is_refused, rows_of, run_of, words
from .model_server import FAILURES, KEY, MODEL, OF_ANTHROPIC, Heard, Sent, answered, good, serving
from .sensors_changed import replace_in

__all__ = ["home"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_answers_become_claims_that_are_judged(cli: Cli, home: Path, provider: str) -> None:
    chances = {"R1.is_kind": 0.95, "R1.is_short": 0.5, "R2.is_kind": 0.05, "R2.is_short": 0.4999}
    with serving(good(chances.__getitem__)) as server:
        done = cli(*words(server, provider), cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, done.stderr) == (4, "")
    rows = {(row["claim_id"], row["question"]): row for row in rows_of(home / "run")}
    assert len(rows) == 6
    assert (rows["a.txt", "is_kind"]["p_yes"], rows["a.txt", "is_kind"]["answer"]) == (0.95, True)
    assert (rows["b.txt", "is_kind"]["p_yes"], rows["b.txt", "is_kind"]["answer"]) == (0.05, False)
    assert rows["c.txt", "is_short"]["answer"] is True  # at the cut itself
    assert {row["model"] for row in rows.values()} == {MODEL}
    record = run_of(home / "run")
    assert {row["run_id"] for row in rows.values()} == {record["run_id"]}
    assert (record["provider"], record["model_asked"], record["model"]) == (provider, "model-1", MODEL)
    assert record["batches"] == {"of": 2, "sent": 2, "valid": 2}
    assert record["usage"] == {"input_tokens": 2000, "output_tokens": 100, "cost": "0.0075", "currency": "USD"}
    pending = [json.loads(line) for line in (home / "run/review.jsonl").read_text("utf-8").splitlines()]
    assert [(one["key"]["claim_id"], one["p_yes"]) for one in pending] == [
        ("a.txt", "0.5"),
        ("b.txt", "0.4999"),
        ("c.txt", "0.5"),
    ]
    judged = cli("judge", "--facts", "run", cwd=home)
    assert "relation" in judged.stdout + judged.stderr
    assert "fact-" not in judged.stderr


@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_key_reaches_a_file_or_a_stream(cli: Cli, home: Path, provider: str) -> None:
    for name, behaviour in (("good", good()), *((k, b) for k, (b, code) in FAILURES.items() if code == "key-echoed")):
        with serving(behaviour) as server:
            done = cli(*words(server, provider, place=("--out", name)), cwd=home, MODEL_KEY=KEY)
            assert all(KEY not in " ".join(one.path + str(one.json)) for one in server.heard)
            assert all(KEY in str(one.headers) for one in server.heard)
        assert KEY not in done.stdout + done.stderr
    written = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert len(written) > 20
    assert not any(KEY.encode() in data or KEY[3:].encode() in data for data in written)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_way_to_fail_leaves_no_facts_and_what_was_spent(cli: Cli, home: Path, provider: str) -> None:
    """The first batch is valid and the second one fails: nothing of the first is shown."""
    for number, (name, (behaviour, code)) in enumerate(sorted(FAILURES.items())):
        if provider == "decisions" and name in OF_ANTHROPIC:
            code = "model-status"
        if provider == "anthropic" and name == "repeated":
            code = "answer-not-json"  # there an entry that stands twice is no JSON
        run = f"run{number}"
        with serving([good(), behaviour]) as server:
            short = words(server, provider, "--timeout", "1", place=("--out", run))
            done = cli(*short, cwd=home, MODEL_KEY=KEY)
            assert len(server.heard) == 2, name  # nothing is asked again unless it is asked for
        assert (done.returncode, code in done.stderr) == (1, True), (name, done.stderr)
        assert "no facts: 1 of 2 answers valid" in done.stdout
        record = run_of(home / run)
        assert (record["status"], record["batches"]) == ("incomplete", {"of": 2, "sent": 2, "valid": 1})
        assert record["usage"]["input_tokens"] in (1000, 2000)
        assert (home / run / "responses/0002-1.json").is_file()
        assert not (home / run / "facts").exists()
    is_refused(cli, home, run)


def test_a_run_goes_on_without_paying_again(cli: Cli, home: Path) -> None:
    with serving([good(0.9), FAILURES["broken"][0], good(0.9)]) as server:
        assert cli(*words(server, "anthropic"), cwd=home, MODEL_KEY=KEY).returncode == 1
        before = run_of(home / "run")
        done = cli(*words(server, "anthropic", place=("--resume", "run")), cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, done.stderr) == (0, "")
        assert len(server.heard) == 3
        again = cli(*words(server, "anthropic", place=("--resume", "run")), cwd=home, MODEL_KEY=KEY)
        assert again.returncode == 0
        assert len(server.heard) == 3
    after = run_of(home / "run")
    assert after["run_id"] == before["run_id"]
    assert after["batches"] == {"of": 2, "sent": 3, "valid": 2}
    assert len(rows_of(home / "run")) == 6


def test_what_is_read_back_is_not_believed_unread(cli: Cli, home: Path) -> None:
    with serving([good(0.9), FAILURES["broken"][0], good(0.1)]) as server:
        cli(*words(server, "anthropic"), cwd=home, MODEL_KEY=KEY)
        path = home / "run/responses/0001.json"
        path.write_text(path.read_text("utf-8").replace("0.9", "1.9"), "utf-8")
        done = cli(*words(server, "anthropic", place=("--resume", "run")), cwd=home, MODEL_KEY=KEY)
        assert done.returncode == 0
        assert len(server.heard) == 4  # the first was asked anew
    assert {row["p_yes"] for row in rows_of(home / "run")} == {0.1}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda home: (home / "texts/a.txt").write_text("Other.", "utf-8"), "the documents changed"),
        (lambda home: (home / "texts/d.txt").write_text("More.", "utf-8"), "the documents changed"),
        (lambda home: replace_in(home, "prompts/kind.md", "Answer", "Reply to"), "the prompt changed"),
        (lambda home: replace_in(home, "sensors.yaml", "batch: 2", "batch: 3"), "changed since"),
        (lambda home: replace_in(home, "sensors.yaml", "from: 0.4", "from: 0.3"), "settings changed"),
        (lambda home: (home / "run/run.json").unlink(), "no run to go on with"),
        (lambda home: (home / "run/run.json").write_text("{", "utf-8"), "no run to go on with"),
    ],
)
def test_another_run_is_not_gone_on_with(cli: Cli, home: Path, change: Callable[[Path], None], said: str) -> None:
    with serving([good(), FAILURES["broken"][0], good()]) as server:
        cli(*words(server, "decisions"), cwd=home, MODEL_KEY=KEY)
        change(home)
        done = cli(*words(server, "decisions", place=("--resume", "run")), cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
        assert len(server.heard) == 2


def test_one_run_has_one_model(cli: Cli, home: Path) -> None:
    other = [good(), lambda heard: _named(heard, "another")]
    with serving(other) as server:
        done = cli(*words(server, "decisions"), cwd=home, MODEL_KEY=KEY)
    assert (done.returncode, "model-changed" in done.stderr) == (1, True)
    is_refused(cli, home)
    resumed = words(None, "decisions", place=("--resume", "run"))
    resumed[resumed.index("model-1")] = "model-2"
    done = cli(*resumed, cwd=home, MODEL_KEY=KEY)
    assert (done.returncode, "one run has one model" in done.stderr) == (2, True)


def _named(heard: Heard, model: str) -> Sent:
    sent = answered(heard, [(name, 0.2) for name in heard.ids])
    return Sent(sent.body.replace(MODEL.encode(), model.encode()))


def test_a_cached_answer_is_no_new_one(cli: Cli, home: Path) -> None:
    def cached(heard: Heard) -> Sent:
        sent = answered(heard, [(name, 0.9) for name in heard.ids])
        return Sent(sent.body.replace(f"response-{heard.number}".encode(), b"response-1"))

    replace_in(home, "sensors.yaml", "  review:", "  estimate: {repeats: 3}\n  review:")
    with serving(cached) as server:
        done = cli(*words(server, "decisions"), cwd=home, MODEL_KEY=KEY)
    assert (done.returncode, "this answer came for request 1 already" in done.stderr) == (1, True)
    is_refused(cli, home)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_repeats_give_the_share_of_yes(cli: Cli, home: Path, provider: str) -> None:
    replace_in(home, "sensors.yaml", "  review:", "  estimate: {repeats: 4}\n  review:")
    script = [good(0.9), good(0.9), good(0.1), good(0.9), good(0.1), good(0.1), good(0.1), good(0.9)]
    with serving(script) as server:
        done = cli(*words(server, provider), cwd=home, MODEL_KEY=KEY)
        assert done.returncode == 0, done.stderr
        assert len(server.heard) == 8
    ids = [json.loads(path.read_text("utf-8"))["run_id"] for path in (home / "run/responses").iterdir()]
    assert sorted(ids) == sorted(f"{run_of(home / 'run')['run_id']}.{n}" for n in (1, 2, 3, 4) * 2)
    shares = {row["claim_id"]: (row["p_yes"], row["answer"]) for row in rows_of(home / "run")}
    assert shares == {"a.txt": (0.75, True), "b.txt": (0.75, True), "c.txt": (0.25, False)}


def test_the_most_that_it_may_cost_is_kept_to_before_anything_is_sent(cli: Cli, home: Path) -> None:
    with serving(good()) as server:
        done = cli(*words(server, "anthropic", "--max-cost", "0.05"), cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, "cost-limit: request 1" in done.stderr, server.heard) == (1, True, [])
        is_refused(cli, home)
        enough = words(server, "anthropic", "--max-cost", "0.071", place=("--resume", "run"))
        done = cli(*enough, cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, "cost-limit: request 2" in done.stderr, len(server.heard)) == (1, True, 1)
        done = cli(*words(server, "anthropic", place=("--resume", "run")), cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, len(server.heard)) == (0, 2)
        replace_in(home, "sensors.yaml", "  prices:", "  # prices:")
        done = cli(*words(server, "anthropic", "--max-cost", "1", place=("--out", "r2")), cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, "declare `prices`" in done.stderr) == (2, True)


def test_it_asks_again_as_often_as_it_is_told(cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.exchange._PAUSE", 0.01)
    script = [FAILURES["limited"][0], FAILURES["bad JSON"][0], good(0.9), good(0.9)]
    with serving(script) as server:
        done = cli(*words(server, "anthropic", "--retries", "2"), cwd=home, MODEL_KEY=KEY)
        assert (done.returncode, done.stderr) == (0, "")
        assert len(server.heard) == 4
    assert run_of(home / "run")["batches"] == {"of": 2, "sent": 4, "valid": 2}
    assert run_of(home / "run")["usage"]["input_tokens"] == 3000  # the answer that was no JSON was paid for
    kept = sorted(path.name for path in (home / "run/responses").iterdir())
    assert kept == ["0001-1.json", "0001-2.json", "0001.json", "0002.json"]


def test_what_was_prepared_is_what_is_sent(cli: Cli, home: Path) -> None:
    done = cli("sense", "shop", "texts", "--prepare", "--out", "run", cwd=home)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 requests about 3 documents, 6 answers wanted" in done.stdout
    assert "USD" in done.stdout
    is_refused(cli, home)
    prepared = [json.loads(path.read_text("utf-8")) for path in sorted((home / "run/requests").iterdir())]
    with serving(good(0.9)) as server:
        assert cli(*words(server, "anthropic", place=("--resume", "run")), cwd=home, MODEL_KEY=KEY).returncode == 0
        sent = [(one.json["system"], one.json["messages"][0]["content"]) for one in server.heard]
    assert sent == [(one["system"], one["user"]) for one in prepared]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["sense", "shop", "texts", "--out", "run"], "`--prepare` writes the requests"),
        (["sense", "shop", "texts", "--run", "--out", "run"], "`--run` needs `--provider`"),
        (["sense", "shop", "texts", "--run", "--provider", "anthropic", "--out", "run"], "`--run` needs `--model`"),
        (["sense", "shop", "texts", "--prepare", "--run", "--out", "run"], "leave one out"),
        (["sense", "shop", "texts", "--prepare"], "add `--out DIR`"),
        (words(None, "anthropic"), "`MODEL_KEY` is not set"),
        (["sense", "shop", "--prepare", "--out", "run"], "there is nothing to look at"),
    ],
)
def test_a_command_that_cannot_be_meant_makes_nothing(cli: Cli, home: Path, given: list[str], said: str) -> None:
    done = cli(*given, cwd=home)
    assert (done.returncode, done.stdout, said in done.stderr) == (2, "", True), done.stderr
    assert not (home / "run").exists()


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.org/decide", KEY),
        ("https://me:pass@example.org/decide", KEY),
        ("ftp://127.0.0.1/decide", KEY),
        ("http://127.0.0.1.example.org/decide", KEY),
        ("https://example.org/decide", "line\nbreak-in-a-key"),
        ("https://example.org/decide", "short"),
    ],
)
def test_an_address_or_a_key_that_is_none_is_refused_before_anything_is_sent(
    cli: Cli, home: Path, url: str, key: str
) -> None:
    given = words(None, "decisions")
    given[given.index("http://127.0.0.1:9")] = url
    done = cli(*given, cwd=home, MODEL_KEY=key)
    assert done.returncode == 2
    assert "pass@" not in done.stderr
    assert not (home / "run").exists()
