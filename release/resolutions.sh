#!/usr/bin/env bash
# The suite on the lowest versions that pyproject.toml declares for direct dependencies, or on the newest.
#   release/resolutions.sh lowest-direct [pytest arguments]
#   release/resolutions.sh highest [pytest arguments]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
case ${1-} in
  lowest-direct | highest) resolution=$1 && shift ;;
  *) echo "usage: release/resolutions.sh lowest-direct|highest [pytest arguments]" >&2 && exit 2 ;;
esac
uv=${UV:-uv}
command -v "$uv" >/dev/null || { echo "uv is not installed" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$uv" venv -q --python "${PYTHON:-3.11}" "$work/venv"
"$uv" pip install -q --python "$work/venv" --upgrade --resolution "$resolution" -e '.[test]'
"$uv" pip list --python "$work/venv"
PATH="$work/venv/bin:$PATH" "$work/venv/bin/python" -m pytest "$@"
