"""One exchange with a model after the other, each kept in the folder of the run: the answer, or why it is none."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from .errors import Problem
from .frozen import dataclass
from .run_folder import RunFolder
from .sensors.llm.answers import Answer, BadAnswer, annotations_of, answers_of
from .sensors.llm.asking import Request, digest_of
from .sensors.llm.calls import Call, Reply, SendError, Usage, provider_of

_PAUSE = 2.0
"""Seconds before a first retry; each further one waits twice as long."""
_LONGEST_PAUSE = 60.0
Spans = Mapping[str, tuple[Mapping[str, object], ...]]


@dataclass(frozen=True, slots=True)
class Answered:
    """A valid answer to a request: probabilities, or spans by relation."""

    request: Request
    model: str
    asked_at: datetime
    answers: tuple[Answer, ...] = ()
    spans: Spans | None = None


class Asker:
    """Sends requests and keeps what came back. `spent` has the tokens of every exchange, also of those that failed."""

    def __init__(self, provider: str, call: Call, folder: RunFolder, run_id: str) -> None:
        self.provider, self.call, self.folder = provider_of(provider), call, folder
        self.run_id = run_id
        self.spent: list[Usage] = []
        self.sent = 0
        self.valid = 0
        self.ids: dict[str, int] = {}
        """The provider's own id of each answer: one that comes again is a cached answer, and no new one."""

    def kept(self, request: Request) -> Answered | None:
        """The answer that an earlier process kept, checked anew; None if there is none, or none that is valid."""
        number = 1
        while (failed := self.folder.read(_name(request, number))) is not None:
            self._count(failed)
            number += 1
        found = self.folder.read(_name(request))
        if found is None:
            return None
        self._count(found)
        if not found.get("valid") or found.get("request_sha256") != digest_of(request.form()):
            self._set_aside(request)
            return None
        try:
            reply = self.provider.reply_of(found["raw"])
            answered = self._read(request, reply, datetime.fromisoformat(found["asked_at"]))
        except (SendError, BadAnswer, KeyError, TypeError, ValueError):
            self._set_aside(request)
            return None
        self.valid += 1
        return answered

    def ask(self, request: Request, attempt: int) -> Answered | Problem:
        """Sends a request once. What came back is on the disk when this returns."""
        if attempt:
            time.sleep(min(_PAUSE * 2 ** (attempt - 1), _LONGEST_PAUSE))
        asked_at = datetime.now(UTC).replace(microsecond=0)
        self.sent += 1
        kept: dict[str, Any] = {"request": request.number, "request_sha256": digest_of(request.form())}
        # Each time that a question is put again is a run of its own.
        kept["run_id"] = self.run_id if request.repeat is None else f"{self.run_id}.{request.repeat}"
        kept |= {"asked_at": asked_at, "model": None, "usage": None, "valid": False, "raw": None}
        try:
            reply: Reply = self.provider.send(request, self.call)
            kept |= {"model": reply.model, "usage": _usage(reply.usage), "raw": reply.raw}
            self.spent.append(reply.usage)
            answered = self._read(request, reply, asked_at)
        except SendError as error:
            if error.usage is not None:
                self.spent.append(error.usage)
            kept |= {"usage": _usage(error.usage), "raw": error.raw, "status": error.status}
            return self._failed(request, kept, error.code, error.message)
        except BadAnswer as error:
            return self._failed(request, kept, error.code, error.message)
        self.folder.write(_name(request), {**kept, "valid": True})
        self.valid += 1
        return answered

    def _read(self, request: Request, reply: Reply, asked_at: datetime) -> Answered:
        if reply.response_id is not None:
            before = self.ids.setdefault(reply.response_id, request.number)
            if before != request.number:
                raise BadAnswer("answer-repeated", f"this answer came for request {before} already, and is no new one")
        if request.asked:
            return Answered(request, reply.model, asked_at, answers_of(request, reply.payload))
        return Answered(request, reply.model, asked_at, spans=annotations_of(request, reply.payload))

    def _failed(self, request: Request, kept: dict[str, Any], code: str, message: str) -> Problem:
        self.folder.write(_name(request), {**kept, "problem": {"code": code, "message": message}})
        self._set_aside(request)
        return Problem(code, message, where=f"request {request.number}")

    def _set_aside(self, request: Request) -> None:
        """An answer that is no use is kept for inspection, under a name that no valid answer has."""
        number = 1
        while (self.folder.path / _name(request, number)).exists():
            number += 1
        (self.folder.path / _name(request)).rename(self.folder.path / _name(request, number))

    def _count(self, kept: Mapping[str, Any]) -> None:
        self.sent += 1
        usage = kept.get("usage")
        if isinstance(usage, dict) and all(isinstance(one, int) and one >= 0 for one in usage.values()):
            self.spent.append(Usage(usage.get("input_tokens", 0), usage.get("output_tokens", 0)))


def _name(request: Request, failed: int | None = None) -> str:
    return f"responses/{request.number:04}.json" if failed is None else f"responses/{request.number:04}-{failed}.json"


def _usage(usage: Usage | None) -> dict[str, int] | None:
    if usage is None:
        return None
    return {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
