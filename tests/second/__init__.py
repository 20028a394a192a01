"""A second reading of docs/semantics.md: an evaluator in plain Python that shares no line with the engine.

`expr` reads expressions, `values` knows types and constants, `meaning` turns an expression into a function of a row,
`evaluate` judges; `generate` makes packs and facts; `compare` sets the two readings side by side.
"""
