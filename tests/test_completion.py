"""Completion, run in real shells: what a key gives is what the command line takes."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from engine.cli import parser
from engine.completion import SHELLS, script

from .conftest import ROOT, Cli
from .consoles import Console

SUBPARSERS: Any = next(action for action in parser()._actions if action.dest == "command")
COMMANDS = sorted(SUBPARSERS.choices)


def shell_of(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"absent: {name}")
    return found


def completed(words: str, folder: Path, tools: Path) -> list[str]:
    """What bash offers for the words of a line; the last one is being written."""
    console = Console(folder, tools)
    given = words.split(" ")
    code = (
        f'eval "$(fiel completion bash)"; COMP_WORDS=({" ".join(repr(w) for w in given)}); '
        f'COMP_CWORD={len(given) - 1}; _fiel; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    return sorted(console.run(code).split("\n")[:-1])


def test_bash_completes_commands_options_choices_and_names(tmp_path: Path) -> None:
    tools = tmp_path / "bin"

    def offered(words: str) -> list[str]:
        return completed(words, ROOT, tools)

    assert offered("fiel ") == sorted([*COMMANDS, "--help", "--version"])
    assert offered("fiel ju") == ["judge"]
    assert "--facts" in offered("fiel judge --f")
    assert "json" in offered("fiel judge --format ")
    assert offered("fiel judge --format js") == ["json"]
    assert offered("fiel judge --pack p") == ["permits", "prose"]
    assert "prose.sentence_length" in offered("fiel judge --policy prose.s")
    assert "prose.sentence_length" in offered("fiel show pro")
    assert offered("fiel judge --facts fac") == ["facts"]
    assert offered("fiel check poli") == ["policies"]
    assert offered("fiel fmt --ch") == ["--check"]
    assert offered("fiel completion z") == ["zsh"]
    assert offered("fiel judge --policy = prose.sent") == ["prose.sentence_length"]  # as bash splits `--policy=…`
    assert offered("fiel judge --format =") == offered("fiel judge --format ")
    assert offered("fiel nonsense ") == sorted([*COMMANDS, "--help", "--version"])


def test_every_option_of_every_command_is_offered(tmp_path: Path) -> None:
    text = script("bash", SUBPARSERS)
    for command, inner in SUBPARSERS.choices.items():
        rest = re.search(rf"^    {command}:\*\) kind=\w+ list='([^']*)'", text, re.MULTILINE)
        assert rest is not None, command
        wanted = {
            o for a in inner._actions for o in a.option_strings if o.startswith("--") and a.help != "==SUPPRESS=="
        }
        assert wanted <= set(rest[1].split()), command


def test_a_file_s_name_that_is_no_policy_is_never_offered_nor_run(tmp_path: Path) -> None:
    pack = tmp_path / "policies" / "mine"
    pack.mkdir(parents=True)
    for name in ("pack.yaml", "good.yaml", "$(touch evil).yaml", "`touch evil`.yaml", "a b.yaml", "Bad.yaml"):
        (pack / name).write_text("x")
    assert completed("fiel show ", tmp_path, tmp_path / "bin") == sorted(["mine.good", "--help", "--policies"])
    assert not (tmp_path / "evil").exists()


def test_a_file_with_a_space_is_one_word(tmp_path: Path) -> None:
    (tmp_path / "my facts.json").write_text("{}")
    assert completed("fiel judge --facts my", tmp_path, tmp_path / "bin") == ["my facts.json"]


TERMINALS = {
    "bash": (
        ["--norc", "--noprofile", "-i"],
        'PS1="> "; bind "set enable-bracketed-paste off"; eval "$(fiel completion bash)"\n',
    ),
    "zsh": (
        ["-f", "-i"],
        'PS1="> "; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; eval "$(fiel completion zsh)"\n',
    ),
}
"""How each shell is started without anybody's settings, and what makes it complete. (Fish is asked, see below.)"""

TYPED = {
    "fiel ju": "fiel judge",
    "fiel show prose.sent": "fiel show prose.sentence_length",
    "fiel judge --fac": "fiel judge --facts",
    "fiel judge --format js": "fiel judge --format json",
    "fiel judge --pack pro": "fiel judge --pack prose",
    "fiel judge --policy=prose.sent": "fiel judge --policy=prose.sentence_length",
    "fiel judge --facts REA": "fiel judge --facts README.md",
    "fiel check poli": "fiel check policies/",
    "fiel completion z": "fiel completion zsh",
}
"""What is typed before the key, and what then stands there."""


@pytest.mark.parametrize("shell", TERMINALS)
def test_a_key_completes_on_a_real_terminal(shell: str, tmp_path: Path) -> None:
    program = shell_of(shell)
    console = Console(ROOT, tmp_path / "bin")
    arguments, rc = TERMINALS[shell]
    (tmp_path / "rc").write_text(rc)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execve(program, [shell, *arguments], {**console.env, "TERM": "dumb", "HOME": str(tmp_path)})
    try:
        os.write(terminal, f". {tmp_path / 'rc'}; echo rea''dy\n".encode())
        assert "ready" in seen(terminal, "ready\r\n")
        for typed, wanted in TYPED.items():
            os.write(terminal, f"{typed}\t".encode())
            shown = seen(terminal, wanted)
            assert wanted in shown, (typed, shown)
            os.write(terminal, b"\x15")
    finally:
        os.write(terminal, b"\x15exit\n")
        seen(terminal, "\0", 5)
        os.close(terminal)
        os.waitpid(pid, 0)


def asked_of_fish(line: str, tmp_path: Path, folder: Path = ROOT) -> list[str]:
    """What fish offers at the end of a line."""
    program = shell_of("fish")
    console = Console(folder, tmp_path / "bin")
    code = f"fiel completion fish | source; complete -C {line!r}"
    env = {**console.env, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(
        [program, "--no-config", "-c", code], cwd=folder, env=env, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return sorted(each.split("\t")[0] for each in done.stdout.splitlines())


@pytest.mark.parametrize("typed", TYPED)
def test_fish_offers_what_the_other_shells_write(typed: str, tmp_path: Path) -> None:
    assert asked_of_fish(typed, tmp_path) == [TYPED[typed].split(" ")[-1]]


def test_fish_offers_commands_choices_and_options(tmp_path: Path) -> None:
    assert asked_of_fish("fiel ", tmp_path) == COMMANDS
    assert asked_of_fish("fiel --", tmp_path) == ["--help", "--version"]
    assert asked_of_fish("fiel judge --format ", tmp_path) == ["github", "html", "json", "junit", "sarif", "text"]
    assert {"--facts", "--as-of", "--receipt"} <= set(asked_of_fish("fiel judge --", tmp_path))
    assert {"permits", "prose"} <= set(asked_of_fish("fiel judge --pack ", tmp_path))


def test_fish_runs_nothing_that_a_file_is_called(tmp_path: Path) -> None:
    pack = tmp_path / "policies" / "mine"
    pack.mkdir(parents=True)
    for name in ("pack.yaml", "good.yaml", "(touch evil).yaml", "$(touch evil).yaml", "a b.yaml"):
        (pack / name).write_text("x")
    assert asked_of_fish("fiel show ", tmp_path, tmp_path) == ["mine.good"]
    assert not (tmp_path / "evil").exists()


def seen(terminal: int, wanted: str, seconds: float = 60) -> str:
    """What the terminal shows, up to `wanted` or for some seconds."""
    text, end = "", time.monotonic() + seconds
    while wanted not in text and time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            try:
                text += os.read(terminal, 65536).decode("utf-8", "replace")
            except OSError:
                break
    return text


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_reads_its_script(shell: str, tmp_path: Path) -> None:
    program = shell_of(shell)
    path = tmp_path / "script"
    path.write_text(script(shell, SUBPARSERS), encoding="utf-8")
    check = [program, "--no-execute", str(path)] if shell == "fish" else [program, "-n", str(path)]
    done = subprocess.run(check, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_each_script_names_every_command(shell: str) -> None:
    text = script(shell, SUBPARSERS)
    assert [command for command in COMMANDS if not re.search(rf"\b{command}\b", text)] == []


def test_without_a_shell_there_is_a_reason(cli: Cli) -> None:
    done = cli("completion")
    assert done.returncode == 2
    assert "no-shell" in done.stderr
    assert cli("completion", "tcsh").returncode == 2
