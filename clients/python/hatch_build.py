"""Makes what the package needs from the checkout: stubs from the protos."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PROTOS = (
    "inference.proto",
    "llm.proto",
    "google/rpc/status.proto",
    "google/rpc/error_details.proto",
    "grpc/health/v1/health.proto",
    "google/protobuf/any.proto",
    "google/protobuf/duration.proto",
)
_OURS = re.compile(r"^from [\w.]+ import ((?:any|duration)_pb2) as", re.MULTILINE)


class StubsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Does nothing in an unpacked sdist, which holds it all."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Name what only a checkout needs."""
        return ["grpcio-tools>=1.62"] if self._in_checkout() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the stubs, before the files of the package are collected."""
        if self._in_checkout():
            root = Path(self.root)
            checkout = root.parent.parent
            if not (checkout / "proto" / "llm.proto").exists():
                raise RuntimeError("building it needs the whole checkout, not a copy of the folder")
            generate(checkout, root / "src" / "inference_gateway" / "proto")

    def _in_checkout(self) -> bool:
        return not (Path(self.root) / "PKG-INFO").exists()


def generate(repository: Path, package: Path) -> None:
    """Write one descriptor set, and for each proto modules that read it, with their types."""
    import grpc_tools
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    descriptors = package / "descriptors.binpb"
    scratch = package / "_pyi"
    scratch.mkdir(exist_ok=True)
    try:
        _protoc(
            f"-I{repository / 'proto'}",
            f"-I{repository / 'clients' / 'proto'}",
            f"-I{Path(grpc_tools.__file__).parent / '_proto'}",
            f"--descriptor_set_out={descriptors}",
            "--include_imports",
            f"--pyi_out={scratch}",
            *_PROTOS,
        )
        for file in FileDescriptorSet.FromString(descriptors.read_bytes()).file:
            types = scratch / file.name.replace(".proto", "_pb2.pyi")
            _write_messages(package, file, types.read_text(encoding="utf-8"))
            if file.service:
                _write_services(package, file)
    finally:
        shutil.rmtree(scratch)


def _protoc(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *arguments], check=True)


def _module(file: Any) -> str:
    return Path(file.name).stem + "_pb2"


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))  # the same line ends everywhere


def _write_messages(package: Path, file: Any, types: str) -> None:
    _write(
        package / f"{_module(file)}.py",
        f'"""Messages of {file.name}."""\n\n'
        "from inference_gateway.proto import _runtime\n\n"
        f'_runtime.publish_messages("{file.name}", globals())\n',
    )
    types = _OURS.sub(r"from . import \1 as", types)
    types = types.replace(", _Mapping]", ", _Mapping[str, object]]")  # mypy --strict asks for it
    _write(package / f"{_module(file)}.pyi", types)


def _write_services(package: Path, file: Any) -> None:
    module = _module(file)
    _write(
        package / f"{module}_grpc.py",
        f'"""Services of {file.name}."""\n\n'
        "from inference_gateway.proto import _runtime\n\n"
        f'_runtime.publish_services("{file.name}", globals())\n',
    )
    head = (
        "from collections.abc import AsyncIterator, Awaitable, Iterator\n"
        "from typing import Any, Union\n\n"
        "import grpc\nimport grpc.aio\n\n"
        f"from . import {module}\n"
    )
    services = (_service_types(module, service) for service in file.service)
    _write(package / f"{module}_grpc.pyi", head + "".join(services))


def _service_types(module: str, service: Any) -> str:
    stub, async_stub, servicer = [], [], []
    for method in service.method:
        request = f"{module}.{method.input_type.rsplit('.', 1)[1]}"
        answer = f"{module}.{method.output_type.rsplit('.', 1)[1]}"
        kind = "UnaryStream" if method.server_streaming else "UnaryUnary"
        results = (
            f"Union[Iterator[{answer}], AsyncIterator[{answer}]]"
            if method.server_streaming
            else f"Union[{answer}, Awaitable[{answer}]]"
        )
        stub.append(f"    {method.name}: grpc.{kind}MultiCallable[{request}, {answer}]\n")
        async_stub.append(f"    {method.name}: grpc.aio.{kind}MultiCallable[{request}, {answer}]\n")
        servicer.append(
            f"    def {method.name}(self, request: {request}, context: Any) -> {results}: ...\n"
        )
    name = service.name
    takes = "    def __init__(self, channel: grpc.{}Channel) -> None: ...\n"
    return (
        f"\nclass {name}Stub:\n{takes.format('')}"
        f"{''.join(stub)}"
        f"\nclass {name}AsyncStub:\n{takes.format('aio.')}"
        f"{''.join(async_stub)}"
        f"\nclass {name}Servicer:\n{''.join(servicer)}"
        f"\ndef add_{name}Servicer_to_server(\n"
        f"    servicer: {name}Servicer, server: Union[grpc.Server, grpc.aio.Server]\n"
        ") -> None: ...\n"
    )
