"""``python -m inference_gateway``."""

import json
import os
import signal
import subprocess
import sys

import pytest
from rig import eventually
from test_channel import Seen

from inference_gateway import __version__
from inference_gateway.proto import llm_pb2

COMMAND = [sys.executable, "-m", "inference_gateway"]


def run(*arguments, **settings):
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
        **settings,
    )


def test_the_answer_goes_to_standard_output_and_figures_to_standard_error(gateway):
    done = run("--target", gateway.target, "--max-tokens", "5", "Hi [[sim:reasoning=2]]")
    assert done.returncode == 0
    assert done.stdout.strip()
    assert done.stdout.endswith("\n")
    assert "[reasoning] " in done.stderr
    assert "5 out, first token" in done.stderr
    assert "finish: length, model: simulated-model]" in done.stderr


@pytest.mark.parametrize("contract", ["llm", "inference"])
@pytest.mark.parametrize("way", [[], ["--no-stream"]])
def test_json_is_a_message_a_line(gateway, contract, way):
    done = run(
        *("--target", gateway.target, "--max-tokens", "3", "--temperature", "0"),
        *("--contract", contract, "--json", *way, "Hi"),
    )
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    if way:
        (message,) = messages
        assert message["text" if contract == "llm" else "content"]
    else:
        assert messages[-1]["done"] is True
        assert len(messages) == 4


def test_the_prompt_may_come_from_standard_input(recording_gateway, recorder):
    recorder.requests.clear()
    done = run("--target", recording_gateway.target, "--system", "Short.", "-", input="größer\n")
    assert done.stdout == "ok\n"
    assert recorder.requests[0]["messages"] == [
        {"role": "system", "content": "Short."},
        {"role": "user", "content": "größer\n"},
    ]


FAILURES = [
    (["--max-tokens", "0", "Hi"], 13, "error: INVALID_ARGUMENT (INVALID_REQUEST): max_tokens"),
    (["--model", "nobody", "Hi"], 15, "error: NOT_FOUND (MODEL_NOT_FOUND)"),
    (["--deadline", "300ms", "[[sim:stall-after=2]]"], 14, "within the deadline of 0.3 s"),
    (["[[sim:status=429]]"], 18, "retry: after"),
    (["[[sim:eof-after=2]]"], 24, "UPSTREAM_TRUNCATED"),
    (["--target", "localhost:1", "Hi"], 24, "when it was last tried"),
]


@pytest.mark.parametrize(
    ("arguments", "code", "words"), FAILURES, ids=lambda value: str(value)[:30]
)
def test_failures_are_words_and_an_exit_code(gateway, arguments, code, words):
    done = run("--target", gateway.target, *arguments)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr


WRONG = [
    [],
    ["--nonsense", "Hi"],
    ["--deadline", "soon", "Hi"],
    ["--target", "http://gpu-1:1", "Hi"],
    ["--tls-cert", "/nowhere", "Hi"],
    ["--token-file", "/nowhere", "Hi"],
]


@pytest.mark.parametrize("arguments", WRONG, ids=str)
def test_a_wrong_command_line_is_2(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_help_and_version():
    assert "10 + n" in run("--help").stdout
    assert run("--version").stdout.strip().endswith(__version__)


@pytest.mark.parametrize("way", [[], ["--no-stream"]])
def test_ctrl_c_cancels_the_call_and_is_130(gateway, simulator, way):
    before = simulator.left()
    command = [*COMMAND, "--target", gateway.target, *way, "[[sim:stall-after=2]]"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        eventually(lambda: simulator.running() == 1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=10)
    assert (process.returncode, said.decode().strip()) == (130, "cancelled")
    eventually(lambda: simulator.left() == before + 1, 2)


def test_a_reader_that_leaves_ends_it_quietly(gateway, simulator):
    before = simulator.left()
    command = [*COMMAND, "--target", gateway.target, "Hi [[sim:inter-token=50ms]]"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(1)
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(10) == 1
    assert said == b""
    eventually(lambda: simulator.left() == before + 1, 2)


FILES = {"inner": b"sec\nret", "empty": b"\n", "utf16": "secret".encode("utf-16"), "bad": b"\xff"}

BAD_INPUT = [
    (["--max-tokens", "9" * 20, "Hi"], "max_tokens: takes a whole number"),
    ([b"\xff"], "is not text that can be sent"),
    (["--system", b"\xff", "Hi"], "is not text that can be sent"),
    (["--model", b"\xff", "Hi"], "model: takes a string"),
    (["--token-file", "inner", "Hi"], "token: is empty, or holds characters that cannot be sent"),
    (["--token-file", "empty", "Hi"], "--token-file: the file is empty"),
    (["--token-file", "utf16", "Hi"], "--token-file: 'utf16' holds no UTF-8 text"),
    (["--token-file", "", "Hi"], "--token-file: names no file"),
    (["--token-file", ".", "Hi"], "--token-file: cannot read '.'"),
]


@pytest.fixture
def files(tmp_path):
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


@pytest.mark.parametrize(("arguments", "words"), BAD_INPUT, ids=lambda value: str(value)[:30])
def test_what_cannot_be_sent_is_2_and_no_traceback(files, arguments, words):
    done = run(*arguments, cwd=files)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.parametrize("token", ["sec\nret", " ", "geheim ü"])
def test_a_token_of_the_environment_that_cannot_be_sent_is_2(token):
    done = run("Hi", env={**os.environ, "INFERENCE_GATEWAY_TOKEN": token})
    assert done.returncode == 2
    assert "token: is empty, or holds characters that cannot be sent" in done.stderr


SHELL = [
    ("- <&-", 2, "standard input is closed"),
    ("- <bad", 2, "standard input is no UTF-8"),
    ("Hi <&- >/dev/null", 0, "finish: length"),
    ("Hi >/dev/full", 1, "cannot write the answer"),
    ("--json Hi >/dev/full", 1, "cannot write the answer"),
    ("--no-stream Hi >/dev/full", 1, "cannot write the answer"),
    ("Hi >&-", 1, "cannot write the answer: standard output is closed"),
    ("Hi >/dev/null 2>/dev/full", 0, ""),
    ("--max-tokens 0 Hi 2>/dev/full", 13, ""),
    ("Hi >&- 2>&-", 1, ""),
    ("--version >/dev/full", 1, "cannot write the answer"),
    ("--help >/dev/full", 1, "cannot write the answer"),
    ("--version >&-", 1, "standard output is closed"),
    ("--help >&-", 1, "standard output is closed"),
    ("- </dev/null", 2, "the prompt is empty"),
    ("'' </dev/null", 2, "the prompt is empty"),
    ("--nonsense >&- 2>&-", 2, ""),
]


@pytest.mark.parametrize(("line", "code", "words"), SHELL, ids=lambda value: str(value)[:30])
def test_closed_and_full_files_are_said(gateway, files, line, code, words):
    command = f'"{sys.executable}" -m inference_gateway --target {gateway.target} --max-tokens 2 '
    done = subprocess.run(
        ["sh", "-c", command + line],
        cwd=files,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_figures_never_get_into_the_answer(gateway):
    command = f'"{sys.executable}" -m inference_gateway --target {gateway.target} --max-tokens 6 '
    done = subprocess.run(
        ["sh", "-c", command + "'Hi [[sim:reasoning=2]]' 2>&-"], capture_output=True, check=True
    )
    assert done.stdout.strip()
    assert b"[" not in done.stdout


class NotAscii(Seen):
    def Complete(self, request, context):  # noqa: N802
        return llm_pb2.CompleteResponse(text="Größe 🙂")


@pytest.mark.parametrize("way", [[], ["--no-stream"], ["--json"]])
def test_an_output_that_is_ascii_shows_the_rest_escaped(way):
    server = NotAscii()
    try:
        done = run("--target", server.target, *way, "Hi", env={**os.environ, **ASCII})
    finally:
        server.close()
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert "Gr\\xf6\\xdfe \\U0001f642" in done.stdout


ASCII = {"PYTHONIOENCODING": "ascii"}


def test_ctrl_c_while_it_reads_the_prompt_is_130_in_a_word(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(TELLS)
    path = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    with subprocess.Popen(
        [*COMMAND, "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
    ) as process:
        assert process.stderr.readline() == b"reading\n"
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=10)
    assert (process.returncode, out, said) == (130, b"", b"cancelled\n")


@pytest.mark.parametrize("module", ["grpc", "inference_gateway._settings", "argparse"])
def test_ctrl_c_while_it_starts_is_130_in_a_word(tmp_path, module):
    """At the import of a module that it needs."""
    (tmp_path / "sitecustomize.py").write_text(SLOW.format(module=module))
    path = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    with subprocess.Popen(
        [*COMMAND, "Hi"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
    ) as process:
        assert process.stderr.readline() == b"importing\n"
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=10)
    assert (process.returncode, out, said) == (130, b"", b"cancelled\n")


SLOW = """
import sys, time

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            print("importing", file=sys.stderr, flush=True)
            time.sleep(20)

sys.meta_path.insert(0, Slow())
"""


def test_a_program_that_uses_the_package_keeps_its_signals_and_its_environment(tmp_path):
    (tmp_path / "program.py").write_text(
        "import os, signal, inference_gateway\n"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
        "assert 'GRPC_VERBOSITY' not in os.environ\n"
    )
    environment = {name: os.environ[name] for name in os.environ if name != "GRPC_VERBOSITY"}
    command = [sys.executable, "-m", "program", "-m", "inference_gateway"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)


def test_lines_of_grpc_do_not_stand_between_its_own(gateway):
    done = run("--target", gateway.target, "--tls", "Hi")
    assert done.returncode == 24
    lines = done.stderr.splitlines()
    assert lines[0].startswith("error: UNAVAILABLE: ")
    assert all(line.startswith("  ") for line in lines[1:])


TELLS = """
import sys

class Input:
    def __init__(self, real):
        self._real = real

    def read(self):
        print("reading", file=sys.stderr, flush=True)
        return self._real.read()

sys.stdin = type("Stdin", (), {"buffer": Input(sys.stdin.buffer)})()
"""


def test_a_token_in_the_clear_is_warned_about_in_the_commands_own_words(tmp_path):
    done = run(
        *("--target", "gpu-1.invalid", "Hi"),
        env={**os.environ, "INFERENCE_GATEWAY_TOKEN": "t0ken"},
    )
    assert done.stderr.startswith("warning: the token travels unencrypted: use --tls\n")
    assert "t0ken" not in done.stderr


def test_help_tells_where_all_goes():
    said = " ".join(run("--help").stdout.split())
    assert "Reasoning, figures and errors go to standard error" in said
    assert "1 nobody reads the output" in said
