"""Build wheel and sdist twice from copies of the tree, and compare them byte for byte.

In a git repository the copies hold what git tracks, as it is now.

python release/reproducible.py DIRECTORY     leaves the distributions in DIRECTORY
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).parent.parent
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "venv", "node_modules", "dist", "build", "__pycache__", ".*_cache"
)
EPOCH = "1577836800"  # 2020-01-01: a zip holds no year before 1980


def _built(where: Path, out: Path) -> dict[str, str]:
    _copy(where)
    environ = {**os.environ, "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", EPOCH)}
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(where)]
    subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())
    }


def _copy(where: Path) -> None:
    if not (ROOT / ".git").exists():
        shutil.copytree(ROOT, where, ignore=NOT_COPIED)
        return
    for name in filter(None, _git("ls-files", "-z").split("\0")):
        if (ROOT / name).is_file():
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, where / name)


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as the module's docstring says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    out: Path = parser.parse_args(arguments).directory
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        parser.error(f"{out} is not an empty directory")
    try:
        with tempfile.TemporaryDirectory() as scratch:
            first = _built(Path(scratch, "one"), out)
            second = _built(Path(scratch, "elsewhere", "two"), Path(scratch, "out"))
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.stderr.write(f"it could not be built: {problem}\n")
        return 1
    if first != second:
        sys.stderr.write(f"not the same twice:\n{first}\n{second}\n")
        return 1
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as held:
        if "mcp_books/py.typed" not in held.namelist():
            sys.stderr.write("py.typed is not in the wheel\n")
            return 1
    sys.stdout.writelines(f"{digest}  {name}\n" for name, digest in first.items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
