"""What the attack on policies costs: the sample pack, a hundred policies, and one query for all against one for each.

    python bench/mutants.py
    python bench/mutants.py at-once       (the last two figures alone: CPU seconds of both, and how many evaluations)

CPU seconds, median of the runs; the last two figures are of one process, side by side.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
RUNS = 5
CASES = [
    ("words: {at}", "pass"),
    ("words: {over}", "fail"),
    ("words: {over}, ok: true", "pass"),
    ("words: null", "no_evidence"),
    ("ok: null", "pass"),
    ("words: {over}, ok: null", "no_evidence"),
    ("kind: null", "no_evidence"),
    ("kind: b", "no_evidence"),
    ("rows: []", "no_evidence"),
    ("rows: [{{words: {over}}}, {{kind: b}}]", "fail"),
]


def command(*words: str | Path) -> float:
    """CPU seconds of a command, its own process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, str(ROOT / "cli.py"), *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def median(*words: str | Path) -> float:
    command(*words)
    return statistics.median(command(*words) for _ in range(RUNS))


def hundred_policies(folder: Path) -> Path:
    pack = folder / "policies" / "big"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text("format: 1\npack: big\ntitle: T\nversion: 0.1.0\nlicence: none\n")
    typed = [
        "id: {type: text}",
        "words: {type: int, unit: word}",
        "kind: {type: text, one_of: [a, b]}",
        "ok: {type: bool}",
    ]
    columns = "\n    ".join(typed)
    (pack / "relations.yaml").write_text(f"item:\n  row: One item.\n  key: [id]\n  columns:\n    {columns}\n")
    for number in range(100):
        at, over = number + 3, number + 4
        cases = "".join(f"  - {{{c.format(at=at, over=over)}, expect: {e}}}\n" for c, e in CASES)
        (pack / f"rule_{number}.yaml").write_text(
            f"policy: big.rule_{number}\ntitle: T\nfor: item\nwhere: kind = 'a'\nmust: words <= top or ok\n"
            f"params: {{top: {{value: {at}, unit: word, origin: convention, because: x}}}}\ncannot_see: x\n"
            f"example: {{id: a1, words: 1, kind: a, ok: false}}\ncases:\n{cases}"
        )
    return pack.parent


def side_by_side() -> tuple[float, float, int]:
    """Seconds for all mutants of the sample pack over all cases: at once, and each by a query of its own."""
    from engine.cases.base import CaseBase
    from engine.cases.facts import facts_of
    from engine.cases.run import Trial
    from engine.check import check_policy
    from engine.facts import from_rows
    from engine.judging import Settings, judge_policy
    from engine.load import load_packs
    from engine.mutate.run import mutants

    together = apart = 0.0
    evaluations = 0
    pack = load_packs(ROOT / "policies" / "prose").packs["prose"]
    for policy in pack.policies.values():
        checked, _ = check_policy(policy, pack)
        assert checked is not None
        tried = [m.checked for m in mutants(checked, pack)]
        with CaseBase(pack.relations) as base:
            trial = Trial(checked, base)
            _ = base.base
            began = time.process_time()
            trial.judge([checked, *tried])
            together += time.process_time() - began
        some = tried[::10]
        for one in trial.cases:
            with from_rows(facts_of(checked, one.case), pack.relations) as alone:
                began = time.process_time()
                for variant in some:
                    judge_policy(variant, alone, Settings(judged_on=one.case.judged_on, witnesses=0))
                apart += (time.process_time() - began) * len(tried) / len(some)
        evaluations += len(tried) * len(trial.cases)
    return together, apart, evaluations


def main() -> None:
    if sys.argv[1:] == ["at-once"]:
        print(*side_by_side())
        return
    print(f"fiel test policies/prose   {median('test', ROOT / 'policies' / 'prose'):.2f} s CPU")
    print(f"  the same with --quick    {median('test', ROOT / 'policies' / 'prose', '--quick'):.2f} s CPU")
    with tempfile.TemporaryDirectory() as folder:
        print(f"100 policies of 10 cases   {median('test', hundred_policies(Path(folder))):.2f} s CPU")
    together, apart, evaluations = side_by_side()
    print(f"{evaluations} mutants x cases: at once {together:.3f} s CPU, {evaluations / together:,.0f} a second")
    print(f"a query for each (a tenth of them, scaled up): {apart:.1f} s CPU, {apart / together:.0f} times as much")


if __name__ == "__main__":
    main()
