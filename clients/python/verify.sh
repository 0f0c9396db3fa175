#!/usr/bin/env bash
# Checks the Python client: format, lint, types, tests against a real gateway, packages, their installation.
#
#   GATEWAY_JAR  the gateway's jar (required)
#   WORK         folder for all that is made here; what fits is used again (default: target/suites/python)
#   PYTHON       the interpreter, 3.9 or newer (default: python3)
#
# Exit: 0 all passed, 1 a check failed, 75 it could not run here; the last line of standard output says why.
set -uo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=${WORK:-$home/../../target/suites/python}
python=${PYTHON:-python3}

cannot() { echo "python: could not run here: $*"; exit 75; }
failed() { echo "python: failed: $*"; exit 1; }

[ -f "${GATEWAY_JAR:-}" ] || cannot "GATEWAY_JAR names no file"
command -v java >/dev/null || cannot "there is no java"
command -v openssl >/dev/null || cannot "there is no openssl, which makes the tests' certificates"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || cannot "$python is no Python 3.9 or newer"
"$python" -c 'import venv, ensurepip' 2>/dev/null || cannot "$python has no venv module"
GATEWAY_JAR=$(realpath "$GATEWAY_JAR")
export GATEWAY_JAR PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PYTHONDONTWRITEBYTECODE=1
mkdir -p "$work" && work=$(cd "$work" && pwd) || cannot "cannot make $work"
cd "$home"

version=$("$python" -c 'import platform; print(platform.python_version())')
stamp="$version $(cat requirements-dev.txt)"
if [ "$(cat "$work/dev/stamp" 2>/dev/null)" != "$stamp" ]; then
  echo "python: making the environment for the checks"
  rm -rf "$work/dev"
  "$python" -m venv "$work/dev" || cannot "no environment can be made with $python"
  "$work/dev/bin/pip" install -q -r requirements-dev.txt || cannot "the packages of requirements-dev.txt cannot be had"
  printf %s "$stamp" > "$work/dev/stamp"
fi
dev=$work/dev/bin

echo "python: packages"
rm -rf "$work/dist" "$work/sdist" "$work/installed"
"$dev/python" -m build -q --no-isolation --sdist --outdir "$work/dist" . || failed "sdist"
mkdir -p "$work/sdist" && tar -xzf "$work"/dist/*.tar.gz -C "$work/sdist" --strip-components 1 || failed "sdist"
"$dev/python" -m build -q --no-isolation --wheel --outdir "$work/dist" "$work/sdist" || failed "wheel out of the sdist"
"$dev/pip" install -q --no-deps --no-build-isolation -e . || failed "installation of the checkout"

rm -rf "$work/straight" && "$dev/pip" wheel -q --no-deps --no-build-isolation -w "$work/straight" . || failed "wheel out of the checkout"
"$dev/python" -c 'import sys, zipfile; sys.exit(not any(n.endswith("licenses/LICENSE") for n in zipfile.ZipFile(sys.argv[1]).namelist()))' \
  "$work"/straight/*.whl || failed "the wheel out of the checkout has no licence"
grep -q "^License-File: LICENSE" "$work/sdist/PKG-INFO" || failed "the sdist names no licence"

echo "python: format, lint, types"
"$dev/ruff" format --check --cache-dir "$work/ruff" . || failed "format: run ruff format"
"$dev/ruff" check --cache-dir "$work/ruff" . || failed "lint"
typed=
if "$dev/python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
  typed=" and typed" # the type checker and its stubs for grpcio need 3.10
  "$dev/mypy" --cache-dir "$work/mypy" || failed "types"
  rm -rf "$work/snippets"
  "$dev/python" tests/snippets.py "$work/snippets" || failed "the snippets of the READMEs"
  "$dev/mypy" --cache-dir "$work/mypy" --strict "$work"/snippets/*.py || failed "the types of the READMEs' snippets"
fi

echo "python: installation in empty environments"
pythons=
for package in "$work"/dist/*.whl "$work"/dist/*.tar.gz; do
  empty=$work/installed/${package##*.}
  "$python" -m venv "$empty" || failed "no empty environment"
  "$empty/bin/pip" install -q "$package" || failed "installation of $package"
  "$empty/bin/python" tests/installed_package.py || failed "$package is not whole"
  if [ -n "$typed" ]; then
    (cd "$empty" && "$dev/mypy" --strict --no-incremental --config-file /dev/null --python-executable bin/python "$home"/examples "$home"/tests/{installed_package,everything_imported}.py) ||
      failed "the types of $package, seen from outside"
  fi
  pythons=$pythons${pythons:+:}$empty/bin/python
done

echo "python: tests"
EXAMPLES_PYTHONS=$pythons "$dev/python" -m pytest -q -o cache_dir="$work/pytest" --basetemp "$work/tmp" 2>&1 | tee "$work/tests.log"
[ "${PIPESTATUS[0]}" -eq 0 ] || failed "tests"
count=$(grep -oE '[0-9]+ passed' "$work/tests.log" | tail -1)
echo "python: ${count% passed} tests passed, wheel and sdist installed$typed (Python $version)"
