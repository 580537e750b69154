"""Build wheel and sdist twice from copies of the tree, and compare them byte for byte.

python release/reproducible.py DIRECTORY     leaves the distributions in DIRECTORY
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).parent.parent
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "venv", "node_modules", "dist", "build", "__pycache__", ".*_cache"
)
EPOCH = "1577836800"  # 2020-01-01: a zip holds no year before 1980


def _built(where: Path, out: Path) -> dict[str, str]:
    shutil.copytree(ROOT, where, ignore=NOT_COPIED)
    environ = {**os.environ, "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", EPOCH)}
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(where)]
    subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())
    }


def main() -> int:
    """Run as the module's docstring says."""
    out = Path(sys.argv[1])
    if out.exists() and any(out.iterdir()):
        sys.exit(f"{out} is not empty")
    with tempfile.TemporaryDirectory() as scratch:
        first = _built(Path(scratch, "one"), out)
        second = _built(Path(scratch, "elsewhere", "two"), Path(scratch, "out"))
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
