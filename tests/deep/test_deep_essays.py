"""A long essay, and every sample recorded anew: what takes too long for each run of the tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .. import essay_samples as samples
from ..conftest import SHARED, need
from ..essay_samples import inside
from ..model_server import KEY, Heard, Sent, enveloped, serving
from ..test_essay_samples import is_what_its_answer_gives


@pytest.fixture(scope="module")
def references() -> str:
    pytest.importorskip("spacy")
    return str(need(SHARED / "reference" / "cefr"))


@pytest.mark.parametrize("name", samples.LEVELS)
def test_every_recorded_run_is_what_its_answer_gives(tmp_path: Path, references: str, name: str) -> None:
    is_what_its_answer_gives(tmp_path, references, name)


def test_a_long_text_is_marked_whole_and_its_page_stays_small(tmp_path: Path, references: str) -> None:
    """5,000 words; the model is asked, and reports one error in the last sentence."""
    text = "\n\n".join(samples.text_of("b2").replace("job", f"job {n}") for n in range(26)) + "\n\nI am agree at last."
    (tmp_path / "e.txt").write_text(text, encoding="utf-8")

    def last(heard: Heard) -> Sent:
        error = {"quote": "I am agree", "correction": "I agree", "category": "grammar", "severity": "serious"}
        said = {**error, "explanation": "Agree es un verbo.", "language": "es", "sentence": 1}
        rated = {"points": 5, "reason": "Se repite.", "language": "es"}
        return enveloped(heard, json.dumps({"sense": [], "error": [said], "structure": [], "coherence": [rated]}))

    with serving(last) as server:
        asked = [
            "--provider",
            "anthropic",
            "--model",
            "m",
            "--key-env",
            "MODEL_KEY",
            "--url",
            server.url_of("anthropic"),
        ]
        words = ["run", "cefr", str(tmp_path / "e.txt"), "--level", "B2", "--references", references]
        out = ["--out", str(tmp_path / "r.html"), "--out", str(tmp_path / "r.json")]
        done = inside(*words, *asked, *out, MODEL_KEY=KEY)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    [error] = report["corrections"]
    assert text[error["span"]["start"] : error["span"]["end"]] == "I am agree"
    assert report["score"]["value"]["provenance"] == "computed"
    assert (tmp_path / "r.html").stat().st_size < 400_000
