#!/usr/bin/env bash
# Runs the suites of all client packages, each through its own verify.sh, and sums them up. `mvn verify` calls it; by hand:
#   GATEWAY_JAR=$PWD/target/inference-gateway.jar clients/verify.sh
#
#   clients/verify.sh run       runs them one after another; a failure does not keep the others from running
#   clients/verify.sh report    says what ran and what did not; fails if one failed
#   clients/verify.sh           both
#
#   GATEWAY_JAR  the gateway's jar, for `run`
#   WORK         where results and what the suites make are kept (default target/clients)
#   CLIENTS      "required": a suite that could not run counts as failed
#   SKIPPED      "true": nothing is run, and the report says so
#
# Written for bash 3.2 as well, which macOS has.
set -euo pipefail

clients=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=${WORK:-$clients/../target/clients}
languages=(java python node)
skipped=${SKIPPED:-false}
could_not_run=75

# One file a suite: its exit code, its seconds, its last line.
run() {
  : "${GATEWAY_JAR:?names the jar of the gateway}"
  mkdir -p "$work"
  rm -f "$work/summary.txt"
  local language
  for language in "${languages[@]}"; do
    rm -f "$work/$language.result"
  done
  for language in "${languages[@]}"; do
    run_one "$language"
  done
}

run_one() {
  local language=$1 code=0 begun=$SECONDS last
  echo
  echo "---- client package: $language ----"
  # Errors are shown; of the output, which is shown as well, the last line counts.
  WORK=$work/$language "$clients/$language/verify.sh" | tee "$work/$language.out" || code=${PIPESTATUS[0]}
  last=$(awk 'NF {line = $0} END {print line}' "$work/$language.out")
  printf '%s\n%s\n%s\n' "$code" "$((SECONDS - begun))" "${last#"$language": }" >"$work/$language.result"
  line_of "$language"
}

# "python  passed   123 tests passed, ... (80 s)"
line_of() {
  local language=$1 code seconds last
  if [ ! -f "$work/$language.result" ]; then
    printf '  %-7s %-8s %s\n' "$language" "NOT RUN" "the build ended before"
    return
  fi
  { read -r code; read -r seconds; read -r last || true; } <"$work/$language.result"
  case $code in
    0) printf '  %-7s %-8s %s (%s s)\n' "$language" "passed" "$last" "$seconds" ;;
    "$could_not_run") printf '  %-7s %-8s %s\n' "$language" "NOT RUN" "$last" ;;
    *) printf '  %-7s %-8s %s\n' "$language" "FAILED" "${last:-no word of why} (exit code $code after $seconds s; more above, and in $work/$language.out)" ;;
  esac
}

report() {
  local language code failed=0
  echo
  echo "Client packages:"
  if [ "$skipped" = true ]; then
    echo "  NOT RUN: skipped by -DskipTests, -Dtest or -DskipClients"
    return
  fi
  for language in "${languages[@]}"; do
    line_of "$language"
    code=$could_not_run
    [ ! -f "$work/$language.result" ] || read -r code <"$work/$language.result"
    if [ "$code" -eq "$could_not_run" ]; then
      [ "${CLIENTS:-}" != required ] || failed=1
    elif [ "$code" -ne 0 ]; then
      failed=1
    fi
  done
  if [ "$failed" -ne 0 ]; then
    echo "  => failed${CLIENTS:+ (CLIENTS=$CLIENTS)}"
  fi
  return "$failed"
}

# Shown and kept: .ci/run shows it once more, below Maven's own words.
kept_report() {
  mkdir -p "$work"
  report | tee "$work/summary.txt"
}

case ${1:-both} in
  run) [ "$skipped" = true ] || run ;;
  report) kept_report ;;
  both)
    [ "$skipped" = true ] || run
    kept_report
    ;;
  *)
    echo "usage: clients/verify.sh [run|report]" >&2
    exit 2
    ;;
esac
