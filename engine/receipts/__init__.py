"""Receipts: the hashes of everything that made a verdict, written, read back as what nobody vouches for, compared."""

from .compare import Difference, differences
from .forms import digest, ruled_form
from .make import Arguments, make_receipt
from .read import read_receipt

__all__ = ["Arguments", "Difference", "differences", "digest", "make_receipt", "read_receipt", "ruled_form"]
