#!/usr/bin/env bash
# A run of two minutes with two simulated GPUs, one of which is away for a while, and the dashboard drawn from it.
#
#   GATEWAY_JAR=$PWD/target/inference-gateway.jar deploy/grafana/picture/run.sh      # writes docs/pictures/dashboard.png
#
# Needs Java, Python 3.9 or newer, and `prometheus` on the PATH. WORK: where all else is made (default: target/picture).
# SECONDS_OF_LOAD: 100 by default.
set -euo pipefail
home=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$home/../../.." && pwd)
: "${GATEWAY_JAR:?names the jar of the gateway}"
work=${WORK:-$root/target/picture}
seconds=${SECONDS_OF_LOAD:-100}
rm -rf "${work:?}/run" && mkdir -p "$work/run" "$root/docs/pictures"
[ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q -r "$home/requirements.txt" "$root/clients/python"

running=()
trap 'kill -KILL "${running[@]}" 2>/dev/null; wait 2>/dev/null || true' EXIT
port() { "$work/venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
sha() { printf %s "$1" | sha256sum | cut -d' ' -f1; }
simulate() {
  java -Xmx128m -jar "$GATEWAY_JAR" simulate --port "$1" --slots 12 --ttft 120ms --inter-token 20ms >/dev/null 2>&1 &
  last=$!
  running+=("$last")
}
gpu1=$(port) gpu2=$(port) grpc=$(port) metrics=$(port) prometheus=$(port)
cd "$work/run"
cat >routes.yaml <<END
backends:
  - {name: gpu-1, url: "http://127.0.0.1:$gpu1/v1", running: 12}
  - {name: gpu-2, url: "http://127.0.0.1:$gpu2/v1", running: 12}
models:
  llama: {targets: [{backends: [gpu-1, gpu-2], model: simulated-model}]}
default-model: llama
END
cat >callers.yaml <<END
callers:
  - {name: shop, keys: ["sha256:$(sha igw_shop-key-of-the-picture-0123456789)"]}
  - {name: batch, keys: ["sha256:$(sha igw_batch-key-of-the-picture-0123456789)"]}
END
cat >prometheus.yaml <<END
global: {scrape_interval: 2s}
scrape_configs:
  - job_name: inference-gateway
    static_configs: [{targets: ["127.0.0.1:$metrics"]}]
END
simulate "$gpu1"
simulate "$gpu2"
second=$last
java -Xmx256m -jar "$GATEWAY_JAR" serve --listen "127.0.0.1:$grpc" --metrics-listen "127.0.0.1:$metrics" --admin-listen off \
  --routing-file routes.yaml --callers-file callers.yaml >gateway.log 2>&1 &
running+=($!)
prometheus --config.file=prometheus.yaml --web.listen-address="127.0.0.1:$prometheus" --storage.tsdb.path=tsdb >prometheus.log 2>&1 &
running+=($!)
for _ in $(seq 100); do grep -q 'Ready: ' gateway.log && break; sleep 0.2; done
echo "picture: $seconds s of load"
"$work/venv/bin/python" "$home/load.py" "127.0.0.1:$grpc" "$seconds" &
load=$!
running+=("$load")
sleep "$((seconds * 40 / 100))"
echo "picture: gpu-2 dies"
kill -KILL "$second"
sleep "$((seconds * 20 / 100))"
echo "picture: gpu-2 is back"
simulate "$gpu2"
wait "$load"
"$work/venv/bin/python" "$home/draw.py" "http://127.0.0.1:$prometheus" "$root/deploy/grafana/inference-gateway.json" "$root/docs/pictures/dashboard.png" "$((seconds + 10))"
echo "picture: docs/pictures/dashboard.png"
