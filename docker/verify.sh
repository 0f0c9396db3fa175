#!/usr/bin/env bash
# Checks what deploys the gateway without a cluster: Dockerfile, compose files, systemd unit. The image is built and run without an
# engine: its stages are done by hand as the Dockerfile says, its user, file system and capabilities by bubblewrap.
#
#   GATEWAY_JAR   the gateway's jar (required)
#   WORK          folder for all that is made here; what fits is used again (default: target/docker)
#   PYTHON        the interpreter, 3.9 or newer (default: python3)
#   JDK25         a JDK 25 (default: JAVA_HOME_25_X64, else what is found in /usr/lib/jvm)
#   START_ROUNDS  how often starts are measured (default 1; docs/docker.md has 7)
#
# apt: bubblewrap libseccomp2 openssl python3-venv systemd util-linux
# Exit: 0 all passed, 1 a check failed, 75 something is missing here, 77 it is not possible on this machine; the last line of standard output says why.
set -uo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=${WORK:-$home/../target/docker}
python=${PYTHON:-python3}

cannot() { echo "docker: could not run here: $*"; exit 75; }
# What apt cannot mend.
not_here() { echo "docker: not possible on this machine: $*"; exit 77; }
failed() { echo "docker: failed: $*"; exit 1; }

[ -f "${GATEWAY_JAR:-}" ] || cannot "GATEWAY_JAR names no file"
[ "$(uname -s)" = Linux ] || not_here "bubblewrap needs Linux"
for tool in bwrap setpriv unshare openssl systemd-analyze; do
  command -v "$tool" >/dev/null || cannot "there is no $tool"
done
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || cannot "$python is no Python 3.9 or newer"
"$python" -c 'import venv, ensurepip' 2>/dev/null || cannot "$python has no venv module"
is_25() { [ -x "$1/bin/jlink" ] && grep -q '^JAVA_VERSION="25[.\"]' "$1/release" 2>/dev/null; }
jdk=
for folder in "${JDK25:-}" "${JAVA_HOME_25_X64:-}" "${JAVA_HOME:-}" /usr/lib/jvm/*; do
  if is_25 "$folder"; then jdk=$(realpath "$folder") && break; fi
done
[ -n "$jdk" ] || not_here "there is no JDK 25; JDK25 may name one"

GATEWAY_JAR=$(realpath "$GATEWAY_JAR")
mkdir -p "$work" && work=$(cd "$work" && pwd) || cannot "cannot make $work"
export GATEWAY_JAR JDK25=$jdk PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PYTHONDONTWRITEBYTECODE=1

stamp="$("$python" -c 'import platform; print(platform.python_version())') $(cat "$home/tests/requirements.txt")"
if [ "$(cat "$work/dev/stamp" 2>/dev/null)" != "$stamp" ]; then
  echo "docker: making the environment for the checks"
  rm -rf "$work/dev"
  "$python" -m venv "$work/dev" || cannot "no environment can be made with $python"
  "$work/dev/bin/pip" install -q -r "$home/tests/requirements.txt" || cannot "the packages of requirements.txt cannot be had"
  printf %s "$stamp" >"$work/dev/stamp"
fi

# A file system and a network of its own: a /tmp for the containers as compose.yaml makes it, the image where any user can get to
# it, the image's ports free.
rm -rf "$work/run" && mkdir -p "$work/run/tmp" || cannot "cannot write to $work"
user=()
REALLY_ROOT=true
if [ "$(id -u)" != 0 ]; then
  user=(--map-root-user)
  REALLY_ROOT=false
fi
export REALLY_ROOT
inside() {
  unshare "${user[@]}" --mount --propagation private bash -euc '
    mount --bind "$1" /mnt
    mount -t tmpfs -o size=16m,mode=1777,noexec,nosuid,nodev tmpfs /mnt/tmp
    shift
    exec bwrap --dev-bind / / --unshare-net --die-with-parent "$@"' - "$work/run" "$@"
}
inside true || not_here "no name spaces of its own are given to it"
IMAGE_ROOT=/mnt/image NOEXEC_TMP=/mnt/tmp inside \
  "$work/dev/bin/python" -m pytest -q -p no:cacheprovider --basetemp /mnt/pytest --durations 5 "$home/tests" 2>&1 | tee "$work/tests.log"
passed=${PIPESTATUS[0]}
rm -rf "$work/run"
[ "$passed" -eq 0 ] || failed "tests"
count=$(grep -oE '[0-9]+ passed' "$work/tests.log" | tail -1)
start=$(sed -n 's/^docker: start to SERVING, median of [0-9]*: //p' "$work/tests.log")
echo "docker: ${count% passed} tests passed; start to SERVING: $start"
