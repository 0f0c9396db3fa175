"""The shipped configuration, made ready for a test.

What is tested is what ships: a variant is made by the command that envoy.yaml names, and of the rest only values may
differ that say where (addresses, ports, file names, origins of pages) and how long (durations). `made` refuses all else.
"""

from __future__ import annotations

import copy
import re
import subprocess
from pathlib import Path

import yaml
from rig import free_port

HOME = Path(__file__).parent.parent
VARIANTS = ("tls", "mtls", "orca")
WHERE = {"address", "port_value", "path", "filename", "endpoint"}
ORIGIN = "/allow_origin_string_match/0/exact"
DURATION = re.compile(r"\d+(\.\d+)?s")


def text(*variants, file="envoy.yaml"):
    """The file with variants, by the command in its head."""
    command = re.search(r"^# +sed (.*) envoy\.yaml > my-envoy\.yaml$", (HOME / file).read_text(), re.MULTILINE)[1]
    result = (HOME / file).read_text(encoding="utf-8")
    for variant in variants:
        line = f"sed {command.replace('NAME', variant)}"
        result = subprocess.run(line, shell=True, input=result, capture_output=True, text=True, check=True).stdout
    return result


class Config:
    """A configuration with names for the parts that tests change."""

    def __init__(self, *variants):
        self.shipped = yaml.safe_load(text(*variants))
        self.tree = copy.deepcopy(self.shipped)

    @property
    def listener(self):
        return self.tree["static_resources"]["listeners"][0]

    @property
    def connections(self):
        """The HTTP connection manager of calls."""
        return self.listener["filter_chains"][0]["filters"][0]["typed_config"]

    @property
    def cluster(self):
        return self.tree["static_resources"]["clusters"][0]

    @property
    def upstream(self):
        (options,) = self.cluster["typed_extension_protocol_options"].values()
        return options

    def route(self, path):
        for route in self.connections["route_config"]["virtual_hosts"][0]["routes"]:
            if route["match"].get("path") == path:
                return route["route"]
        raise AssertionError(path)

    def broken(self, *gateways):
        """As `made`, but with anything changed: for showing that a check notices it."""
        self.shipped = None
        return self.made(*gateways)

    def made(self, *gateways):
        """Free ports for Envoy, and these gateways in place of the name."""
        admin_port = free_port()
        self.tree["admin"]["address"]["socket_address"]["port_value"] = admin_port
        for listener in self.tree["static_resources"]["listeners"]:
            listener["address"]["socket_address"].update(address="127.0.0.1", port_value=0)
            del listener["address"]["socket_address"]["ipv4_compat"]
        self.tree["static_resources"]["clusters"][1]["load_assignment"]["endpoints"][0]["lb_endpoints"][0]["endpoint"][
            "address"
        ]["socket_address"]["port_value"] = admin_port
        addresses = [gateway.address if hasattr(gateway, "address") else gateway for gateway in gateways]
        self.cluster["load_assignment"]["endpoints"][0]["lb_endpoints"] = [
            {"endpoint": {"address": {"socket_address": {"address": host, "port_value": port}}}}
            for host, port in addresses
        ]
        changes = list(_changes(self.shipped, self.tree, "")) if self.shipped else []
        assert not changes, changes
        return self.tree


def _changes(shipped, now, at):
    """Where they differ in more than places and times."""
    if shipped == now:
        return
    key = at.rsplit("/", 1)[-1]
    if isinstance(shipped, dict) and isinstance(now, dict):
        for name in {*shipped, *now}:
            if name == "lb_endpoints" or (name == "ipv4_compat" and name not in now):
                continue
            yield from _changes(shipped.get(name), now.get(name), f"{at}/{name}")
    elif isinstance(shipped, list) and isinstance(now, list) and len(shipped) == len(now):
        for index, pair in enumerate(zip(shipped, now)):
            yield from _changes(*pair, f"{at}/{index}")
    elif key in WHERE or at.endswith(ORIGIN) or (DURATION.fullmatch(str(shipped)) and DURATION.fullmatch(str(now))):
        return
    else:
        yield f"{at}: {shipped!r} -> {now!r}"
