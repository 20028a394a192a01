"""From the files of packs to the nouns of `model`, with every problem at its place."""

from .files import shown_path
from .packs import Loaded, load_packs, policy_of_bytes

__all__ = ["Loaded", "load_packs", "policy_of_bytes", "shown_path"]
