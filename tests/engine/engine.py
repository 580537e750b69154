"""Starts a Virtuoso on loopback, loads it, stops it. Needs `virtuoso-t` and `isql-vt` on the PATH.

    python -m tests.engine.engine

starts one with the records of the tests, prints its base address and serves until interrupted.
"""

from __future__ import annotations

import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from string import Template

__all__ = ["missing", "running"]

PROGRAMS = ("virtuoso-t", "isql-vt")
TEMPLATE = Path(__file__).with_name("virtuoso.ini.template")
START_WITHIN = 60.0
STOP_WITHIN = 20.0


def missing() -> str | None:
    """Return which program this machine lacks, or None."""
    lacking = [program for program in PROGRAMS if shutil.which(program) is None]
    return f"{' and '.join(lacking)} not installed (virtuoso-opensource-7-bin)" if lacking else None


@contextmanager
def running(folder: Path, graphs: Mapping[str, str], *, text_index: bool = True) -> Iterator[str]:
    """Serve `graphs` (name to Turtle) from a new `folder`; yield the address before `/sparql`.

    Without `text_index` every text search finds nothing, with HTTP 200. The folder goes at the end.
    """
    http_port, sql_port = _free_ports(2)
    (folder / "www").mkdir(parents=True)
    settings = folder / "virtuoso.ini"
    template = Template(TEMPLATE.read_text(encoding="utf-8"))
    settings.write_text(
        template.substitute(folder=folder, http_port=http_port, sql_port=sql_port), encoding="utf-8"
    )
    command = ["virtuoso-t", "+foreground", "+configfile", str(settings)]
    password = secrets.token_hex(10)
    # Makes the database, changes the password, exits: it never listens under the default one.
    _run([*command, "+pwdold", "dba", "+pwddba", password], folder)
    with (folder / "server.out").open("wb") as output:
        server = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
    try:
        base = f"http://127.0.0.1:{http_port}"
        _wait_until_listening(server, base)
        script = folder / "load.sql"
        script.write_text(_load_script(folder, graphs, text_index), encoding="utf-8")
        options = ("ERRORS=STDOUT", "VERBOSE=OFF", "PROMPT=OFF", "BANNER=OFF")
        said = _run(["isql-vt", f"127.0.0.1:{sql_port}", "dba", password, *options, script], folder)
        if "***" in said:
            raise RuntimeError(f"the records could not be loaded: {said[:400]}")
        yield base
    finally:
        server.terminate()
        try:
            server.wait(STOP_WITHIN)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _load_script(folder: Path, graphs: Mapping[str, str], text_index: bool) -> str:
    lines = ["DB.DBA.RDF_OBJ_FT_RULE_ADD (null, null, 'All');"] if text_index else []
    for number, (name, turtle) in enumerate(graphs.items()):
        file = folder / f"{number}.ttl"
        file.write_text(turtle, encoding="utf-8")
        lines.append(f"DB.DBA.TTLP_MT (file_to_string_output ('{file}'), '', '{name}', 0);")
    if text_index:
        lines.append("DB.DBA.VT_INC_INDEX_DB_DBA_RDF_OBJ ();")
    return "\n".join([*lines, "checkpoint;", ""])


def _wait_until_listening(server: subprocess.Popen[bytes], base: str) -> None:
    deadline = time.monotonic() + START_WITHIN
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{base}/sparql?query=ASK%7B%7D", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            try:
                server.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            raise RuntimeError(f"the engine ended with status {server.returncode}") from None
    raise RuntimeError("the engine did not listen in time")


def _run(command: list[str | Path], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=START_WITHIN, check=False
    )
    return done.stdout


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _serve() -> None:
    from tests.engine.records import graphs

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with (
        tempfile.TemporaryDirectory(prefix="mcp-books-engine-") as folder,
        running(Path(folder) / "engine", graphs()) as base,
        suppress(KeyboardInterrupt),
    ):
        sys.stdout.write(f"{base}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    _serve()
