"""A real PostgreSQL for tests: a cluster of its own in a temporary folder, on this machine only."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PASSWORD = "open-sesame"


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server that runs meanwhile. Where there is none to be had, tests are skipped, or fail in CI."""
    programs = _programs()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed")
        pytest.skip("PostgreSQL is not installed")
    # The server refuses to run as root, and who runs it must own its folder.
    owner = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        data, secret = Path(folder, "data"), Path(folder, "secret")
        secret.write_text(PASSWORD, "utf-8")
        if owner is not None:
            for path in (folder, secret):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]

        def run(*words: object) -> None:
            subprocess.run(
                [str(word) for word in words],
                check=True,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                user=owner.pw_uid if owner else None,
                group=owner.pw_gid if owner else None,
                extra_groups=[] if owner else None,
            )

        run(programs / "initdb", "-D", data, "-U", "fiel", "-A", "scram-sha-256", "--pwfile", secret, "--no-sync")
        options = f"-h 127.0.0.1 -p {port} -k {folder} -c fsync=off"
        run(programs / "pg_ctl", "-D", data, "-w", "-l", Path(folder, "log"), "-o", options, "start")
        try:
            yield f"postgresql://fiel:{PASSWORD}@127.0.0.1:{port}/postgres"
        finally:
            run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")


def _programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`. Debian keeps it out of the path."""
    found = shutil.which("initdb")
    if found is not None and shutil.which("psql"):
        return Path(found).parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed and shutil.which("psql") else None
