"""Finding the entries of a reference of 15,000 in a text, beside tagging it: `python bench/lexicon.py`.

Needs the extra `english`. The reference is the words of the text and others that are made up, a tenth of the entries of
several words, half of those with a stand-in or a gap. Prints CPU seconds and their share, three times.
"""

from __future__ import annotations

import random
import sys
import time
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine.sensor import Document, Sensor
from engine.sensors.lexicon import Entry, Lexicon
from engine.sensors.tagging import Tagger

ENTRIES, SENTENCES = 15_000, 1_000
PARTS = {"noun": ("NOUN", "PROPN"), "verb": ("VERB", "AUX"), "adjective": ("ADJ",), "adverb": ("ADV",)}
WRITTEN = {"adjective": ("VBN", "VBG", "NN"), "noun": ("VBG", "JJ")}
STAND_INS = {"your": ("PRP$",), "somebody": ("PRON", "NOUN", "PROPN")}
VERBS = "make take give look put find keep bring turn hold".split()
LITTLE = "up out in off on over back down away through".split()
PEOPLE = "she;he;they;my brother;our teacher;the old woman;everybody".split(";")
DONE = "made up her mind;took it off;was tired of it;gave the children back;looked after his addicted friend".split(";")
ENDS = "on Monday;because the weather had been worse;without saying a word;when the shop opened;in the end".split(";")


def entries(words: list[str], chance: random.Random) -> list[Entry]:
    headwords = [*words]
    for verb in VERBS:
        headwords += [f"{verb} {little}" for little in LITTLE]
        headwords += [f"{verb} {little} your {noun}" for little in LITTLE for noun in words[:5]]
        headwords += [f"{verb} somebody {little}" for little in LITTLE]
    while len(headwords) < ENTRIES:
        headwords.append("".join(chance.choices("abcdefghijklmnoprstuvw", k=chance.randint(4, 10))))
    parts = list(PARTS)
    made = enumerate(headwords[:ENTRIES])
    return [Entry(n, "list", f"list:{n}", word, "verb" if " " in word else parts[n % 4], {}) for n, word in made]


def main() -> None:
    chance = random.Random(5)
    lines = (
        f"{chance.choice(PEOPLE).capitalize()} {chance.choice(DONE)} {chance.choice(ENDS)}." for _ in range(SENTENCES)
    )
    text = "\n\n".join(" ".join(group) for group in zip(*[iter(list(lines))] * 10, strict=True))
    sensor = Sensor(
        "s", "lexicon", "documents", (), part_of_speech="part", parts_of_speech=PARTS, as_written=WRITTEN,
        placeholders=STAND_INS, gaps_in=("verb",),
    )  # fmt: skip
    tagger = Tagger()
    words = sorted({token.lemma for token in tagger.tag(Document("t", text, "")).tokens if token.lemma.isalpha()})
    began = time.process_time()
    made = entries(words * 4, chance)
    Lexicon(made, sensor, tagger.words)
    print(f"{len(made):,} entries indexed in {time.process_time() - began:.2f} s")
    for _ in range(3):
        lexicon = Lexicon(made, sensor, tagger.words)
        began = time.process_time()
        tagged = tagger.tag(Document("t", text, ""))
        middle = time.process_time()
        found = sum(len(lexicon.candidates(list(s))) for _, s in groupby(tagged.tokens, key=lambda t: t.sentence))
        ended = time.process_time()
        tagging, matching = middle - began, ended - middle
        print(
            f"{len(tagged.tokens):,} tokens, {found:,} candidates: tagging {tagging:.2f} s, "
            f"matching {matching:.3f} s, {matching / tagging:.1%}"
        )


if __name__ == "__main__":
    main()
