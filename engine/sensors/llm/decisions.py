"""The provider `decisions`: a small protocol over plain HTTPS."""

from __future__ import annotations

from .asking import Request
from .calls import Call, Reply


def send(request: Request, call: Call) -> Reply:
    """Sends a request once. Raises SendError."""
    raise NotImplementedError
