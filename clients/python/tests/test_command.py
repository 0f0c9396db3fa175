"""``python -m inference_gateway``."""

import json
import signal
import subprocess
import sys

import pytest
from rig import eventually

from inference_gateway import __version__

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
    (["--target", "localhost:1", "Hi"], 24, "nobody listens there"),
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


BAD_INPUT = [
    (["--max-tokens", "9" * 20, "Hi"], "max_tokens: takes a whole number"),
    ([b"\xff"], "is not text that can be sent"),
    (["--token-file", "inner", "Hi"], "token: holds characters that cannot be sent"),
    (["--token-file", "empty", "Hi"], "the file is empty"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD_INPUT, ids=lambda value: str(value)[:20])
def test_what_cannot_be_sent_is_2_and_no_traceback(tmp_path, arguments, words):
    (tmp_path / "inner").write_text("sec\nret")
    (tmp_path / "empty").write_text("\n")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_input_and_a_full_disk_are_said(gateway):
    shell = f'"{sys.executable}" -m inference_gateway --target {gateway.target}'
    for line, code, words in (
        (f"{shell} - <&-", 2, "standard input is closed"),
        (f"{shell} Hi >/dev/full", 1, "cannot write the answer"),
    ):
        done = subprocess.run(
            ["sh", "-c", line], capture_output=True, encoding="utf-8", timeout=30, check=False
        )
        assert (done.returncode, words in done.stderr) == (code, True), done.stderr
        assert "Traceback" not in done.stderr
