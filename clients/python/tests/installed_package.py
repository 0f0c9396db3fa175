"""Run where a built package is installed alone: is all of it there?"""

from importlib import metadata, resources

from inference_gateway import Answer, AsyncClient, Client, InferenceClient, Message, Params
from inference_gateway.proto import inference_pb2, llm_pb2, llm_pb2_grpc


def typed(client: Client, asyncio_client: AsyncClient, small: InferenceClient) -> None:
    """Type-check what users write; never called."""
    answer: Answer = client.generate("Hi", max_tokens=3, temperature=0)
    tokens: int = answer.usage.output_tokens if answer.usage else 0
    stream = client.stream([{"role": "user", "content": "Hi"}], stop="x")
    text: str = "".join(stream)
    chunk: llm_pb2.TokenChunk = next(stream.chunks())
    params: Params = {"top_k": 3}
    client.generate("Hi", **params)
    small.generate("Hi", top_k=3)  # type: ignore[call-arg]
    client.generate("Hi", max_tokens="3")  # type: ignore[arg-type]
    client.generate({"role": "user", "content": "Hi"})
    client.generate(Message("user", "Hi"))
    client.generate([llm_pb2.Message(role="user", content="Hi")])
    client.generate({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 3})
    client.generate(llm_pb2.CompleteRequest())
    small.generate(inference_pb2.GenerateRequest())
    small.stream([inference_pb2.ChatMessage(role="user", content="Hi")])
    client.generate(5)  # type: ignore[arg-type]
    client.generate(b"Hi")  # type: ignore[arg-type]
    client.generate(["Hi"])  # type: ignore[list-item]
    client.generate({"messages": [], "max_token": 3})  # type: ignore[dict-item]
    asyncio_client.stream(5)  # type: ignore[arg-type]
    word: str = next(stream)
    print(word)
    print(tokens, text, chunk, asyncio_client.stream("Hi"), llm_pb2_grpc.LLMServiceStub)


def main() -> None:
    """Fail where a file is missing."""
    distribution = metadata.distribution("inference-gateway-client")
    names = {str(file) for file in distribution.files or ()}
    assert any(name.endswith("licenses/LICENSE") for name in names), names
    assert "inference_gateway/py.typed" in names
    assert "inference_gateway/proto/llm_pb2.pyi" in names
    assert not any(name.startswith(("tests", "hatch_build")) for name in names)
    about = distribution.metadata
    assert about.get_all("License-File") == ["LICENSE"]
    assert about["License-Expression"] == "Apache-2.0"
    assert "## Deadlines" in (distribution.read_text("METADATA") or "")
    assert resources.files("inference_gateway").joinpath("py.typed").is_file()
    requires = sorted(distribution.requires or ())
    assert [name.split(">")[0] for name in requires] == ["grpcio", "protobuf"], requires
    assert Client("localhost").__doc__


if __name__ == "__main__":
    main()
