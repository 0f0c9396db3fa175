"""What the API server would say of the manifests, and what it would not."""

from __future__ import annotations

import json
import subprocess

import jsonschema
import kubernetes_validate
import pytest
import yaml
from renders import HERE, NAMES, WITH_COMPONENTS, WORK, of_kind, render

# The oldest that has all that is used on by default, and the newest whose schemas are there.
VERSIONS = ["1.30", "1.37"]
CUSTOM = {"monitoring.coreos.com", "gateway.networking.k8s.io", "keda.sh"}


def group(each: dict) -> str:
    return each["apiVersion"].rpartition("/")[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_object_is_what_its_schema_says(name):
    for each in render(name):
        if group(each) in CUSTOM:
            jsonschema.Draft202012Validator(strict(definition(each))).validate(each)
        else:
            for version in VERSIONS:
                kubernetes_validate.validate(each, version, strict=True)


def definition(each: dict) -> dict:
    """The schema of a custom resource in the version that it has."""
    for path in (WORK / "crds").glob("*.yaml"):
        for crd in yaml.safe_load_all(path.read_text()):
            spec = crd["spec"]
            if spec["group"] == group(each) and spec["names"]["kind"] == each["kind"]:
                version = next(v for v in spec["versions"] if v["name"] == each["apiVersion"].rpartition("/")[2])
                assert version["served"]
                return version["schema"]["openAPIV3Schema"]
    raise AssertionError(f"no definition of {each['kind']}")


def strict(schema: dict) -> dict:
    """As the API server reads it with fieldValidation=Strict: fields that are not listed are refused."""
    if not isinstance(schema, dict):
        return schema
    made = {key: value for key, value in schema.items() if not key.startswith("x-kubernetes") and key not in ("format", "nullable")}
    if schema.get("x-kubernetes-int-or-string"):
        made["type"] = ["integer", "string"]
    for key in ("properties",):
        if key in made:
            made[key] = {name: strict(value) for name, value in made[key].items()}
    for key in ("items", "additionalProperties", "not"):
        if key in made:
            made[key] = strict(made[key])
    for key in ("anyOf", "allOf", "oneOf"):
        if key in made:
            made[key] = [{k: v for k, v in each.items()} for each in made[key]]
    open_ = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if made.get("properties") and schema.get("type") == "object" and not open_:
        if made["properties"].get("metadata") == {"type": "object"}:
            made["properties"]["metadata"] = {}
        made["additionalProperties"] = False
    return made


@pytest.mark.parametrize("name", NAMES)
def test_pods_are_within_the_restricted_standard(name):
    checked = subprocess.run([WORK / "bin/check", "restricted"], input=json.dumps(render(name)), capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_check_of_pod_security_knows_a_bad_pod():
    pod = {"containers": [{"name": "a", "image": "a"}], "hostNetwork": True}
    bad = [{"kind": "Deployment", "metadata": {"name": "bad"}, "spec": {"template": {"spec": pod}}}]
    checked = subprocess.run([WORK / "bin/check", "restricted"], input=json.dumps(bad), capture_output=True, text=True)
    assert checked.returncode == 1 and "host namespaces" in checked.stdout and "runAsNonRoot" in checked.stdout


def test_every_component_is_built():
    there = {each.name for each in (HERE / "components").iterdir() if each.is_dir()}
    assert there == {each for _, components in WITH_COMPONENTS.values() for each in components}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_named_is_there(name):
    """Nothing of this does the API server check; the pod would wait, or nobody would reach it."""
    objects = render(name)
    names = {(each["kind"], each["metadata"]["name"]) for each in objects}
    by_users = {("Secret", "inference-gateway-tls"), ("Secret", "inference-gateway-callers")}
    for each in of_kind(objects, "Deployment"):
        pod = each["spec"]["template"]
        assert matches(each["spec"]["selector"]["matchLabels"], pod)
        assert pod["spec"]["enableServiceLinks"] is False
        assert pod["spec"]["automountServiceAccountToken"] is False
        if "serviceAccountName" in pod["spec"]:
            assert ("ServiceAccount", pod["spec"]["serviceAccountName"]) in names
        for volume in pod["spec"]["volumes"]:
            if "configMap" in volume:
                assert ("ConfigMap", volume["configMap"]["name"]) in names
            if "secret" in volume:
                assert ("Secret", volume["secret"]["secretName"]) in by_users
                assert volume["secret"]["defaultMode"] == 0o400
        for box in pod["spec"]["containers"] + pod["spec"].get("initContainers", []):
            assert {m["name"] for m in box["volumeMounts"]} <= {v["name"] for v in pod["spec"]["volumes"]}
            assert ":" in box["image"] and not box["image"].endswith(":latest")
        assert {v["name"] for v in pod["spec"]["volumes"]} == {
            m["name"] for box in pod["spec"]["containers"] + pod["spec"].get("initContainers", []) for m in box["volumeMounts"]
        }
        for spread in pod["spec"].get("topologySpreadConstraints", []):
            assert matches(spread["labelSelector"]["matchLabels"], pod)
    for each in of_kind(objects, "Service"):
        ports = ports_of(pods_of(each["spec"]["selector"], objects))
        for port in each["spec"]["ports"]:
            assert port["targetPort"] in ports, each
    for kind in ("PodDisruptionBudget", "NetworkPolicy"):
        for each in of_kind(objects, kind):
            selector = each["spec"].get("selector") or each["spec"].get("podSelector")
            assert len(pods_of(selector["matchLabels"], objects)) == 1, each
    for each in of_kind(objects, "ServiceMonitor"):
        # Exactly one Service, else each pod is read twice.
        [service] = [s for s in of_kind(objects, "Service") if matches(each["spec"]["selector"]["matchLabels"], s)]
        assert {endpoint["port"] for endpoint in each["spec"]["endpoints"]} <= {port["name"] for port in service["spec"]["ports"]}
        assert service["spec"]["publishNotReadyAddresses"]
    for each in of_kind(objects, "HorizontalPodAutoscaler") + of_kind(objects, "ScaledObject"):
        target = each["spec"]["scaleTargetRef"]
        scaled = [d for d in of_kind(objects, "Deployment") if d["metadata"]["name"] == target["name"]]
        # Else every `kubectl apply` would put the number back.
        assert len(scaled) == 1 and "replicas" not in scaled[0]["spec"]
    for each in of_kind(objects, "GRPCRoute"):
        for backend in each["spec"]["rules"][0]["backendRefs"]:
            service = next(s for s in of_kind(objects, "Service") if s["metadata"]["name"] == backend["name"])
            assert backend["port"] in [port["port"] for port in service["spec"]["ports"]]


def matches(selector: dict, chosen: dict) -> bool:
    assert selector, "an empty selector is everything"
    return selector.items() <= chosen["metadata"].get("labels", {}).items()


def pods_of(selector: dict, objects: list[dict]) -> list[dict]:
    templates = [each["spec"]["template"] for each in of_kind(objects, "Deployment")]
    return [pod for pod in templates if matches(selector, pod)]


def ports_of(pods: list[dict]) -> dict[str, int]:
    assert len(pods) == 1
    return {port["name"]: port["containerPort"] for box in pods[0]["spec"]["containers"] for port in box["ports"]}


@pytest.mark.parametrize("name", [n for n in NAMES if n != "vllm"])
def test_the_policy_lets_in_callers_and_prometheus_and_nobody_else(name):
    objects = render(name)
    policy = next(p for p in of_kind(objects, "NetworkPolicy") if p["metadata"]["name"] == "inference-gateway")
    assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"]
    callers, prometheus = policy["spec"]["ingress"]
    assert callers["from"] == [
        {"namespaceSelector": {}, "podSelector": {"matchLabels": {"inference-gateway/caller": "true"}}}
    ]
    assert [port["port"] for port in callers["ports"]] == ["grpc"]
    assert [port["port"] for port in prometheus["ports"]] == ["metrics"]
    assert {"grpc", "metrics"} <= ports_of(pods_of(policy["spec"]["podSelector"]["matchLabels"], objects)).keys()


@pytest.mark.parametrize("name", ["base", "all own"])
def test_gateways_reach_the_backends_of_their_routes(name):
    """routes.yaml, the Service, its pods, both policies: one chain."""
    objects = render("all own")
    routes = next(m for m in of_kind(objects, "ConfigMap") if "routes.yaml" in m["data"])
    url = yaml.safe_load(routes["data"]["routes.yaml"])["backends"][0]["url"]
    host, port = url.split("/")[2].split(":")
    service = next(s for s in of_kind(objects, "Service") if s["metadata"]["name"] == host)
    assert service["spec"]["clusterIP"] == "None"
    pods = pods_of(service["spec"]["selector"], objects)
    assert ports_of(pods)[service["spec"]["ports"][0]["targetPort"]] == int(port)
    out = next(p for p in of_kind(render(name), "NetworkPolicy") if p["metadata"]["name"] == "inference-gateway")
    to_backends = [rule for rule in out["spec"]["egress"] if "to" in rule]
    assert [p["port"] for p in to_backends[0]["ports"]] == [int(port)]
    assert matches(to_backends[0]["to"][0]["podSelector"]["matchLabels"], pods[0])
    into = next(p for p in of_kind(objects, "NetworkPolicy") if p["metadata"]["name"] == "vllm")
    gateways = into["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"]
    assert len(pods_of(gateways, objects)) == 1
