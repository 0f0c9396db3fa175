#!/usr/bin/env bash
# Makes what lies beside the jar in the image:
#   native/      Netty's libraries for epoll and TLS, which it would otherwise write to /tmp at each start
#   gateway.aot  the cache of loaded classes that the JVM starts from (JEP 483, 514, 515): the gateway is run in front of its own
#                simulator, calls of each kind are made, it is stopped; then it is seen that the cache is taken
#
#   train.sh JAVA APP    JAVA is the `java` that will run it; in APP, where all will lie, are inference-gateway.jar and
#                        jvm.options. The cache wants the same Java, and the jar in the same place with the same time.
set -euo pipefail
java=$1
app=$2
jar=$app/inference-gateway.jar
work=$(mktemp -d)
running=()
finish() {
  [ "${#running[@]}" -eq 0 ] || { kill -KILL "${running[@]}" && wait "${running[@]}"; } 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

case $(uname -m) in
  x86_64) machine=x86_64 ;;
  aarch64) machine=aarch_64 ;;
  *) echo "no libraries of Netty for $(uname -m)" >&2 && exit 1 ;;
esac
mkdir -p "$app/native"
(cd "$work" && jar --extract --file "$jar" META-INF/native)
cp "$work/META-INF/native/"*"_$machine.so" "$app/native/"

# The time is part of what the cache checks; registries and builders may round or cut it, but keep this one.
touch -d '2000-01-01T00:00:00Z' "$jar"

# The image's flags, but for the cache, which is only about to be made.
grep -v '^-XX:AOTCache=' "$app/jvm.options" >"$work/flags"
gateway() { "$java" "@$work/flags" -jar "$jar" "$@"; }

# await FILE PATTERN: prints what the pattern's group finds in the file; waits a minute for it
await() {
  local found
  for _ in $(seq 600); do
    found=$(sed -nE "s/.*$2.*/\1/p" "$1" | head -n 1)
    [ -z "$found" ] || { echo "$found" && return; }
    sleep 0.1
  done
  cat "$1" >&2
  return 1
}

# Not through the function: in the background that would be a shell around it, and killed instead of it.
"$java" "@$work/flags" -jar "$jar" simulate --port 0 --inter-token 1ms >"$work/simulator" 2>&1 &
running+=($!)
backend=$(await "$work/simulator" '(http:\/\/[0-9.:]+)')

"$java" "@$work/flags" -XX:AOTCacheOutput="$app/gateway.aot" -jar "$jar" serve --backend "$backend/v1" \
  --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 --drain-pause 0s >"$work/serve" 2>&1 &
serve=$!
running+=("$serve")
port=$(await "$work/serve" 'gateway started.* port=([0-9]+)')
await "$work/serve" '(Ready: )' >/dev/null
for _ in 1 2 3; do
  gateway generate --target "127.0.0.1:$port" "Say something" >/dev/null 2>&1
done
gateway health --target "127.0.0.1:$port" >/dev/null
kill -TERM "$serve"
wait "$serve" || { cat "$work/serve" >&2 && exit 1; }

# Fails where the cache is not taken.
"$java" "@$app/jvm.options" -XX:AOTMode=on -jar "$jar" --version
