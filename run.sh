#!/usr/bin/env bash
# Everything a user or developer does with this project. `./run.sh` alone lists it.
# Written for bash 3.2 too, which macOS has: there an empty array counts as unset.
# Commands are functions of their name; `test` hides the builtin, so conditions are written with `[`.
set -euo pipefail
unset CDPATH
CALLED_FROM=$PWD
SCRIPT=${BASH_SOURCE[0]}
# Called through a link, the project is where the link leads to.
while [ -L "$SCRIPT" ]; do
  target=$(readlink "$SCRIPT")
  case "$target" in
    /*) SCRIPT=$target ;;
    *) SCRIPT=$(dirname "$SCRIPT")/$target ;;
  esac
done
cd "$(dirname "$SCRIPT")"
ROOT=$PWD
SCRIPT=$ROOT/$(basename "$SCRIPT")

VENV=$ROOT/.venv
PYTHON=$VENV/bin/python
# Tools that run for real, as command:Debian-package.
TEST_TOOLS="newsboat:newsboat chromium:chromium xmllint:libxml2-utils gpo:gpodder"
NODE_FOLDER=$ROOT/tests/node
BENCH_TOOLS="wrk:wrk"

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

find_python() {
  local candidate
  for candidate in python3.11 python3.12 python3.13 python3; do
    if command -v "$candidate" >/dev/null &&
      "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s' "$candidate"
      return
    fi
  done
  die "Python 3.11 or newer is needed and was not found; install it and run this again."
}

# Makes .venv, over one that is not whole. What was begun is removed when it fails or is interrupted.
make_venv() {
  local python package
  python=$(find_python)
  if ! "$python" -c 'import ensurepip' 2>/dev/null; then
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    die "$python can't make virtual environments; on Debian and Ubuntu: apt-get install $package"
  fi
  say "Setting up Python packages in $VENV (once) ..."
  trap 'rm -rf "$VENV"' EXIT
  "$python" -m venv --clear "$VENV" || die "Could not make $VENV; see Python's message above."
  trap - EXIT
}

# Installs a requirements file into .venv, once for each content of the requirements files and each Python.
install_python() {
  local file=$1 stamp=""
  if [ -x "$PYTHON" ]; then
    stamp=$(requirements_stamp)
    if [ -e "$VENV/.installed-$file" ] && [ "$(cat "$VENV/.installed-$file")" = "$stamp" ]; then return; fi
  fi
  if [ -e "$VENV" ]; then
    [ -w "$VENV" ] || die "$VENV can't be written by you; remove it and run this again."
  else
    [ -w "$ROOT" ] || die "$ROOT can't be written by you, and .venv is made there; run this in a copy of your own."
  fi
  if ! "$PYTHON" -m pip --version >/dev/null 2>&1; then make_venv; fi
  "$PYTHON" -m pip install --quiet --disable-pip-version-check -r "$file" ||
    die "Could not install the packages of $file; see pip's message above, mend it and run this again."
  requirements_stamp >"$VENV/.installed-$file"
}

requirements_stamp() {
  { cat requirements*.txt && "$PYTHON" -V; } | cksum
}

# Installs the given tools that are missing, where apt-get and the right to use it are there.
install_tools() { # command:package ...
  local missing="" pair
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair##*:}"
  done
  if [ -z "$missing" ]; then return; fi
  command -v apt-get >/dev/null || die "Please install:$missing"
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || die "Please install, as root: apt-get install$missing"
  say "Installing$missing (once) ..."
  # Package names have no spaces: $missing is meant to fall apart.
  # shellcheck disable=SC2086
  { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing; } \
    >/dev/null || die "Could not install$missing; install them by hand and run this again."
}

# Makes `node` and `npm` those of the system, or else of .venv.
find_node() {
  if command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null; then
    return
  fi
  install_python requirements-node.txt
  export PATH=$VENV/bin:$PATH
}

# Installs the tests' Node packages beside their list, once for each content of its lock file and each Node.
install_node() {
  local installed=$NODE_FOLDER/node_modules/.installed stamp
  find_node
  stamp=$({ cat "$NODE_FOLDER/package-lock.json" && node --version; } | cksum)
  if [ -e "$installed" ] && [ "$(cat "$installed")" = "$stamp" ]; then return; fi
  say "Installing the tests' Node packages in $NODE_FOLDER (once) ..."
  (cd "$NODE_FOLDER" && npm ci --silent --ignore-scripts --no-audit --no-fund) ||
    die "Could not install the packages of $NODE_FOLDER; see npm's message above, mend it and run this again."
  printf '%s\n' "$stamp" >"$installed"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Runs a module where the caller stands, so that relative paths on the command line mean what they say;
# files there are no modules, though (-P).
run_from_caller() {
  cd "$CALLED_FROM"
  PYTHONPATH=$ROOT exec "$PYTHON" -P -m "$@"
}

demo() { # [FOLDER ...]  the whole product against the local Telegram server: no account needed
  install_python requirements.txt
  run_from_caller demo "$@"
}

login() { # [--phone|--qr]  logs the bridge in to your Telegram account
  install_python requirements.txt
  exec "$PYTHON" -m telegram.login "$@"
}

serve() { # serves your account; settings come from the environment and .env
  install_python requirements.txt
  exec "$PYTHON" api_server.py "$@"
}

test() { # [pytest arguments]  all tests
  install_python requirements-dev.txt
  # shellcheck disable=SC2086
  install_tools $TEST_TOOLS
  install_node
  if [ $# -gt 0 ]; then "$PYTHON" -m pytest "$@"; return; fi
  # Everything takes minutes, mostly of waiting, so it runs side by side.
  local code=0
  "$PYTHON" -m pytest --numprocesses 3 --max-worker-restart 0 --dist loadfile --no-loadscope-reorder || code=$?
  [ "$code" -eq 1 ] || return "$code"
  # Many of them measure time, which a crowd on a small machine distorts: what failed has to pass by itself.
  say "Once more, one by one, what failed in the crowd:"
  "$PYTHON" -m pytest --last-failed --last-failed-no-failures none
}

check() { # ruff and mypy
  install_python requirements-dev.txt
  "$PYTHON" -m ruff format --check .
  "$PYTHON" -m ruff check .
  "$PYTHON" -m mypy .
}

bench() { # [--json FILE]  measures and prints the performance table
  install_python requirements-dev.txt
  # shellcheck disable=SC2086
  install_tools $BENCH_TOOLS
  run_from_caller bench "$@"
}

clean() { # removes what the other commands made here; your data/ and .env stay
  rm -rf "$VENV" "$NODE_FOLDER/node_modules" .pytest_cache .mypy_cache .ruff_cache .hypothesis
  find . -name __pycache__ -type d -prune -exec rm -rf {} +
}

usage() {
  say "Usage: ./run.sh COMMAND"
  sed -n 's/^\([a-z]*\)() { # \(.*\)$/  \1  \2/p' "$SCRIPT" >&2
}

case "${1:-}" in
  demo | login | serve | test | check | bench | clean) "$@" ;;
  "" | help | -h | --help) usage ;;
  *) say "Unknown command: $1"; usage; exit 2 ;;
esac
