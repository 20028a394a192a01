"""From the files of packs to the nouns of `model`, with every problem at its place."""

from .packs import Loaded, load_packs, shown_path

__all__ = ["Loaded", "load_packs", "shown_path"]
