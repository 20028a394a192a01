"""Addresses on the network that Fiel speaks to: https, and plain http only to this machine."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit


def is_loopback(parts: SplitResult) -> bool:
    """Whether the host is this machine: `localhost`, or an address of it."""
    try:
        return parts.hostname == "localhost" or ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return False


def is_good_address(url: str, loopback: bool) -> bool:
    """Whether it is https, or (with `loopback`) http to this machine: a host, no name or password, plain ASCII."""
    try:
        parts = urlsplit(url)
        plain = url.isascii() and url.isprintable() and " " not in url and "\\" not in url
        good = bool(parts.hostname) and "@" not in parts.netloc and plain and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    return good and (parts.scheme == "https" or (loopback and parts.scheme == "http" and is_loopback(parts)))
