"""Many packs judged by both readings: counts of what was met, what the engine refused and where the two differ."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .compare import ROOT, Door, RefusedByEngine, compare, through_process, through_python
from .generate import Pack, seeded_pack
from .kept import Kept, keep
from .reduce import reduce

ARTEFACTS = ROOT / "tests" / "artefacts"
WITNESSES = (5, 0, 1, 20)

# What a normal run must have met: each of these, at least once.
TO_MEET = (
    "share with unknown scope", "count bounds straddle the threshold", "count bounds on one side", "empty group",
    "exists: null on the judged side", "exists: null on the side of R", "exists: R empty", "exists: R absent",
    "exists: R is the judged relation", "exists: in a row", "exists: in a group", "exists: in an aggregate",
    "dated value: day before first day", "dated value: on first day", "dated value: day after first day",
    "dated value: day before until", "dated value: on until", "dated value: day after until",
    "dated value: day unknown", "allow not in force", "int: compared at the ends of 64 bits", "+ gives null (int)",
    "- gives null (int)", "* gives null (int)", "abs gives null (int)", "+ gives null (float)", "* gives null (float)",
    "/ gives null (float)", "float: 0.1 + 0.2 at the boundary", "sum of floats near 1e14",
    "text: astral against U+E000 to U+FFFF", "text: combining", "levels: declared order against text order",
    "decimal: 38 digits compared", "interval: month end clamped", "interval: date out of range",
    "null left of a comparison", "null right of a comparison", "null beside a count", "null in +", "null in -",
    "null in *", "null in /", "null in abs", "null in interval", "null in a filter", "null in count_if",
    "null in count", "null in sum", "null in avg", "null in min", "null in max", "null in any", "null in all",
    "null in days_between", "null in utc_day", "null in length", "null in lower", "null in upper",
    "null in starts_with", "null in ends_with", "null in contains", "null in year", "null in month", "null in day",
    "unknown in and, decided", "unknown in and, undecided", "unknown in or, decided", "unknown in or, undecided",
    "unknown in between, decided", "unknown in between, undecided", "unknown in in, decided",
    "unknown in in, undecided", "unknown in in a list, undecided", "where unknown", "review_if unknown",
    "must unknown", "count", "count with a filter", "count of distinct", "count of distinct with a filter", "count_if",
    "count_if with a filter", "sum", "sum with a filter", "avg", "avg with a filter", "min", "min with a filter",
    "max", "max with a filter", "any", "any with a filter", "all", "all with a filter", "aggregate over no rows",
    "reason scope_unknown", "reason date_unknown", "reason no_value_in_force", "reason absent_relation",
    "reason null_column", "reason related_unknown", "reason not_computable", "error key_not_in_each_of",
    "error judged_on_missing", "judged relation or each_of absent", "nothing in scope", "pass by tolerance",
    "waived row", "waived group", "waiver full", "waiver unused", "waiver expired",
    "verdict pass", "verdict fail", "verdict review", "verdict no_evidence", "verdict not_applicable", "verdict error",
)  # fmt: skip


@dataclass
class Tally:
    """Pairs are policies judged over facts; `processes` of them went through `cli.py judge`."""

    pairs: int = 0
    processes: int = 0
    met: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.pairs += other.pairs
        self.processes += other.processes
        self.met += other.met
        self.refused += other.refused
        self.different += other.different

    def to_json(self) -> str:
        return json.dumps(vars(self))

    @classmethod
    def from_json(cls, text: str) -> Tally:
        found = json.loads(text)
        return cls(**{**found, "met": Counter(found["met"]), "refused": Counter(found["refused"])})

    def table(self) -> str:
        lines = [f"{self.met[word]:>9,}  {word}" for word in TO_MEET]
        refused = ", ".join(f"{count} {code}" for code, count in sorted(self.refused.items())) or "none"
        head = f"{self.pairs:,} pairs, {self.processes:,} of them through cli.py judge; the engine refused: {refused}"
        return "\n".join([head, *lines])


def run(seeds: Iterable[int], pairs: int, processes: int = 0) -> Tally:
    """Judges packs of these seeds, in both ways, until so many pairs are compared; the first ones by process."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            if tally.pairs >= pairs:
                break
            by_process = tally.processes < processes
            judge_pack(seeded_pack(seed), seed, Path(folder), tally, through_process if by_process else through_python)
    return tally


def judge_pack(pack: Pack, seed: int, folder: Path, tally: Tally, door: Door) -> None:
    """One pack through a door; policies that the engine refuses are counted and left out."""
    left = pack.policies
    while left:
        part = pack.only(*left)
        pair = Kept(part.files, part.facts, part.as_of)
        shutil.rmtree(folder, ignore_errors=True)
        met: Counter[str] = Counter()
        try:
            found = compare(pair, folder, WITNESSES[seed % len(WITNESSES)], met, door)
        except RefusedByEngine as refusal:
            bad = [name for name in left if name in refusal.files]
            if not bad and door is through_process:
                door = through_python  # which says what is refused; the process gets the next pack
                continue
            if not bad:
                raise AssertionError(f"seed {seed}: the engine refused more than a policy: {refusal}") from refusal
            tally.refused.update(dict(zip(refusal.files, refusal.codes, strict=True)).values())
            left = [name for name in left if name not in bad]
            continue
        tally.pairs += len(left)
        tally.processes += len(left) if door is through_process else 0
        tally.met += met
        tally.different += [report(pair, name, seed, lines) for name, lines in found.items()]
        return


def report(pair: Kept, name: str, seed: int, lines: list[str]) -> str:
    """Writes a small pair that still differs under tests/artefacts, and says where."""

    def differs(smaller: Kept) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            try:
                return name in compare(smaller, Path(folder), 20, Counter())
            except (RefusedByEngine, AssertionError, KeyError):
                return False

    small = reduce(pair, differs) if name != "run" and differs(pair) else pair
    folder = ARTEFACTS / f"different-{seed}-{name.removeprefix('p.')}"
    keep(small, folder)
    return f"seed {seed}, {name}: " + "\n  ".join(lines[:8]) + f"\n  kept in {folder.relative_to(ROOT)}"
