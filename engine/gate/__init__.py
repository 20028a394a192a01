"""The gate: what is about to be shown, held against the references, and lies told to it to see whether it notices.

`estate` gathers the files, `examine` finds the offenders among them, `lies` makes seeded falsehoods, `inject` tells
them one by one. `run_gate` is all of it.
"""
