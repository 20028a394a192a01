"""The hooks for pre-commit and the GitHub Action: what they would run is run, in a repository of its own."""

from __future__ import annotations

import os
import re
import shutil
import site
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import ROOT
from .consoles import Console
from .test_wheel import tracked

HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
EXPRESSION = re.compile(r"\$\{\{\s*([^}]+?)\s*\}\}")
FACTS = "facts/permits/flights.json"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A user's repository: the shipped packs, in git, and sample facts."""
    folder = tmp_path / "their repository"
    for name in ("policies", "facts"):
        shutil.copytree(ROOT / name, folder / name)
    commit = ["git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "x"]
    for command in (["git", "init", "-q"], ["git", "add", "."], commit):
        subprocess.run(command, cwd=folder, check=True)
    return folder


# ---- pre-commit


def hook(name: str, repository: Path) -> tuple[int, str]:
    """As pre-commit runs it: the entry, its `args`, no file names; a changed file makes it fail."""
    one = HOOKS[name]
    assert (one["language"], one["pass_filenames"]) == ("python", False)
    console = Console(repository, repository.parent / "bin")
    printed = console.run(" ".join([one["entry"], *one.get("args", [])]))
    changed = subprocess.run(["git", "diff", "--quiet"], cwd=repository).returncode
    return console.status or changed, printed


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_a_hook_passes_where_all_is_well(name: str, repository: Path) -> None:
    code, printed = hook(name, repository)
    assert code == 0, printed


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("fiel-check", "must: words <= max_words", "must: wrods <= max_words"),
        ("fiel-test", "{words: 31, expect: fail}", "{words: 31, expect: pass}"),
        ("fiel-fmt", "for: sentence", 'for:   "sentence"'),
    ],
)
def test_a_hook_fails_where_something_is_wrong(name: str, before: str, after: str, repository: Path) -> None:
    path = repository / "policies/prose/sentence_length.yaml"
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")
    subprocess.run(["git", "add", "."], cwd=repository, check=True)
    code, printed = hook(name, repository)
    assert code != 0
    assert "sentence_length" in printed


def test_the_hooks_are_asked_for_every_file_of_a_pack() -> None:
    assert sorted(HOOKS) == ["fiel-check", "fiel-fmt", "fiel-test"]
    for one in HOOKS.values():
        assert re.search(one["files"], "policies/prose/sentence_length.yaml")
        assert re.search(one["files"], "policies/prose/views.sql")
        assert not re.search(one["files"], "README.md")


# ---- the action


@dataclass
class Runner:
    """What a runner of GitHub does with a composite action, as far as this one goes: inputs, `if`, `env`, `run`."""

    repository: Path
    home: Path
    checkout: Path
    installed: bool = False
    """Whether the step that installs Fiel was run in this home already, and succeeded."""

    def run(self, **given: str) -> tuple[int, str, dict[str, str]]:
        """The exit code of the first step that fails, all that was printed, and the outputs of steps."""
        inputs = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}
        output = self.home / "output"
        output.write_text("")
        printed = ""
        for step in ACTION["runs"]["steps"][1 if self.installed else 0 :]:
            if step.get("if", "") == "inputs.facts != ''" and not inputs["facts"]:
                continue
            assert step["shell"] == "bash"
            assert not EXPRESSION.search(step["run"]), "an input in a script is a script"
            env = {name: self._filled(value, inputs) for name, value in step.get("env", {}).items()}
            # GitHub's own way to run `shell: bash`.
            script = self.home / "step.sh"
            script.write_text(step["run"], "utf-8")
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
                cwd=self.repository,
                env={**self.environment(), **env, "GITHUB_OUTPUT": str(output)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
            )
            printed += done.stdout
            if done.returncode:
                return done.returncode, printed, self._outputs(output)
        return 0, printed, self._outputs(output)

    def _filled(self, value: str, inputs: Mapping[str, str]) -> str:
        known = {"github.action_path": str(self.checkout), **{f"inputs.{n}": v for n, v in inputs.items()}}
        return EXPRESSION.sub(lambda found: known[found[1]], value)

    def environment(self) -> dict[str, str]:
        """No network: what Fiel needs is lent from this interpreter, and pip builds with what is there."""
        lent = os.pathsep.join(site.getsitepackages())
        pip = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
        return {
            **os.environ,
            **pip,
            "PYTHONPATH": lent,
            "RUNNER_TEMP": str(self.home),
            "FIEL_CACHE": str(self.home / "c"),
        }

    @staticmethod
    def _outputs(path: Path) -> dict[str, str]:
        pairs = (line.partition("=") for line in path.read_text("utf-8").splitlines())
        return {name: value for name, _, value in pairs}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The action's own checkout: a clean export."""
    export = tmp_path_factory.mktemp("checkout of fiel")
    for name in tracked():
        (export / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, export / name)
    return export


@pytest.fixture
def runner(repository: Path, checkout: Path, tmp_path: Path) -> Runner:
    return Runner(repository, tmp_path, checkout)


@pytest.fixture(scope="module")
def home(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a runner in which the first step has installed Fiel; what follows can be run there many times."""
    home = tmp_path_factory.mktemp("home of a runner")
    nowhere = Runner(tmp_path_factory.mktemp("no packs"), home, checkout)
    code, printed, _ = nowhere.run(policies="nowhere", python=sys.executable)
    assert (ACTION["runs"]["steps"][0]["name"], code) == ("Install Fiel", 2), printed
    assert (home / "fiel" / "bin" / "fiel").exists(), printed
    return home


@pytest.fixture
def installed(repository: Path, checkout: Path, home: Path) -> Runner:
    return Runner(repository, home, checkout, installed=True)


def test_the_action_checks_tests_and_judges(runner: Runner) -> None:
    code, printed, outputs = runner.run(facts=FACTS, python=sys.executable)
    assert code == 1, printed
    assert outputs == {"exit-code": "1", "sarif": "fiel.sarif"}
    assert "0 problems" in printed
    assert "0 not as expected" in printed
    assert "::error" in printed
    assert '"version":' in (runner.repository / "fiel.sarif").read_text("utf-8")


def test_the_action_fails_on_a_broken_policy_and_a_wrong_case(installed: Runner) -> None:
    path = installed.repository / "policies/prose/sentence_length.yaml"
    text = path.read_text("utf-8")
    path.write_text(text.replace("must: words", "must: wrods"), "utf-8")
    code, printed, _ = installed.run()
    assert code == 1
    assert "unknown-column" in printed
    path.write_text(text.replace("{words: 31, expect: fail}", "{words: 31, expect: pass}"), "utf-8")
    code, printed, _ = installed.run()
    assert code == 1
    assert "1 not as expected" in printed


HOSTILE = ['"; touch evil; "', "$(touch evil)", "`touch evil`", "x\n; touch evil", "' ; touch evil #", "--help"]


@pytest.mark.parametrize("hostile", HOSTILE[:1])
def test_no_input_of_the_action_is_run(hostile: str, installed: Runner, runner: Runner) -> None:
    """The others under `tests/deep`."""
    code, printed, _ = installed.run(policies=hostile)
    assert code == 2, printed
    code, printed, outputs = installed.run(facts=hostile, as_of=hostile, sarif=hostile)
    assert code == 2, printed
    assert "sarif" not in outputs
    code, _, _ = runner.run(python=hostile)
    assert code != 0
    for folder in (installed.repository, installed.home, runner.home):
        assert not list(folder.rglob("evil"))
