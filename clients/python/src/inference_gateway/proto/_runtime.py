"""Builds the classes of this package from its descriptor set, by protobuf's public means only.

Generated code would put its files in the default pool of the process, which refuses a second file
of the same name or with the same messages. It also works with one range of runtimes only.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import grpc
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper


def _load() -> Any:
    pool = descriptor_pool.DescriptorPool()
    files = resources.files(__package__).joinpath("descriptors.binpb").read_bytes()
    for file in FileDescriptorSet.FromString(files).file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


_POOL = _load()


def publish_messages(file_name: str, module: dict[str, Any]) -> None:
    """Put the file's messages and enums into a module, as generated code has them."""
    file = _POOL.FindFileByName(file_name)
    module["DESCRIPTOR"] = file
    for enum in file.enum_types_by_name.values():
        module[enum.name] = EnumTypeWrapper(enum)
        module.update((value.name, value.number) for value in enum.values)
    for message in file.message_types_by_name.values():
        module[message.name] = _message(message, module["__name__"])


def _message(descriptor: Any, module_name: str) -> Any:
    cls = message_factory.GetMessageClass(descriptor)
    cls.__module__ = module_name  # so that messages can be pickled
    for nested in descriptor.nested_types:
        inner = _message(nested, module_name)
        inner.__qualname__ = f"{cls.__qualname__}.{nested.name}"
        if not hasattr(cls, nested.name):
            setattr(cls, nested.name, inner)
    return cls


def publish_services(file_name: str, module: dict[str, Any]) -> None:
    """Put the file's stubs and servicers into a module, as generated code has them."""
    for service in _POOL.FindFileByName(file_name).services_by_name.values():
        stub, servicer = _stub(service), _servicer(service)
        for name, value in (
            (f"{service.name}Stub", stub),
            (f"{service.name}AsyncStub", stub),
            (f"{service.name}Servicer", servicer),
        ):
            value.__module__ = module["__name__"]
            module[name] = value
        module[f"add_{service.name}Servicer_to_server"] = _adder(service)


def _classes(method: Any) -> tuple[Any, Any]:
    return (
        message_factory.GetMessageClass(method.input_type),
        message_factory.GetMessageClass(method.output_type),
    )


def _stub(service: Any) -> type:
    def __init__(self: Any, channel: Any) -> None:  # noqa: N807
        for method in service.methods:
            request, answer = _classes(method)
            make = channel.unary_stream if method.server_streaming else channel.unary_unary
            path = f"/{service.full_name}/{method.name}"
            call = make(
                path,
                request_serializer=request.SerializeToString,
                response_deserializer=answer.FromString,
            )
            setattr(self, method.name, call)

    return type(f"{service.name}Stub", (), {"__init__": __init__, "__doc__": service.full_name})


def _servicer(service: Any) -> type:
    def refuse(self: Any, request: Any, context: Any) -> Any:
        context.set_code(grpc.StatusCode.UNIMPLEMENTED)
        context.set_details("Method not implemented!")
        raise NotImplementedError("Method not implemented!")

    methods: dict[str, Any] = {method.name: refuse for method in service.methods}
    return type(f"{service.name}Servicer", (), {**methods, "__doc__": service.full_name})


def _adder(service: Any) -> Any:
    def add(servicer: Any, server: Any) -> None:
        handlers = {method.name: _handler(method, servicer) for method in service.methods}
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(service.full_name, handlers),)
        )

    return add


def _handler(method: Any, servicer: Any) -> Any:
    request, answer = _classes(method)
    make = (
        grpc.unary_stream_rpc_method_handler
        if method.server_streaming
        else grpc.unary_unary_rpc_method_handler
    )
    return make(
        getattr(servicer, method.name),
        request_deserializer=request.FromString,
        response_serializer=answer.SerializeToString,
    )
