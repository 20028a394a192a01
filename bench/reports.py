"""What a report costs: 1,000 words after the model's answer, and 100 texts in one process.

    python bench/reports.py REFERENCES

REFERENCES is a folder with the files of the pack `cefr`. Prints CPU and wall seconds; the first text pays for loading.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
TEXTS = ("a2", "b1", "b2", "c1", "c2")


def timed(what: str, work: Callable[[], object]) -> None:
    cpu, wall = time.process_time(), time.monotonic()
    work()
    print(f"{what}: {time.process_time() - cpu:.2f} s CPU, {time.monotonic() - wall:.2f} s", flush=True)


def run(*words: str) -> None:
    from engine.cli import run as fiel

    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        code = fiel(["run", "cefr", *words])
    assert code in (0, 1, 3, 4), code


def main(references: str) -> None:
    texts = {name: (ROOT / "facts/cefr/texts" / f"{name}.txt").read_text("utf-8") for name in TEXTS}
    with tempfile.TemporaryDirectory() as folder:
        long = Path(folder) / "long.txt"
        long.write_text(" ".join(texts[name] for name in TEXTS) + " And so on." * 30, encoding="utf-8")
        words = len(long.read_text("utf-8").split())
        out = ["--level", "B1", "--references", references, "--out"]
        timed(f"a text of {words} words, the first in its process", lambda: run(str(long), *out, f"{folder}/a.html"))
        timed(f"a text of {words} words, the second", lambda: run(str(long), *out, f"{folder}/b.html"))
        many = Path(folder) / "many"
        many.mkdir()
        for number in range(100):
            text = texts[TEXTS[number % len(TEXTS)]]
            (many / f"{number:03}.txt").write_text(f"{text}\nNumber {number}.", encoding="utf-8")
        timed("100 texts of about 180 words, in HTML and JSON", lambda: run(str(many), *out, f"{folder}/reports"))


if __name__ == "__main__":
    main(sys.argv[1])
