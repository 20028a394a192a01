"""What may be a name: of a pack, relation, column, parameter, policy or reference."""

from __future__ import annotations

import re

NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")

RESERVED = frozenset(
    """all alter analyse analyze and any array as asc asymmetric between both call case cast check collate column
    constraint create cross current_catalog current_date current_time current_timestamp current_user default
    deferrable desc describe distinct do drop else end except execute exists explain false fetch filter for
    force foreign from glob grant group having if ilike in initially inner insert install intersect interval
    into is join judged judged_on lambda lateral leading like limit localtime localtimestamp map not notnull
    null offset on only optimize or order outer partitioned_by pivot pivot_longer pivot_wider placing
    positional prepare primary qualify references regexp rename reset returning revoke rlike rollback select
    session_user show some summarize symmetric table tablesample then to trailing true uncache union unique
    unpivot using vacuum values variadic when where window with xor""".split()
)
"""Words that are no names, because a parser of expressions or an engine keeps them (`docs/semantics.md`, section 1)."""
