"""Finding 10,000 quotes in a text of 1 MB: `python bench/anchoring.py`. Prints CPU seconds, three times.

The text is made of sentences of made-up words, as often as words of a language are (Zipf), with curly quotes, dashes,
accents and broken lines. A tenth of the quotes is absent (a word of them is another), a tenth comes with straight
quotes and other white space, a tenth with the number of another sentence.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine.text import Anchor, Anchorer, Span, sentences

SIZE, QUOTES = 1_000_000, 10_000
SYLLABLES = "ba ce di fo gu la me ni po ru sa té vi xo zu an er il on us".split()


def make_text(chance: random.Random) -> str:
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(20_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    made, size = list[str](), 0
    while size < SIZE:
        chosen = chance.choices(words, weights, k=chance.randint(5, 25))
        chosen[1] = chance.choice([chosen[1], f"“{chosen[1]}”", f"{chosen[1]}’s", f"{chosen[1]} —", f"{chosen[1]},"])
        made.append(" ".join(chosen).capitalize() + ("." if chance.random() < 0.8 else ".\r\n"))
        size += len(made[-1].encode()) + 1
    return " ".join(made)


def ask(chance: random.Random, text: str, spans: tuple[Span, ...]) -> list[tuple[int, str]]:
    asked = []
    for number in range(QUOTES):
        sentence = chance.randrange(len(spans))
        words = text[spans[sentence].start : spans[sentence].end].split()
        length = min(len(words), chance.randint(2, 12))
        first = chance.randint(0, len(words) - length)
        part = words[first : first + length]
        if number % 10 == 0:
            part[chance.randrange(length)] = "absent"
        quote = " ".join(part)
        if number % 10 == 1:
            quote = quote.replace("“", '"').replace("”", '"').replace("’", "'").replace("—", "-").replace(" ", "  ")
        asked.append((chance.randrange(len(spans)) + 1 if number % 10 == 2 else sentence + 1, quote))
    return asked


def main() -> None:
    chance = random.Random(5)
    text = make_text(chance)
    spans = sentences(text)
    asked = ask(chance, text, spans)
    print(f"{len(text.encode()):,} bytes, {len(spans):,} sentences, {len(asked):,} quotes")
    for _ in range(3):
        began = time.process_time()
        anchorer = Anchorer(text, spans)
        built = time.process_time()
        found = [anchorer.find(sentence, quote) for sentence, quote in asked]
        ended = time.process_time()
        met = Counter(one.how if isinstance(one, Anchor) else one.reason for one in found)
        near = sum(not isinstance(one, Anchor) and one.nearest is not None for one in found)
        print(f"index {built - began:.2f} s, quotes {ended - built:.2f} s, {dict(sorted(met.items()))}, nearest {near}")


if __name__ == "__main__":
    main()
