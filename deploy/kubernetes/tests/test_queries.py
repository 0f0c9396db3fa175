"""What scaling asks Prometheus gives the right number, by Prometheus' own tool where it is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
import yaml
from renders import HERE, of_kind, render

pytestmark = pytest.mark.skipif(not shutil.which("promtool"), reason="there is no promtool")

# Two pods of the gateway. One has 32 running calls, its limit; the other runs 8 of 16. Each has two backends.
SERIES = {
    'inference_gateway_calls_in_flight{job="inference-gateway",namespace="ns",pod="a"}': 32,
    'inference_gateway_calls_in_flight{job="inference-gateway",namespace="ns",pod="b"}': 8,
    'inference_gateway_backend_limit{job="inference-gateway",namespace="ns",pod="a",backend="one"}': 20,
    'inference_gateway_backend_limit{job="inference-gateway",namespace="ns",pod="a",backend="two"}': 12,
    'inference_gateway_backend_limit{job="inference-gateway",namespace="ns",pod="b",backend="one"}': 10,
    'inference_gateway_backend_limit{job="inference-gateway",namespace="ns",pod="b",backend="two"}': 6,
}


def evaluated(query: str, expected: dict[str, float], folder) -> None:
    """Fails unless the query has these values, by labels."""
    file = folder / "query.yaml"
    file.write_text(
        json.dumps(
            {
                "rule_files": [],
                "tests": [
                    {
                        "interval": "1m",
                        "input_series": [{"series": name, "values": f"{value}x5"} for name, value in SERIES.items()],
                        "promql_expr_test": [
                            {
                                "expr": query,
                                "eval_time": "2m",
                                "exp_samples": [{"labels": labels, "value": value} for labels, value in expected.items()],
                            }
                        ],
                    }
                ],
            }
        )
    )
    checked = subprocess.run(["promtool", "test", "rules", file], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def adapter_query(name: str) -> str:
    """As the adapter fills its templates in for pods a and b."""
    rules = yaml.safe_load((HERE / "components/prometheus-adapter.yaml").read_text())["rules"]["custom"]
    for rule in rules:
        series = re.match(r"\w+", rule["seriesQuery"])[0]
        if re.sub(rule["name"]["matches"], rule["name"]["as"].replace("$1", r"\1"), series) == name:
            query = rule["metricsQuery"].replace("<<.Series>>", series).replace("<<.GroupBy>>", "pod")
            query = query.replace("<<.LabelMatchers>>", 'namespace="ns",pod=~"a|b"')
            assert "<<" not in query
            return query
    raise AssertionError(f"the adapter has no {name}")


def test_the_adapter_gives_what_the_autoscalers_ask_for(tmp_path):
    asked = {
        metric["pods"]["metric"]["name"]
        for name in ("all own", "all sidecar")
        for scaler in of_kind(render(name), "HorizontalPodAutoscaler")
        for metric in scaler["spec"]["metrics"]
        if metric["type"] == "Pods"
    }
    given = {
        "inference_gateway_calls_in_flight": {'{pod="a"}': 32, '{pod="b"}': 8},
        "inference_gateway_utilization": {'{pod="a"}': 1, '{pod="b"}': 0.5},
    }
    assert asked == given.keys()
    for name, expected in given.items():
        evaluated(adapter_query(name), expected, tmp_path)


def test_keda_asks_for_as_many_pods_as_there_is_work_for(tmp_path):
    trigger = of_kind(render("all own"), "ScaledObject")[0]["spec"]["triggers"][0]
    # 40 calls; a backend is given 30 by both gateways, or 18: 24 on average.
    evaluated(trigger["metadata"]["query"], {"{}": 40 / 24}, tmp_path)
    assert 0 < float(trigger["metadata"]["threshold"]) < 1
