"""The command: asks a gateway and prints the answer as it comes."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn, Optional, Union

import grpc
from google.protobuf import json_format

from inference_gateway import _startup
from inference_gateway._answer import Answer, Message
from inference_gateway._settings import InsecureTokenWarning, __version__
from inference_gateway._sync import Client, InferenceClient
from inference_gateway._tls import TLS
from inference_gateway.errors import InferenceError, UnavailableError

_CLOSED = "error: cannot write the answer: standard output is closed"
_FAILED, _USAGE, _STATUS, _INTERRUPTED = 1, 2, 10, 130

_EXIT_CODES = """\
exit codes:
  0        the answer is whole
  1        nobody reads the output, or an unexpected fault
  2        the command line is wrong
  10 + n   the call ended with gRPC status n: 11 cancelled, 13 invalid argument,
           14 deadline exceeded, 15 not found, 18 resource exhausted, 22 unimplemented,
           23 internal, 24 unavailable, 26 unauthenticated
  130      Ctrl-C

environment: INFERENCE_GATEWAY_TARGET, INFERENCE_GATEWAY_TOKEN
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run it; returns the exit code."""
    if signal.getsignal(signal.SIGINT) is _startup.end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        _say("cancelled")
        return _INTERRUPTED


def _run(arguments: Optional[Sequence[str]]) -> int:
    parser = _parser()
    asked = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what its encoding lacks is shown escaped
            stream.reconfigure(errors="backslashreplace")
    try:
        client = _client(asked)
        prompt = _prompt(asked)
        _given(client, asked, prompt)
    except (TypeError, ValueError, OSError) as e:
        parser.error(str(e))
    if sys.stdout is None:
        _closed()
    with client:
        return _ask(client, asked, prompt)


def _given(client: Union[Client, InferenceClient], asked: Any, prompt: list[Message]) -> Any:
    """The request, which raises here for what cannot be sent."""
    given = {"max_tokens": asked.max_tokens, "temperature": asked.temperature}
    return client._prepare("generate", client._contract.unary, prompt, given)


def _ask(client: Union[Client, InferenceClient], asked: Any, prompt: list[Message]) -> int:
    printer = _Printer(asked.json)
    try:
        answer = _answer(client, asked, prompt, printer)
        printer.summary(answer, streamed=not asked.no_stream)
        return 0
    except InferenceError as e:
        printer.end_line()
        _say_error(e)
        return _STATUS + int(grpc.StatusCode[e.code].value[0])
    except KeyboardInterrupt:
        printer.end_line()
        raise
    except BrokenPipeError:
        # Nobody reads on. What is still buffered must not fail a second time at exit.
        _drop_output()
        return _FAILED
    except OSError as e:
        _drop_output()
        _say(f"error: cannot write the answer: {e.strerror}")
        return _FAILED


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _answer(
    client: Union[Client, InferenceClient], asked: Any, prompt: list[Message], printer: _Printer
) -> Answer:
    contract: Any = client._contract
    given = {"max_tokens": asked.max_tokens, "temperature": asked.temperature}
    if asked.no_stream:
        prepared = _given(client, asked, prompt)
        response, request_id = client._ask_again(contract.unary, prepared)
        answer: Answer = contract.read(response, request_id)
        printer.show(response, answer.text, answer.reasoning)
        return answer
    with client._stream(prompt, given) as stream:
        for chunk in stream.chunks():
            text = getattr(chunk, "token", "")
            printer.show(chunk, text, getattr(chunk, "reasoning", ""))
        return stream.answer


class _Printer:
    """The answer goes to standard output; reasoning and figures to standard error."""

    def __init__(self, json: bool) -> None:
        self._json = json
        self._begun = time.monotonic()
        self._first: Optional[float] = None
        self._open_line = False
        self._open_reasoning = False

    def show(self, message: Any, text: str, reasoning: str) -> None:
        if self._first is None and (text or reasoning):
            self._first = time.monotonic()
        if self._json:
            line = json_format.MessageToJson(
                message, preserving_proto_field_name=True, indent=None, ensure_ascii=False
            )
            print(line, flush=True)
            return
        if reasoning:
            lead = "" if self._open_reasoning else "[reasoning] "
            _say(lead + reasoning, end="")
            self._open_reasoning = True
        if text:
            self._end_reasoning()
            print(text, end="", flush=True)
            self._open_line = not text.endswith("\n")

    def _end_reasoning(self) -> None:
        if self._open_reasoning:
            self._open_reasoning = False
            _say("")

    def end_line(self) -> None:
        """Put whatever comes next on a line of its own."""
        self._end_reasoning()
        if self._open_line:
            self._open_line = False
            print(flush=True)

    def summary(self, answer: Answer, streamed: bool) -> None:
        self.end_line()
        _say(f"[{', '.join(self._figures(answer, streamed))}]")

    def _figures(self, answer: Answer, streamed: bool) -> list[str]:
        now = time.monotonic()
        figures = []
        tokens = answer.usage.output_tokens if answer.usage else 0
        if answer.usage:
            figures.append(f"{answer.usage.input_tokens} tokens in, {tokens} out")
        told = answer.timing.first_token if answer.timing else None
        if told is None and streamed and self._first is not None:
            told = self._first - self._begun
        if told is not None:
            figures.append(f"first token {told * 1e3:.0f} ms")
        if streamed and self._first is not None and tokens > 1 and now - self._first > 0.1:
            figures.append(f"{(tokens - 1) / (now - self._first):.1f} tokens/s")
        figures.append(f"total {now - self._begun:.2f} s")
        figures.append(f"finish: {answer.finish_reason or 'unknown'}")
        if answer.model:
            figures.append(f"model: {answer.model}")
        return figures


def _say(text: str, end: str = "\n") -> None:
    if sys.stderr is not None:  # else print() would take standard output
        with contextlib.suppress(OSError):  # what cannot be said must not cost the answer
            print(text, end=end, file=sys.stderr, flush=True)


def _say_error(error: InferenceError) -> None:
    reason = f" ({error.reason})" if error.reason else ""
    _say(f"error: {error.code}{reason}: {error.message}")
    if len(error.violations) > 1:
        for violation in error.violations:
            _say(f"  {violation.field}: {violation.description}")
    if error.request_id:
        _say(f"  request id: {error.request_id}")
    if error.retry_after is not None:
        _say(f"  retry: after {error.retry_after * 1e3:.0f} ms")
    if isinstance(error, UnavailableError) and error.reason is None:
        _say("  see --target, and --tls if the gateway speaks TLS")


def _client(asked: Any) -> Union[Client, InferenceClient]:
    kind = Client if asked.contract == "llm" else InferenceClient
    wants_tls = asked.tls or asked.tls_ca or asked.tls_cert or asked.tls_key
    tls = TLS(ca=asked.tls_ca, cert=asked.tls_cert, key=asked.tls_key) if wants_tls else False
    token = None if asked.token_file is None else _token(asked.token_file)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", InsecureTokenWarning)
        client = kind(asked.target, model=asked.model, timeout=asked.deadline, token=token, tls=tls)
    if warned:
        _say("warning: the token travels unencrypted: use --tls")
    return client


def _token(file: str) -> str:
    if not file:
        raise ValueError("--token-file: names no file")
    try:
        token = Path(file).read_text(encoding="utf-8-sig").strip()
    except OSError as e:
        raise ValueError(f"--token-file: cannot read {file!r}: {e.strerror}") from None
    except ValueError:
        raise ValueError(f"--token-file: {file!r} holds no UTF-8 text") from None
    if not token:
        raise ValueError("--token-file: the file is empty")
    return token


def _prompt(asked: Any) -> list[Message]:
    text = _standard_input() if asked.prompt == "-" else asked.prompt
    if not text:
        raise ValueError("the prompt is empty")
    system = [] if asked.system is None else [Message("system", asked.system)]
    return [*system, Message("user", text)]


def _standard_input() -> str:
    if sys.stdin is None:
        raise ValueError("-: standard input is closed")
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("-: standard input is no UTF-8") from None


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}


def _duration(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|)", text)
    if not match or not float(match[1]):
        raise argparse.ArgumentTypeError("must be a time as 500ms, 30s or 5m")
    return float(match[1]) * _UNITS[match[2]]


class _Parser(argparse.ArgumentParser):
    """Whose help and version are answers, too, which may not get lost without a word."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is None or file is sys.stderr:
            _say(message, end="")
            return
        try:
            print(message, end="", file=file, flush=True)
        except OSError as e:
            _drop_output()
            if not isinstance(e, BrokenPipeError):
                _say(f"error: cannot write the answer: {e.strerror}")
            sys.exit(_FAILED)

    def print_help(self, file: Any = None) -> None:
        if file is None and sys.stdout is None:
            _closed()
        super().print_help(file)


class _Version(argparse.Action):
    """Print the version."""

    def __call__(self, parser: Any, *_: Any) -> None:
        if sys.stdout is None:
            _closed()
        parser._print_message(f"{parser.prog} {__version__}\n", sys.stdout)
        parser.exit()


def _closed() -> NoReturn:
    _say(_CLOSED)
    sys.exit(_FAILED)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m inference_gateway",
        description="Asks a gateway and prints the answer as it comes. Reasoning, figures and "
        "errors go to standard error. Ctrl-C cancels the call, and with it the generation.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("prompt", metavar="PROMPT", help="what to ask; - reads it from standard input")
    add("--target", metavar="HOST:PORT", help="the gateway; default: localhost:50051")
    add("--model", metavar="NAME", help="which model; default: the gateway's")
    add("--system", metavar="TEXT", help="what the model is told before the prompt")
    add("--max-tokens", metavar="N", type=int, help="longest answer; default: the contract's")
    add("--temperature", metavar="N", type=float, help="0 to 2; default: the contract's")
    add(
        "--deadline",
        metavar="TIME",
        type=_duration,
        default=60.0,
        help="longest time for the whole call; default: 60s",
    )
    add(
        "--contract",
        choices=("inference", "llm"),
        default="llm",
        help="which of the two contracts to speak; default: llm",
    )
    add("--no-stream", action="store_true", help="ask for the whole answer in one piece")
    add("--json", action="store_true", help="print the answer's messages as JSON, one a line")
    add("--tls", action="store_true", help="speak TLS, trusting the system's authorities")
    add("--tls-ca", metavar="FILE", help="speak TLS, trusting these authorities (PEM)")
    add("--tls-cert", metavar="FILE", help="speak TLS, showing this certificate chain (PEM)")
    add("--tls-key", metavar="FILE", help="the private key of --tls-cert (PEM)")
    add("--token-file", metavar="FILE", help="a file that holds the bearer token")
    add("--version", action=_Version, nargs=0, help="print the version")
    return parser
