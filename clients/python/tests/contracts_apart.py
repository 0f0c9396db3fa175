"""Type-check, where types-protobuf is, that a request is no other contract's; never run."""

from inference_gateway import Client, InferenceClient
from inference_gateway.proto import inference_pb2, llm_pb2


def ask(client: Client, small: InferenceClient) -> None:
    """Mix them up."""
    client.generate(inference_pb2.GenerateRequest())  # type: ignore[arg-type]
    small.generate(llm_pb2.CompleteRequest())  # type: ignore[arg-type]
