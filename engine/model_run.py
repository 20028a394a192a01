"""A run of a sensor that asks a model: requests first, then one answer after the other, and facts if all are valid.

Nothing is asked twice. What was asked, what came back and what it cost is on the disk before the next request is sent;
a run that ended early goes on from there, and checks again what it reads back.
"""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from .errors import Problem, UsageError
from .exchange import Answered, Asker
from .frozen import dataclass, replace
from .given import given_rows, lines_of
from .inputs import refuse_within
from .observing import About, Given, observation_of
from .run_folder import REVIEW, RunFolder, new_folder, opened_folder, refuse_taken
from .sense_task import INCOMPLETE, SenseReport, Task, counted, publish
from .sensor import DOCUMENTS, Diagnostic, Document, Record
from .sensors.llm.asking import Request, build_requests, schemas_sha256, unasked_questions
from .sensors.llm.calls import URLS, Call, Usage, check_call
from .sensors.llm.cost import Tokens, cost_of, cost_text, likely_cost, most_cost, tokens_of, total
from .subjects import records_of
from .text import Span, numbered, sentences


@dataclass(frozen=True, slots=True)
class _Plan:
    """What will be asked, about what."""

    task: Task
    requests: tuple[Request, ...]
    coverage: Sequence[Mapping[str, object]]
    records: Sequence[Record]
    documents: Mapping[str, tuple[Document, Sequence[Span]]]
    given: Mapping[str, Given]
    blank: tuple[str, ...] = ()
    """Documents without a visible character: nobody is asked about them, and they are not covered."""


def sense_with_model(task: Task) -> SenseReport:
    """Prepares, runs, or goes on with a run. Raises UsageError for what is wrong before anything is asked."""
    request = task.request
    if not request.prepare and request.call is None:
        message = f"`{task.sensor.name}` asks a model, which costs money"
        help = "`--prepare` writes the requests and what they would cost; `--run` asks"
        raise UsageError(Problem("usage", message, help=help))
    if request.out is None and (request.resume is None or request.prepare):
        raise UsageError(Problem("usage", "there is no place for the run", help="add `--out DIR`, a new folder"))
    if request.out is not None:
        refuse_taken(request.out)
        refuse_within(request.out, request.inputs)
    plan = _plan(task)
    call = _call(task, plan) if request.call is not None else None
    with _folder(task) as folder:
        record = _begin(plan, folder)
        if call is None:
            return _prepared(plan, folder, record)
        return _Run(plan, folder, record, call).go()


def _plan(task: Task) -> _Plan:
    records, looked, documents = records_of(task)
    split: dict[str, tuple[Document, Sequence[Span]]] = {}
    given = given_rows(task.sensor, task.request.given, task.pack, documents, task.request.references)
    if task.sensor.reads == DOCUMENTS and not task.sensor.questions:
        split = {one.name: (one, sentences(one.text)) for one in documents}
        records = [
            Record(name, numbered(one.text, spans), given=lines_of(task.sensor, given.get(name, {}), spans))
            for name, (one, spans) in split.items()
        ]
    blank = tuple(one.name for one in documents if not one.text.strip())
    records = [one for one in records if one.id not in blank]
    requests = build_requests(task.sensor, list(task.relations.values()), records)
    unasked = unasked_questions(task.sensor, requests)
    if not requests or unasked:
        what = f"nobody is asked {', '.join(f'`{name}`' for name in unasked)}: " if requests else ""
        message = f"{what}there is nothing to ask about"
        raise UsageError(Problem("no-documents", message, help="name documents that have what the questions are about"))
    coverage = [{"document": name, "sha256": digest} for name, digest in looked if name not in blank]
    return _Plan(task, requests, coverage, records, split, given, blank)


def _folder(task: Task) -> AbstractContextManager[RunFolder]:
    if task.request.resume is not None:
        return opened_folder(task.request.resume)
    assert task.request.out is not None
    return new_folder(task.request.out)


def _begin(plan: _Plan, folder: RunFolder) -> dict[str, Any]:
    """`run.json` as it is before anything is asked; of a run that is gone on with, what it said."""
    task, request, sensor = plan.task, plan.task.request, plan.task.sensor
    started = datetime.now(UTC).replace(microsecond=0)
    fixed = _fixed(plan)
    if request.resume is not None:
        return _same(task, folder.recorded(), fixed)
    run_id = f"{sensor.name}-{started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
    record = task.record(started, run_id=run_id, provider=None, model_asked=None, model=None, **fixed)
    record |= {"batches": {"of": len(plan.requests), "sent": 0, "valid": 0}, "usage": _usage(plan, [])}
    for one in plan.requests:
        folder.write(f"requests/{one.number:04}.json", one.form())
    folder.record({**record, "status": "prepared"})
    return record


def _fixed(plan: _Plan) -> dict[str, object]:
    """What of a run may not change while it lasts: what is asked about what, and how answers are taken."""
    sensor = plan.task.sensor
    estimate: object = {"repeats": sensor.repeats} if sensor.repeats is not None else "stated"
    settings: dict[str, object] = {"most_output": sensor.most_output}
    if sensor.questions:
        settings |= {"batch": sensor.batch, "cut": sensor.cut, "estimate": estimate}
        settings["review"] = None if sensor.review is None else {"from": sensor.review[0], "to": sensor.review[1]}
    return {
        "prompt_sha256": plan.requests[0].prompt_sha256,
        "schema_sha256": schemas_sha256(plan.requests),
        "requests_sha256": _digest([one.form() for one in plan.requests]),
        "settings": settings,
        "coverage": list(plan.coverage),
    }


def changed_since(task: Task, record: Mapping[str, Any]) -> str | None:
    """What the run of a record asked otherwise than the task would ask now, in words; None if it asked the same.

    Raises UsageError for a task that has nothing to ask.
    """
    return _changed(task, record, _fixed(_plan(task)))


def _digest(content: object) -> str:
    from .sensors.llm.asking import digest_of

    return digest_of(content)


def _same(task: Task, record: dict[str, Any], fixed: Mapping[str, object]) -> dict[str, Any]:
    """What a run recorded, if the same would be asked again. Raises UsageError if it would not."""
    if not all(isinstance(record.get(name), str) for name in ("run_id", "started_at")):
        message = f"`{task.request.resume}` does not say which run it is, or when it began"
        raise UsageError(Problem("run-folder", message, help="begin a new run with `--out`"))
    changed = _changed(task, record, fixed)
    if changed is not None:
        message = f"`{task.request.resume}` asked something else: {changed} changed since"
        raise UsageError(Problem("run-folder", message, help="begin a new run with `--out`"))
    return record


def _changed(task: Task, record: Mapping[str, Any], fixed: Mapping[str, object]) -> str | None:
    from . import canonical

    now = {"pack": task.pack.name, "sensor": task.sensor.name, **fixed}
    other = [name for name, value in now.items() if canonical.json_value(value) != record.get(name)]
    words = {"pack": "the pack", "sensor": "the sensor", "coverage": "the documents", "prompt_sha256": "the prompt"}
    words |= {"schema_sha256": "the questions", "settings": "the sensor's settings"}
    return next((word for name, word in words.items() if name in other), "what is asked") if other else None


def _usage(plan: _Plan, spent: Sequence[Usage]) -> dict[str, object]:
    usage, prices = total(spent), plan.task.sensor.prices
    said: dict[str, object] = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    cost = None if prices is None else cost_text(cost_of(usage, prices))
    return {**said, "cost": cost, "currency": None if prices is None else prices.currency}


def _prepared(plan: _Plan, folder: RunFolder, record: Mapping[str, object]) -> SenseReport:
    tokens = tokens_of(plan.requests)
    folder.record({**record, "status": "prepared", "estimate": _estimate(plan, tokens)})
    asked = sum(len(one.asked) for one in plan.requests)
    lines = [
        f"{counted(len(plan.requests), 'request')} about {counted(len(plan.coverage), 'document')}"
        + (f", {counted(asked, 'answer')} wanted" if asked else ""),
        f"about {tokens.likely_input:,} tokens in (at most {tokens.most_input:,}), at most {tokens.most_output:,} out",
    ]
    prices = plan.task.sensor.prices
    if prices is None:
        lines.append("cost unknown: the sensor declares no `prices`")
    else:
        likely, most = cost_text(likely_cost(tokens, prices)), cost_text(most_cost(tokens, prices))
        lines.append(f"about {likely} {prices.currency}, at most {most} (prices of {prices.checked})")
    named = [] if plan.task.request.sensor is None else ["--sensor", plan.task.sensor.name]
    request = plan.task.request
    named += [] if request.policies is None else ["--policies", str(request.policies)]
    named += [word for one in request.given for word in ("--given", one)]
    words = ["fiel", "sense", plan.task.pack.name, *request.inputs, *named, "--resume", str(folder.path)]
    lines.append(f"nothing was sent; to ask: `{shlex.join(words)} --run …`")
    return SenseReport(0, tuple(lines))


def _estimate(plan: _Plan, tokens: Tokens) -> dict[str, object]:
    prices = plan.task.sensor.prices
    said: dict[str, object] = {"input_tokens": tokens.likely_input, "output_tokens": tokens.most_output}
    if prices is not None:
        said |= {"cost": cost_text(likely_cost(tokens, prices)), "currency": prices.currency}
        said["prices_checked"] = prices.checked
    return said


def _call(task: Task, plan: _Plan) -> Call:
    """How each request is sent. The key is read from the environment here, and goes nowhere else."""
    asked = task.request.call
    assert asked is not None
    key = os.environ.get(asked.key_env) if asked.key_env is not None else None
    if asked.key_env is not None and not key:
        message = f"the environment variable `{asked.key_env}` is not set"
        raise UsageError(Problem("no-secret", message, help="set it to the key of the provider"))
    url = asked.url or URLS[asked.provider]
    if url is None:
        message = f"the provider `{asked.provider}` has no address of its own"
        raise UsageError(Problem("usage", message, help="add `--url https://…`"))
    if asked.max_cost is not None and task.sensor.prices is None:
        message = "what a request costs is unknown, so `--max-cost` cannot hold"
        raise UsageError(Problem("usage", message, help=f"declare `prices` of `{task.sensor.name}`"))
    call = Call(asked.model, key, url, float(asked.timeout))
    check_call(asked.provider, call, plan.requests)
    return call


class _Run:
    """Asking, one request after the other, until all are answered or one cannot be."""

    def __init__(self, plan: _Plan, folder: RunFolder, record: dict[str, Any], call: Call) -> None:
        self.plan, self.folder, self.record = plan, folder, record
        asked = plan.task.request.call
        assert asked is not None
        self.asked = asked
        self.asker = Asker(asked.provider, call, folder, record["run_id"])
        for name, now in {"provider": asked.provider, "model_asked": asked.model}.items():
            if record.get(name) not in (None, now):
                message = f"this run asked `{record[name]}`, and now it is to ask `{now}`"
                raise UsageError(
                    Problem("run-folder", message, help="one run has one model; begin another with `--out`")
                )
            record[name] = now

    def go(self) -> SenseReport:
        answered: list[Answered] = []
        for at, request in enumerate(self.plan.requests):
            if self.plan.task.request.progress is not None:
                self.plan.task.request.progress("asking", at, len(self.plan.requests))
            found = self.asker.kept(request) or self._ask(request)
            if isinstance(found, Problem):
                return self._stop(found)
            answered.append(found)
        models = sorted({one.model for one in answered})
        self.record["model"] = models[0]
        if len(models) > 1:
            what = " and ".join(f"`{one}`" for one in models)
            return self._stop(Problem("model-changed", f"the provider answered with {what} in one run"))
        self._save("incomplete")
        observation, pending = observation_of(self.plan.task.sensor, self.plan.task.relations, answered, self._about())
        message = "there is no word in it, so nobody was asked"
        remarks = tuple(Diagnostic("nothing-to-read", message, name) for name in self.plan.blank)
        observation = replace(observation, diagnostics=(*remarks, *observation.diagnostics))
        self.record["review_sha256"] = self.folder.write_lines(REVIEW, pending)
        return publish(self.plan.task, self.folder, observation, self.record, len(pending))

    def _about(self) -> About:
        records = {one.id: one for one in self.plan.records}
        return About(self.record["run_id"], records, self.plan.documents, self.plan.given)

    def _ask(self, request: Request) -> Answered | Problem:
        """An answer, after as many tries as were asked for; or why there is none."""
        for attempt in range(self.asked.retries + 1):
            too_much = self._too_much(request)
            if too_much is not None:
                return too_much
            found = self.asker.ask(request, attempt)
            self._save("incomplete")
            if not isinstance(found, Problem):
                return found
        return found

    def _too_much(self, request: Request) -> Problem | None:
        prices = self.plan.task.sensor.prices
        if self.asked.max_cost is None or prices is None:
            return None
        spent = cost_of(total(self.asker.spent), prices)
        bound = spent + most_cost(tokens_of([request]), prices)
        if bound <= Decimal(self.asked.max_cost):
            return None
        message = f"request {request.number} could bring the cost to {cost_text(bound)} {prices.currency}"
        return Problem("cost-limit", f"{message}, and {self.asked.max_cost} is the most", help="raise `--max-cost`")

    def _save(self, status: str) -> None:
        self.record["batches"] = {
            "of": len(self.plan.requests),
            "sent": self.asker.sent,
            "valid": self.asker.valid,
        }
        self.record["usage"] = _usage(self.plan, self.asker.spent)
        self.folder.record({**self.record, "status": status})

    def _stop(self, problem: Problem) -> SenseReport:
        self.record["finished_at"] = datetime.now(UTC).replace(microsecond=0)
        self._save("incomplete")
        usage = self.record["usage"]
        cost = f", {usage['cost']} {usage['currency']}" if usage["cost"] is not None else ""
        lines = (
            f"no facts: {self.asker.valid} of {counted(len(self.plan.requests), 'answer')} valid",
            f"spent: {usage['input_tokens']:,} tokens in, {usage['output_tokens']:,} out{cost}",
            f"see `{self.folder.path}`; to go on, `--resume {self.folder.path}` in place of `--out`",
        )
        return SenseReport(INCOMPLETE, lines, (problem,))
