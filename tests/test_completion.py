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


def test_a_key_completes_on_a_real_terminal(tmp_path: Path) -> None:
    console = Console(ROOT, tmp_path / "bin")
    (tmp_path / "rc").write_text('PS1="> "; bind "set enable-bracketed-paste off"; eval "$(fiel completion bash)"\n')
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        shell = shutil.which("bash") or "bash"
        os.execve(shell, ["bash", "--norc", "--noprofile", "--rcfile", str(tmp_path / "rc"), "-i"], dict(console.env))
    try:
        os.write(terminal, f". {tmp_path / 'rc'}; echo rea''dy\n".encode())
        assert "ready" in seen(terminal, "ready\r\n")
        os.write(terminal, b"fiel show prose.sent\t")
        assert "fiel show prose.sentence_length" in seen(terminal, "sentence_length")
    finally:
        os.write(terminal, b"\x15exit\n")
        seen(terminal, "\0", 5)
        os.close(terminal)
        os.waitpid(pid, 0)


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
