"""The two Python clients that the contracts were published with run letter by letter.

Their stubs come from ``grpc_tools.protoc`` on the checkout's ``proto/``. They name
``localhost:50051`` and ``llm-service:50051``: they run in a network and mount namespace of their
own, where both lead to the gateway under test. Where namespaces are not allowed (no root), these
two names are replaced in the texts, and nothing else.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import relay
import seed_room
from rig import eventually

PROTO = Path(__file__).parents[3] / "proto"

SMALL = """\
import grpc
import inference_pb2
import inference_pb2_grpc

channel = grpc.insecure_channel("localhost:50051")
stub = inference_pb2_grpc.InferenceServiceStub(channel)

# Unary call
request = inference_pb2.GenerateRequest(
    messages=[inference_pb2.ChatMessage(role="user", content="Explain GPU compute units.")],
    max_tokens=256, temperature=0.7
)
response = stub.Generate(request)
print(response.content)

# Streaming call
for token_response in stub.GenerateStream(request):
    if not token_response.done:
        print(token_response.token, end="", flush=True)
"""

FULL_IMPORTS = "import grpc.aio\nimport llm_pb2, llm_pb2_grpc\n"

FULL = """\
async with grpc.aio.insecure_channel('llm-service:50051') as channel:
    stub = llm_pb2_grpc.LLMServiceStub(channel)
    call = stub.CompleteStream(
        llm_pb2.CompleteRequest(
            model='qwen2.5-coder:32b',
            messages=[llm_pb2.Message(role='user', content='解释 HTTP/2 多路复用')],
        ),
        timeout=60.0,   # 硬截止时间——作为 gRPC deadline 传播到服务端
    )
    async for chunk in call:
        print(chunk.token, end='', flush=True)
"""


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stubs")
    protoc = [sys.executable, "-m", "grpc_tools.protoc"]
    out = [f"--python_out={folder}", f"--grpc_python_out={folder}"]
    for name in ("inference.proto", "llm.proto"):
        subprocess.run([*protoc, f"-I{PROTO}", *out, name], check=True)
    return folder


def may_unshare():
    tried = shutil.which("unshare") and subprocess.run(
        ["unshare", "-n", "-m", "mount", "--bind", "/etc/hosts", "/etc/hosts"],
        capture_output=True,
        check=False,
    )
    return tried and tried.returncode == 0


def run(stubs, gateway, text):
    """Returns what the snippet prints."""
    if may_unshare():
        door = stubs / "gateway.sock"
        door.unlink(missing_ok=True)
        with relay.door_to_port(door, gateway.port):
            room = ["unshare", "-n", "-m", sys.executable, seed_room.__file__, str(door)]
            return printed(room, stubs, text)
    for name in ("localhost:50051", "llm-service:50051"):
        text = text.replace(name, gateway.target)
    return printed([sys.executable, seed_room.__file__, "-"], stubs, text)


def printed(room, stubs, text):
    snippet = stubs / "snippet.py"
    snippet.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [*room, str(snippet)],
        capture_output=True,
        encoding="utf-8",
        cwd=stubs,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def finished(gateway, method):
    return gateway.log().count(f"method={method} ")


def test_the_small_contracts_client_runs_letter_by_letter(stubs, gateway):
    before = finished(gateway, "inference.InferenceService/GenerateStream")
    whole, _, streamed = run(stubs, gateway, SMALL).partition("\n")
    assert len(whole.split()) > 20
    assert len(streamed.split()) > 20
    eventually(lambda: finished(gateway, "inference.InferenceService/GenerateStream") == before + 1)


def test_the_full_contracts_client_runs_letter_by_letter(stubs, gateway):
    before = finished(gateway, "llm.v1.LLMService/CompleteStream")
    streamed = run(stubs, gateway, FULL_IMPORTS + FULL)
    assert len(streamed) > 40
    eventually(lambda: finished(gateway, "llm.v1.LLMService/CompleteStream") == before + 1)
    assert "model=qwen2.5-coder:32b" in gateway.log()
