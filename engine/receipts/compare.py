"""Two receipts side by side: what made the one verdict and did not make the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..frozen import dataclass

_MAPS = (
    ("packs", "pack"),
    ("policies", "policy"),
    ("parameters", "parameter"),
    ("relations", "relation"),
    ("references", "reference"),
)
_HEX_SHOWN = 16


@dataclass(frozen=True, slots=True)
class Difference:
    """`what` was `old` and is `new`; None where there is none. `of_version` where no input or result differs."""

    what: str
    old: str | None
    new: str | None
    of_version: bool = False


Receipt = Mapping[str, Any]


def differences(old: Receipt, new: Receipt) -> tuple[Difference, ...]:
    """All that differs, in a fixed order. Where files lie, and what they are called, is no difference."""
    found: list[Difference] = []
    for key, word in _MAPS:
        found += _of_maps(old[key], new[key], word)
    found += _of_facts(old["facts"], new["facts"])
    found += _of_waivers(old["waivers"], new["waivers"])
    found += _of_decisions(old["decisions"], new["decisions"])
    if old["verdict"] != new["verdict"]:
        found.append(Difference("verdict", old["verdict"], new["verdict"]))
    if old["verdict_sha256"] != new["verdict_sha256"]:
        first, second = _short(old["verdict_sha256"]), _short(new["verdict_sha256"])
        found.append(Difference("bytes of the verdict", first, second))
    for name in sorted(old["engine"].keys() | new["engine"].keys()):
        version, running = old["engine"].get(name), new["engine"].get(name)
        if version != running:
            found.append(Difference(f"version of {name}", version, running, of_version=True))
    return tuple(found)


def _short(sha256: str | None) -> str | None:
    return f"{sha256[:_HEX_SHOWN]}…" if sha256 is not None else None


def _of_maps(old: Mapping[str, Any], new: Mapping[str, Any], word: str) -> Iterator[Difference]:
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        if was != now:
            yield Difference(f"{word} {name}", _digest_of(was), _digest_of(now))


def _digest_of(entry: Any) -> str | None:
    """A reference has its edition beside its digest."""
    if isinstance(entry, Mapping):
        return f"edition {entry.get('edition')}, {_short(entry['sha256'])}"
    return _short(entry)


def _of_facts(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> Iterator[Difference]:
    """Files of the same relation, content and run are the same whatever they are called."""

    def content(entry: Mapping[str, Any]) -> tuple[Any, ...]:
        return entry["relation"], entry["sha256"], entry["rows"], entry["run"]

    was, now = Counter(map(content, old)), Counter(map(content, new))
    gone, come = was - now, now - was
    before = [entry for entry in old if _take(gone, content(entry))]
    after = [entry for entry in new if _take(come, content(entry))]
    for entry in before:
        same = [e for e in after if (e["relation"], e["file"]) == (entry["relation"], entry["file"])]
        alone = [e for e in after if e["relation"] == entry["relation"]]
        match = same[0] if same else alone[0] if len(alone) == 1 else None
        if match is not None:
            after.remove(match)
        yield Difference(f"facts of {entry['relation']} in {entry['file']}", _fact(entry), _fact(match))
    for entry in after:
        yield Difference(f"facts of {entry['relation']} in {entry['file']}", None, _fact(entry))


def _take(left: Counter[tuple[Any, ...]], content: tuple[Any, ...]) -> bool:
    if not left[content]:
        return False
    left[content] -= 1
    return True


def _fact(entry: Mapping[str, Any] | None) -> str | None:
    if entry is None:
        return None
    run = f", run {_short(entry['run'])}" if entry["run"] is not None else ""
    return f"{_short(entry['sha256'])} with {entry['rows']} row{'' if entry['rows'] == 1 else 's'}{run}"


def _of_waivers(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> Iterator[Difference]:
    def by_number(entries: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], Mapping[str, Any]]:
        return {(entry["pack"], entry["number"]): entry for entry in entries}

    was, now = by_number(old), by_number(new)
    for pack, number in sorted(was.keys() | now.keys()):
        one, other = was.get((pack, number)), now.get((pack, number))
        if one != other:
            yield Difference(f"waiver {number} of the pack {pack}", _waiver(one), _waiver(other))


def _of_decisions(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> Iterator[Difference]:
    was, now = ({entry["line"]: entry for entry in side} for side in (old, new))
    for line in sorted(was.keys() | now.keys()):
        one, other = was.get(line), now.get(line)
        if one != other:
            yield Difference(f"decision in line {line}", _decision(one), _decision(other))


def _decision(entry: Mapping[str, Any] | None) -> str | None:
    if entry is None:
        return None
    came = "counts" if entry["applied"] else "has no effect"
    return f"{_short(entry['sha256'])} on {entry['policy']}, {came}"


def _waiver(entry: Mapping[str, Any] | None) -> str | None:
    if entry is None:
        return None
    came = "expired" if entry["expired"] else f"covers {entry['covered']}"
    return f"{_short(entry['sha256'])} of {entry['policy']}, until {entry['until']}, {came}"
