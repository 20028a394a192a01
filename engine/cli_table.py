"""The commands: the module of each, and the one line that `fiel --help` says of it. No module is imported for it."""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, tuple[str, str]] = {
    "judge": ("cli_commands", "judge facts by policies"),
    "check": ("cli_commands", "report every problem of packs and policies"),
    "list": ("cli_commands", "list packs, relations and policies"),
    "show": ("cli_commands", "show a policy: its rule, numbers, sources and cases"),
    "cache": ("cli_commands", "clear the user's cache"),
    "test": ("cli_testing", "run the cases of policies, then attack them"),
    "explain": ("cli_testing", "say a rule in words, and why a row came out as it did"),
    "diff": ("cli_testing", "say what a change of policies lets through or stops"),
    "run": ("cli_run", "look at texts, judge what was seen, and write a report on each"),
    "evaluate": ("cli_evaluate", "compare a run of sensors, or two, with annotated facts"),
    "sense": ("cli_sense", "let a sensor look at documents and write what it saw as facts"),
    "review": ("cli_review", "list what waits for a person, and decide it"),
    "honesty": (
        "cli_honesty",
        "hold what is shown against the references, then tell lies to see whether they are noticed",
    ),
    "init-ci": ("cli_honesty", "write a workflow for GitHub Actions that runs the gate"),
    "replay": ("cli_replay", "judge again what a receipt speaks of"),
    "reference": ("cli_reference", "find, fetch, compare and look up official files"),
    "new": ("cli_authoring", "draft a pack, a relation or a policy"),
    "fmt": ("cli_authoring", "bring the files of packs into one form"),
    "completion": ("cli_authoring", "print a script that completes `fiel` in a shell"),
}
"""By name, in the order of the help: the module, whose `ALL` has what adds the command, and the line."""
