# Sourced by the other scripts: makes .venv if it is not there or no longer fits, and says so.
#
# PYTHON names the interpreter to make it with (default: python3). The stamp holds what the
# environment was made from, so an unchanged checkout goes straight on.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2

say() { printf 'genconform: %s\n' "$*" >&2; }

give_up() {
  say "$1"
  exit 2
}

make_environment() {
  local python=${PYTHON:-python3}
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    give_up "needs Python 3.11 or newer as '$python'. Install it, or name one with PYTHON=/path/to/python."
  say "making .venv with $("$python" --version); this takes a few minutes, once"
  "$python" -m venv --clear .venv ||
    give_up "'$python -m venv' failed. Debian and Ubuntu have it in the package python3-venv."
  say "installing what constraints.txt pins (torch and transformers are the large ones)"
  .venv/bin/python -m pip install --quiet --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable '.[probe,lean,attest,docs,dev]' ||
    give_up "the installation failed; what pip said stands above. Run this again once that is mended."
  printf '%s\n' "$1" >.venv/genconform-stamp
  say "the environment is ready"
}

stamp=$(cat pyproject.toml constraints.txt | sha256sum)
if [ ! -x .venv/bin/genconform ] || [ "$(cat .venv/genconform-stamp 2>/dev/null)" != "$stamp" ]; then
  make_environment "$stamp"
fi
