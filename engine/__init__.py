"""Fiel judges rows of facts with rules written in YAML.

The stages, in the order in which data flows through them:
load → check → compile → evaluate → explain → render. `pipeline` strings them together, `cli` is the door.
"""

__version__ = "0.1.0"
