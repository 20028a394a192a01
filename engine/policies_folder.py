"""Which folder of packs is meant, and what the user is told where it was not named."""

from __future__ import annotations

from pathlib import Path

from .errors import Problem, UsageError
from .frozen import dataclass
from .home import SHIPPED_POLICIES


@dataclass(frozen=True, slots=True)
class Folder:
    """Where the packs are. `note` says so where the user did not: it is the first thing that is printed."""

    path: Path
    note: str | None = None
    shipped: bool = False


def policies_folder(given: Path | None) -> Folder:
    """`--policies`, else `./policies`, else this folder if it holds packs or is one, else the shipped packs."""
    if given is not None:
        if not given.is_dir():
            problem = Problem("no-such-folder", f"`{given}` is no folder", help="name a folder of packs, or one pack")
            raise UsageError(problem)
        return Folder(given)
    if Path("policies").is_dir():
        return Folder(Path("policies"))
    here = Path()
    if (here / "pack.yaml").exists():
        return Folder(here, "policies: the pack in this folder")
    if any(here.glob("*/pack.yaml")):
        return Folder(here, "policies: the packs in this folder")
    return Folder(SHIPPED_POLICIES, "policies: those shipped with Fiel, as there is no folder `policies` here", True)
