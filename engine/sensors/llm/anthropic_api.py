"""The provider `anthropic`: the Messages API by its official SDK, with structured output."""

from __future__ import annotations

from .asking import Request
from .calls import Call, Reply


def send(request: Request, call: Call) -> Reply:
    """Sends a request once. Raises SendError."""
    raise NotImplementedError
