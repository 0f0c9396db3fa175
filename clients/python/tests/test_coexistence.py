"""Our stubs beside others of the same file names and messages, in one process."""

import subprocess
import sys
from importlib import resources

import pytest

INFERENCE = """
syntax = "proto3";
package inference;
service InferenceService { rpc Generate (GenerateRequest) returns (GenerateResponse); }
message GenerateRequest { string of_somebody_else = 1; }
message GenerateResponse { string content = 1; }
message ModelInferRequest { string model_name = 1; }
"""

LLM = """
syntax = "proto3";
package llm.v1;
message CompleteRequest { string model = 1; }
"""

STATUS = """
syntax = "proto3";
package google.rpc;
import "google/protobuf/any.proto";
message Status { int32 code = 1; string message = 2; repeated google.protobuf.Any details = 3; }
"""

HEALTH = """
syntax = "proto3";
package grpc.health.v1;
message HealthCheckRequest { string service = 1; }
"""

OTHERS = {
    "inference.proto": INFERENCE,
    "llm.proto": LLM,
    "google/rpc/status.proto": STATUS,
    "grpc/health/v1/health.proto": HEALTH,
}

OURS = """
from inference_gateway import Client
from inference_gateway.proto import health_pb2, inference_pb2, llm_pb2, llm_pb2_grpc, status_pb2
assert llm_pb2.CompleteRequest(max_tokens=1).SerializeToString() == b"\\x18\\x01"
assert inference_pb2.GenerateRequest(max_tokens=1).HasField("max_tokens")
"""

THEIRS = """
import inference_pb2 as theirs, llm_pb2 as their_llm
from google.rpc import status_pb2 as their_status
from grpc_health import health_pb2 as their_health
assert theirs.GenerateRequest(of_somebody_else="x").of_somebody_else == "x"
assert not hasattr(their_llm.CompleteRequest(), "max_tokens")
"""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("theirs")
    protos = folder / "protos"
    for name, text in OTHERS.items():
        (protos / name).parent.mkdir(parents=True, exist_ok=True)
        (protos / name).write_text(text)
    subprocess.run(
        [
            *(sys.executable, "-m", "grpc_tools.protoc", f"-I{protos}"),
            f"-I{resources.files('grpc_tools') / '_proto'}",
            *(f"--python_out={folder}", *OTHERS),
        ],
        check=True,
    )
    (folder / "grpc_health").mkdir()
    (folder / "grpc" / "health" / "v1" / "health_pb2.py").rename(
        folder / "grpc_health" / "health_pb2.py"
    )
    (folder / "grpc" / "health" / "v1").rmdir()
    (folder / "grpc" / "health").rmdir()
    (folder / "grpc").rmdir()  # it would hide grpcio
    return folder


@pytest.mark.parametrize("implementation", ["upb", "python"])
@pytest.mark.parametrize(
    "order", [(OURS, THEIRS), (THEIRS, OURS)], ids=["ours first", "theirs first"]
)
def test_ours_and_others_of_the_same_names_live_together(theirs, order, implementation):
    environment = {
        "PYTHONPATH": str(theirs),
        "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": implementation,
    }
    command = [sys.executable, "-c", "".join(order)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_nothing_is_importable_outside_the_package():
    code = (
        "import inference_gateway, sys;"
        "print(*[name for name in sys.modules if name.endswith('_pb2')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = [name for name in done.stdout.split() if not name.startswith("google.protobuf.")]
    assert ours
    assert all(name.startswith("inference_gateway.proto.") for name in ours)


def test_messages_can_be_pickled_and_know_their_module():
    import pickle

    from inference_gateway.proto import error_details_pb2, llm_pb2

    request = llm_pb2.CompleteRequest(messages=[llm_pb2.Message(role="user", content="Hi")])
    assert pickle.loads(pickle.dumps(request)) == request
    violation = error_details_pb2.BadRequest.FieldViolation(field="x")
    assert error_details_pb2.BadRequest(field_violations=[violation]).field_violations[0] == (
        violation
    )
