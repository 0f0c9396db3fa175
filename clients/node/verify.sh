#!/usr/bin/env bash
# Checks the Node.js client as a whole: format, types, tests against the real gateway, the packed tarball in an empty project.
#
# GATEWAY_JAR  the gateway's jar, absolute (required)
# WORK         folder for all that this makes; default target/suites/node of the repository
#
# Exit code 0: all passed. 1: a check failed. 75: it could not run here, the last line says why.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../.." && pwd)
work=${WORK:-$repo/target/suites/node}
tree=$work/tree
package=$tree/clients/node
project=$work/project

cannot() {
  echo "node: $1"
  exit 75
}

failed() {
  echo "node: $1"
  exit 1
}

# Prints what a step says only when it fails: most of it is noise.
quietly() {
  local what=$1 log=$work/step.log
  shift
  "$@" >"$log" 2>&1 || { cat "$log"; failed "$what"; }
}

# An exit code of npm does not tell a registry that is away from a package that is wrong; its words do.
install() {
  local log=$work/install.log
  npm "$@" --ignore-scripts --no-audit --no-fund --prefer-offline >"$log" 2>&1 && return
  cat "$log"
  grep -qE "EUSAGE|ERESOLVE|EINTEGRITY|EBADENGINE" "$log" && failed "npm $1 found the lock file or a package wrong"
  cannot "npm packages cannot be had here"
}

[ -f "${GATEWAY_JAR:-}" ] || failed "GATEWAY_JAR must be the path of inference-gateway.jar, was '${GATEWAY_JAR:-}'"
for tool in node npm java openssl tar; do
  command -v "$tool" >/dev/null || cannot "$tool is not on the PATH"
done
version=$(node -p process.versions.node)
[ "${version%%.*}" -ge 18 ] || cannot "Node 18 or newer is needed, $version is on the PATH"

# A copy, laid out as the repository, so that nothing is written there.
mkdir -p "$package"
find "$tree" -mindepth 1 -maxdepth 1 ! -name clients -exec rm -rf {} +
find "$tree/clients" -mindepth 1 -maxdepth 1 ! -name node -exec rm -rf {} +
find "$package" -mindepth 1 -maxdepth 1 ! -name node_modules ! -name .installed -exec rm -rf {} +
tar -C "$repo" --exclude=clients/node/node_modules --exclude=clients/node/dist --exclude=clients/node/src/gen \
  --exclude=clients/node/proto --exclude='*.tgz' -cf - LICENSE proto clients/proto clients/node | tar -C "$tree" -xf -
cd "$package"

lock=$(cksum <package-lock.json)
if [ "$(cat .installed 2>/dev/null)" != "$lock" ]; then
  rm -f .installed
  install ci
  echo "$lock" >.installed
fi

! grep -q '"resolved"' package-lock.json || failed "package-lock.json names a registry"
quietly "the format is wrong: npm run format" npm run lint
quietly "it does not build" npm run build
quietly "it cannot be packed" npm pack --ignore-scripts
tarball=$(ls "$package"/*.tgz)
quietly "the package's exports are wrong (publint)" npx --no-install publint --strict "$tarball"
quietly "the package's types are wrong (attw)" npx --no-install attw "$tarball" --profile strict

# An empty project that has nothing but the tarball.
rm -rf "$project"
mkdir -p "$project"
cp -R examples test/consumer "$project"
cd "$project"
npm init -y >/dev/null
install install "$tarball"
for file in README.md README.zh-CN.md LICENSE dist/index.mjs dist/index.d.mts proto/llm.proto; do
  [ -s "node_modules/@inference-gateway/client/$file" ] || failed "$file is not in the tarball"
done
for readme in README.md README.zh-CN.md; do
  for link in $(grep -oE '\]\([^)#:]+\)' "node_modules/@inference-gateway/client/$readme" | tr -d '()]'); do
    [ -e "node_modules/@inference-gateway/client/$link" ] || failed "$readme links $link, which is not in the tarball"
  done
done
tsc=(node "$package/node_modules/typescript/bin/tsc" --strict --exactOptionalPropertyTypes --module nodenext --target es2022
  --lib es2022,esnext.disposable --types node --skipLibCheck false)
quietly "it does not fit tsc --strict from outside" "${tsc[@]}" --noEmit consumer/esm.mts consumer/cjs.cts
quietly "examples/many.ts does not compile" "${tsc[@]}" examples/many.ts
for name in inference-gateway-client @inference-gateway/client; do
  quietly "npx does not find the command" npx --no-install "$name" --version
done

cd "$package"
INSTALLED=$project node --expose-gc --test-reporter=spec --test-reporter-destination=stdout \
  --test-reporter=tap --test-reporter-destination="$work/tests.tap" test/index.mjs || failed "a test failed"
tests=$(sed -n 's/^# pass //p' "$work/tests.tap")
grep -q '^# skipped 0$' "$work/tests.tap" || failed "a test was skipped"
echo "node: $tests tests passed, tarball installed and typed (Node $version)"
