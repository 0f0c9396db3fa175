#!/usr/bin/env bash
# Builds the Java stubs and runs their example against the gateway.
#   GATEWAY_JAR  the gateway's jar (required)
#   MVN          the Maven to use (default mvn)
#   MVN_SETTINGS, MVN_GLOBAL_SETTINGS, MVN_REPOSITORY, MVN_OFFLINE   what `mvn verify` passes on of its own
# Exit 0: passed. 1: a check failed. 75: it cannot run here. The last line says which.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
: "${GATEWAY_JAR:?names the jar of the gateway}"
export GATEWAY_JAR

mvn=${MVN:-mvn}
if ! command -v "$mvn" >/dev/null; then
  echo "java: there is no $mvn here"
  exit 75
fi
rm -rf example/target/surefire-reports
# Of Maven's words only warnings, and what the tests say.
given=(-B --no-transfer-progress -Dorg.slf4j.simpleLogger.defaultLogLevel=warn)
given+=(-Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.surefire=info)
[ ! -f "${MVN_SETTINGS:-}" ] || given+=(--settings "$MVN_SETTINGS")
[ ! -f "${MVN_GLOBAL_SETTINGS:-}" ] || given+=(--global-settings "$MVN_GLOBAL_SETTINGS")
[ -z "${MVN_REPOSITORY:-}" ] || given+=("-Dmaven.repo.local=$MVN_REPOSITORY")
[ "${MVN_OFFLINE:-}" != offline=true ] || given+=(--offline)
"$mvn" "${given[@]}" -f ../pom.xml verify && code=0 || code=1

echo # Maven ends with escape sequences and no line end
if [ "$code" -ne 0 ]; then
  echo "java: Maven failed"
  exit 1
fi
tests=$(sed -n 's/^Tests run: \([0-9]*\),.*/\1/p' example/target/surefire-reports/*.txt | awk '{n += $1} END {print n + 0}')
echo "java: $tests tests passed; stubs, sources and javadoc are in clients/java/target"
