#!/usr/bin/env bash
# Everything a user or developer does with this project. `./run.sh` alone lists it.
set -euo pipefail
CALLED_FROM=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"
ROOT=$PWD

VENV=$ROOT/.venv
PYTHON=$VENV/bin/python
# Tools that tests and benchmark run for real, as command:Debian-package.
TOOLS=(newsboat:newsboat chromium:chromium xmllint:libxml2-utils wrk:wrk)

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

# Installs a requirements file into .venv, once for each content of the requirements files.
install_python() {
  local file=$1 stamp
  stamp=$(cat requirements*.txt | cksum | tr -d ' ')
  if [ -e "$VENV/.installed-$file" ] && [ "$(cat "$VENV/.installed-$file")" = "$stamp" ]; then return; fi
  if [ ! -x "$PYTHON" ]; then
    say "Setting up Python packages in $VENV (once) ..."
    "$(find_python)" -m venv "$VENV" || die "Could not make $VENV; on Debian: apt-get install python3-venv"
  fi
  "$PYTHON" -m pip install --quiet --disable-pip-version-check -r "$file" ||
    die "Could not install the packages of $file; see pip's message above, mend it and run this again."
  printf '%s' "$stamp" >"$VENV/.installed-$file"
}

# Installs the tools of TOOLS that are missing, where apt-get and the right to use it are there.
install_tools() {
  local missing=() pair
  for pair in "${TOOLS[@]}"; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
  done
  [ ${#missing[@]} -eq 0 ] && return
  command -v apt-get >/dev/null || die "Please install: ${missing[*]}"
  local sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  say "Installing ${missing[*]} (once) ..."
  "${sudo[@]}" apt-get update -qq >/dev/null &&
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null ||
    die "Could not install ${missing[*]}; install them by hand and run this again."
}

# Runs a module where the caller stands, so that relative paths on the command line mean what they say.
run_from_caller() {
  cd "$CALLED_FROM"
  PYTHONPATH=$ROOT exec "$PYTHON" -m "$@"
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
  install_tools
  "$PYTHON" -m pytest "$@"
}

check() { # ruff and mypy
  install_python requirements-dev.txt
  "$PYTHON" -m ruff format --check .
  "$PYTHON" -m ruff check .
  "$PYTHON" -m mypy .
}

bench() { # [--json FILE]  measures and prints the performance table
  install_python requirements-dev.txt
  install_tools
  run_from_caller bench "$@"
}

clean() { # removes what the other commands made here; your data/ and .env stay
  rm -rf "$VENV" .demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
  find . -name __pycache__ -type d -prune -exec rm -rf {} +
}

usage() {
  say "Usage: ./run.sh COMMAND"
  sed -n 's/^\([a-z]*\)() { # \(.*\)$/  \1  \2/p' "${BASH_SOURCE[0]}" >&2
}

case "${1:-}" in
  demo | login | serve | test | check | bench | clean) "$@" ;;
  "" | help | -h | --help) usage ;;
  *) say "Unknown command: $1"; usage; exit 2 ;;
esac
