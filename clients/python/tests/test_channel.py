"""How a client connects, and what it sends beside the request."""

import asyncio
import contextlib
import contextvars
import json
import re
import subprocess
import sys
import threading
import time
import warnings
from concurrent import futures
from pathlib import Path

import grpc
import pytest
from relay import door_to_port
from rig import free_port

from inference_gateway import (
    TLS,
    AsyncClient,
    AuthenticationError,
    CancelledError,
    Client,
    DeadlineExceededError,
    InferenceClient,
    InferenceError,
    InsecureTokenWarning,
    RequestTooLargeError,
    ResponseTooLargeError,
    UnavailableError,
    UnimplementedError,
    __version__,
)
from inference_gateway._target import target_of
from inference_gateway.proto import llm_pb2, llm_pb2_grpc

HOME = Path(__file__).parents[1]

GOOD = {
    "gpu-1": ("gpu-1:50051", False),
    "gpu-1:443": ("gpu-1:443", False),
    " gpu-1:443\n": ("gpu-1:443", False),
    "10.0.0.1": ("10.0.0.1:50051", False),
    "localhost": ("localhost:50051", True),
    "127.0.0.1:7": ("127.0.0.1:7", True),
    "::1": ("[::1]:50051", True),
    "[::1]:7": ("[::1]:7", True),
    "fe80::1": ("[fe80::1]:50051", False),
    "dns:///gpu": ("dns:///gpu:50051", False),
    "dns:///gpu:7": ("dns:///gpu:7", False),
    "dns:gpu:7": ("dns:///gpu:7", False),
    "dns://10.0.0.53/gpu": ("dns://10.0.0.53/gpu:50051", False),
    "ipv4:10.0.0.1:7,10.0.0.2": ("ipv4:10.0.0.1:7,10.0.0.2:50051", False),
    "ipv4:127.0.0.1:7": ("ipv4:127.0.0.1:7", True),
    "ipv6:[::1]:7": ("ipv6:[::1]:7", True),
    "unix:/run/g.sock": ("unix:/run/g.sock", True),
    "unix:///run/g.sock": ("unix:///run/g.sock", True),
    "dns:50051": ("dns:50051", False),
}


@pytest.mark.parametrize("text", GOOD)
def test_targets_as_people_write_them(text):
    assert target_of(text) == GOOD[text]


BAD = {
    "http://gpu-1:443": "write 'gpu-1:443'; it is no URL",
    "https://gpu-1/v1": "write 'gpu-1', and tls=True; it is no URL",
    "https://me:secret@gpu-1:443": "write 'gpu-1:443', and tls=True",
    "grpc://gpu-1:1": "write 'gpu-1:1'",
    "gpu 1": "write host:port",
    "gpu-1:http": "write host:port",
    "gpu-1:0": "write host:port",
    "gpu-1:70000": "write host:port",
    "gpu-1/v1": "write host:port",
    "dns://gpu:1": "three slashes",
    "unix:": "write host:port",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_target_is_refused_with_what_to_write(text):
    with pytest.raises(ValueError, match=re.escape(BAD[text])) as refused:
        Client(text)
    assert "secret" not in str(refused.value)


def test_target_and_token_come_from_the_environment_unless_given(monkeypatch, seen):
    monkeypatch.setenv("INFERENCE_GATEWAY_TARGET", seen.target)
    monkeypatch.setenv("INFERENCE_GATEWAY_TOKEN", "of-environment")
    with Client() as client:
        client.generate("Hi")
    with Client(seen.target, token="given") as client:
        client.generate("Hi")
    assert [call["authorization"] for call in seen.calls] == [
        "Bearer of-environment",
        "Bearer given",
    ]


class Seen(llm_pb2_grpc.LLMServiceServicer):
    """A server that shows what a client sends."""

    def __init__(self):
        self.calls = []
        self._server = grpc.server(futures.ThreadPoolExecutor(4))
        llm_pb2_grpc.add_LLMServiceServicer_to_server(self, self._server)
        self.target = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def Complete(self, request, context):  # noqa: N802
        self.calls.append({**dict(context.invocation_metadata()), "peer": context.peer()})
        return llm_pb2.CompleteResponse(text="seen")

    def CompleteStream(self, request, context):  # noqa: N802
        yield llm_pb2.TokenChunk(token=self.Complete(request, context).text)
        finish = llm_pb2.Finish(reason=99, raw="new word")
        yield llm_pb2.TokenChunk(done=True, finish=finish)

    def close(self):
        self._server.stop(None).wait()


@pytest.fixture
def seen():
    seen = Seen()
    yield seen
    seen.close()


def test_every_call_carries_user_agent_token_request_id_and_metadata(seen):
    with Client(
        seen.target, token="t0ken\n", user_agent="mine/1", metadata={"X-Team": "a"}
    ) as client:
        client.generate("Hi", request_id="id-1", metadata=[("x-trace-bin", b"\x00\xff")])
        list(client.stream("Hi"))
    unary, streamed = seen.calls
    assert unary["user-agent"].startswith(f"mine/1 inference-gateway-python/{__version__} grpc-")
    assert unary["x-request-id"] == "id-1"
    assert unary["x-trace-bin"] == b"\x00\xff"
    for call in (unary, streamed):
        assert call["authorization"] == "Bearer t0ken"
        assert call["x-team"] == "a"
    assert re.fullmatch("[0-9a-f]{32}", streamed["x-request-id"])


def test_a_token_may_be_a_function_and_is_asked_at_every_call(seen):
    tokens = iter(["first", "second"])
    with Client(seen.target, token=lambda: next(tokens)) as client:
        client.generate("Hi")
        client.generate("Hi")
    assert [call["authorization"] for call in seen.calls] == ["Bearer first", "Bearer second"]


async def later():
    await asyncio.sleep(0)
    return "t0ken"


class Later:
    async def __call__(self):
        return await later()


@pytest.mark.parametrize("token", [later, Later(), lambda: later(), lambda: "t0ken"])
def test_an_asyncio_client_waits_for_a_token(seen, token):
    async def main():
        async with AsyncClient(seen.target, token=token) as client:
            await client.generate("Hi")
            assert [piece async for piece in client.stream("Hi")] == ["seen"]
            async for _ in client.stream("Hi"):
                break
            client.stream("Hi").close()

    asyncio.run(main(), debug=True)
    assert [call["authorization"] for call in seen.calls[:2]] == ["Bearer t0ken"] * 2


async def never():
    await asyncio.Event().wait()


async def fails():
    raise KeyError("secret")


async def none():
    return None


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        (never, DeadlineExceededError),
        (fails, AuthenticationError),
        (none, AuthenticationError),
        (lambda: None, AuthenticationError),
        (lambda: "sec\nret", AuthenticationError),
        (lambda: "x" * 70_000, AuthenticationError),
        (lambda: time.sleep(1), DeadlineExceededError),
    ],
)
def test_a_token_that_does_not_come_ends_the_call(token, kind):
    async def main():
        async with AsyncClient("localhost:1", token=token, timeout=0.2) as client:
            stream = client.stream("Hi")
            for call in (
                client.generate("Hi"),
                client.health(timeout=0.2),
                stream.__aiter__().__anext__(),
            ):
                with pytest.raises(kind, match="token") as told:
                    await call
                assert "secret" not in str(told.value)
            client.stream("Hi")  # nobody reads it

    asyncio.run(main(), debug=True)


def test_a_token_function_that_blocks_is_left_at_the_deadline():
    released = threading.Event()
    with Client("localhost:1", token=lambda: released.wait(20) or "x") as client:
        for call in (client.generate, client.stream):
            begun = time.monotonic()
            with pytest.raises(DeadlineExceededError, match="function that is to return the token"):
                call("Hi", timeout=0.2)
            assert time.monotonic() - begun < 2
    released.set()


def test_a_token_function_that_blocks_does_not_block_the_event_loop(seen):
    released = threading.Event()

    async def main():
        async with AsyncClient(seen.target, token=lambda: str(released.wait(20))) as client:
            asking = asyncio.ensure_future(client.generate("Hi"))
            await asyncio.sleep(0.05)
            assert not asking.done()
            released.set()  # never, where the loop is held up
            await asking

    asyncio.run(main(), debug=True)
    assert seen.calls[0]["authorization"] == "Bearer True"


def test_a_token_function_that_never_returns_does_not_keep_the_process(seen):
    code = (
        "import asyncio, threading, inference_gateway as i\n"
        "never = {'token': threading.Event().wait, 'timeout': 0.1}\n"
        "async def main():\n"
        "    await i.AsyncClient('localhost:1', **never).generate('Hi')\n"
        "try: i.Client('localhost:1', **never).generate('Hi')\n"
        "except TimeoutError: pass\n"
        "try: asyncio.run(main())\n"
        "except TimeoutError: print('left')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=20, check=True)
    assert (done.stdout, done.stderr) == (b"left\n", b"")


def test_a_token_function_sees_the_callers_context(seen):
    who = contextvars.ContextVar("who")
    who.set("me")
    with Client(seen.target, token=who.get) as client:
        client.generate("Hi")
    assert seen.calls[0]["authorization"] == "Bearer me"


@pytest.mark.parametrize("token", [None, 7, b"x", "", "sec ret", "sec\nret", "ü", "x" * 70_000])
def test_what_a_token_function_returns_and_is_none_is_an_authentication_error(token):
    with pytest.raises(AuthenticationError, match="function that is to return") as told:
        Client("localhost:1", token=lambda: token).generate("Hi")
    assert "sec" not in str(told.value)
    assert told.value.__cause__ is None


def test_a_stream_that_waits_for_its_token_can_be_left():
    async def main():
        async with AsyncClient("localhost:1", token=never) as client:
            closed, left = client.stream("Hi"), client.stream("Hi")
            closed.close()
            with pytest.raises(CancelledError):
                await closed.__aiter__().__anext__()
            pieces = left.__aiter__()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(pieces.__anext__(), 0.05)
            with pytest.raises(CancelledError):
                await pieces.__anext__()

    asyncio.run(main())


def test_a_finish_reason_of_a_newer_gateway_is_its_raw_word(seen):
    with Client(seen.target) as client:
        stream = client.stream("Hi")
        assert list(stream) == ["seen"]
    assert stream.finish_reason == "new word"


def test_a_server_that_is_no_such_gateway_is_said_in_words(seen):
    with InferenceClient(seen.target) as client:
        with pytest.raises(UnimplementedError, match="is it an inference gateway"):
            client.generate("Hi")


def test_each_client_has_a_connection_of_its_own(seen):
    with Client(seen.target) as one, Client(seen.target) as two:
        one.generate("Hi")
        two.generate("Hi")
        one.generate("Hi")
    peers = [call["peer"] for call in seen.calls]
    assert peers[0] == peers[2] != peers[1]


NO_METADATA = [
    ({"x-a": "line\nbreak"}, ValueError),
    ({"x-a": b"bytes"}, TypeError),
    ({"x-a": 1}, TypeError),
    ({"x-a-bin": "text"}, TypeError),
    ({"x a": "b"}, ValueError),
    ([(7, "b")], TypeError),
    ("x-a", TypeError),
    *(
        ({name: "break"}, ValueError)
        for name in ("grpc-timeout", "te", "Host", "content-type", "user-agent", "connection")
    ),
    ({"X-Request-Id": "break"}, ValueError),
    ({"x-a": "break" * 20_000}, ValueError),
    ([("x-a", "b")] * 2_000, ValueError),
]


@pytest.mark.parametrize(("metadata", "kind"), NO_METADATA, ids=lambda value: repr(value)[:30])
def test_metadata_that_cannot_be_sent_is_refused_without_its_value(metadata, kind):
    with pytest.raises(kind, match=r"^metadata") as refused:
        Client("localhost", metadata=metadata)
    assert "break" not in str(refused.value)
    with Client("localhost:1") as client, pytest.raises(kind, match=r"^metadata"):
        client.generate("Hi", metadata=metadata)


def test_metadata_says_which_argument_is_for_the_requests_name():
    with pytest.raises(ValueError, match="metadata x-request-id: give request_id= to the call"):
        Client("localhost").generate("Hi", metadata={"x-request-id": "b"})


def test_there_is_one_word_for_who_one_is(monkeypatch, seen):
    basic = {"Authorization": "Basic abc"}
    with Client(seen.target, metadata=basic) as client:
        client.generate("Hi")
    with Client(seen.target) as client:
        client.generate("Hi", metadata=basic)
    with pytest.raises(ValueError, match="there is a token already"):
        Client("localhost", token="t0ken", metadata=basic)
    with Client("localhost", token="t0ken") as client:
        with pytest.raises(ValueError, match="there is a token already"):
            client.generate("Hi", metadata=basic)
    monkeypatch.setenv("INFERENCE_GATEWAY_TOKEN", "t0ken")
    with Client(seen.target, metadata=basic) as client:
        client.generate("Hi")
    assert [call["authorization"] for call in seen.calls] == ["Basic abc"] * 3


@pytest.mark.parametrize("size", [60_000, 63_000])
def test_metadata_up_to_the_largest_is_one_calls_matter(gateway, size):
    with Client(gateway.target, timeout=10) as client:
        stream = client.stream("Hi [[sim:inter-token=20ms]]", max_tokens=20)
        next(stream)
        for more in (size, 100_000):
            with contextlib.suppress(InferenceError, ValueError):  # above 16 KiB it may be refused
                client.generate("Hi", max_tokens=1, metadata={"x-a": "y" * more})
        assert len(list(stream)) == 19


def test_metadata_of_all_sources_counts_together():
    with Client("localhost:1", metadata={"x-a": "y" * 30_000}, token="t" * 20_000) as client:
        with pytest.raises(ValueError, match="bytes of metadata with all that goes along"):
            client.generate("Hi", metadata={"x-b-bin": b"z" * 12_000})
        with pytest.raises(UnavailableError):
            client.generate("Hi", metadata={"x-b-bin": b"z" * 6_000})
    with pytest.raises(ValueError, match="bytes of metadata"):
        Client("localhost", user_agent="m" * 70_000)
    with pytest.raises(ValueError, match="bytes of metadata"):
        Client("localhost", token="t" * 70_000)


REFUSED = "^token: is empty, or holds characters that cannot be sent$"


@pytest.mark.parametrize("token", ["sec\nret", "sec ret", " ", "ü"])
def test_a_token_that_cannot_be_sent_is_refused_without_being_shown(token):
    with pytest.raises(ValueError, match=REFUSED):
        Client("localhost", token=token)


def test_nothing_shows_the_token():
    assert repr(Client("gpu-1")) == "Client('gpu-1:50051')"
    client = Client("localhost", token="t0ken", tls=TLS())
    assert "t0ken" not in repr(client)
    assert "t0ken" not in str(client)


def test_a_token_in_the_clear_is_warned_about_unless_it_stays_here():
    with pytest.warns(InsecureTokenWarning, match="gpu-1:50051 travels unencrypted"):
        Client("gpu-1", token="t0ken")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Client("localhost", token="t0ken")
        Client("unix:/run/g.sock", token="t0ken")
        Client("gpu-1", token="t0ken", tls=True)


def described(options):
    options = dict(options)
    config = json.loads(options["grpc.service_config"])
    mib = 1 << 20
    lookups = options["grpc.dns_min_time_between_resolutions_ms"]
    return {
        "keep-alive ping every": f"{options['grpc.keepalive_time_ms'] // 1000} s",
        "keep-alive timeout": f"{options['grpc.keepalive_timeout_ms'] // 1000} s",
        "keep-alive without calls": "yes"
        if options["grpc.keepalive_permit_without_calls"]
        else "no",
        "largest message, each way": f"{options['grpc.max_receive_message_length'] // mib} MiB",
        "load balancing": "`" + next(iter(config["loadBalancingConfig"][0])) + "`",
        "longest time to connect": f"{options['grpc.min_reconnect_backoff_ms'] // 1000} s",
        "shortest time between two look-ups of a name": f"{lookups // 1000} s",
        "reconnect after": f"{options['grpc.initial_reconnect_backoff_ms'] / 1000} s, growing to "
        f"{options['grpc.max_reconnect_backoff_ms'] // 1000} s",
    }


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_readme_tells_the_defaults(name):
    text = (HOME / name).read_text(encoding="utf-8")
    table = re.search("<!-- defaults:begin -->(.*)<!-- defaults:end -->", text, re.DOTALL)[1]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line]
    facts = {
        "deadline of a call": f"{Client('localhost')._timeout:g} s",
        **described(Client("localhost")._options),
        "retries": f"{Client('localhost')._retries}, for `generate` only",
        "pause between retries": "what the gateway says",
    }
    if name == "README.md":
        assert {row[0]: row[1] for row in rows[2:]} == facts
    else:
        assert [figures(row[1]) for row in rows[2:]] == [figures(fact) for fact in facts.values()]


def figures(cell):
    """What is the same in every language."""
    return re.findall(r"[0-9.]+|`[^`]+`|MiB", cell)


def test_options_of_the_caller_win():
    """Each name once: of two grpc takes the first."""
    options = [("grpc.keepalive_time_ms", 4), ("grpc.keepalive_time_ms", 5), ("mine", "a")]
    client = Client("localhost", options=iter(options))
    assert dict(client._options)["grpc.keepalive_time_ms"] == 5
    names = [name for name, _ in client._options]
    assert sorted(names) == sorted({*names, "mine"})


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_options_of_the_caller_win_at_grpc_too(gateway, kind):
    async def ask(prompt, **settings):
        client = kind(gateway.target, **settings)
        answer = client.generate(prompt, max_tokens=1)
        result = await answer if kind is AsyncClient else answer
        closing = client.close()
        if closing is not None:
            await closing
        return result

    def call(prompt, **settings):
        return asyncio.run(ask(prompt, **settings))

    with pytest.raises(ResponseTooLargeError):
        call("Hi", options=[("grpc.max_receive_message_length", 10)])
    with pytest.raises(RequestTooLargeError, match="Sent message larger"):
        call("Hi" * 100, options=[("grpc.max_send_message_length", 10)])
    for size in (-1, 1 << 20):
        larger = [("grpc.max_send_message_length", size)]
        assert call("Hi" * 100, max_message_bytes=100, options=[*larger, RECEIVES]).text


RECEIVES = ("grpc.max_receive_message_length", 1 << 20)

NO_OPTIONS = [
    ([("grpc.x", object())], TypeError),
    ([("grpc.x", None)], TypeError),
    ([("grpc.x", 1.5)], TypeError),
    ([("grpc.x", 2**40)], ValueError),
    ([("grpc.x", -(2**31) - 1)], ValueError),
    ([("grpc.x", "a\0b")], ValueError),
    ([("grpc.x", "\ud800")], ValueError),
    ([("", 1)], ValueError),
    ([("grpc.\0", 1)], ValueError),
    ([(b"grpc.x", 1)], TypeError),
    ([("grpc.x", 1, 2)], TypeError),
    ({"grpc.x": 1}, TypeError),
    ([("grpc.service_config", "{")], ValueError),
    ([("grpc.service_config", "[]")], ValueError),
]


@pytest.mark.parametrize(("options", "kind"), NO_OPTIONS, ids=lambda value: repr(value)[:40])
def test_what_is_no_option_is_refused_at_once(options, kind):
    with pytest.raises(kind, match=r"^options"):
        Client("localhost", options=options)


def test_options_of_every_kind_are_taken(seen):
    config = '{"loadBalancingConfig": [{"pick_first": {}}]}'
    options = [("grpc.service_config", config), ("x.b", b"b"), ("x.t", True), ("x.i", -(2**31))]
    with Client(seen.target, options=options) as client:
        assert client.generate("Hi").text == "seen"


def test_several_addresses_are_used_in_turn(seen):
    other = Seen()
    try:
        with Client(f"ipv4:{seen.target},{other.target}") as client:
            client.generate("Hi")
            for _ in range(200):
                client.generate("Hi")
                if seen.calls and other.calls:
                    break
        assert seen.calls
        assert other.calls
    finally:
        other.close()


def test_a_unix_socket_works(tmp_path, gateway):
    path = tmp_path / "g.sock"
    with door_to_port(path, gateway.port), Client(f"unix:{path}") as client:
        assert client.generate("Hi", max_tokens=2).text


def test_a_proxy_in_the_environment_does_not_matter_for_loopback(monkeypatch, gateway):
    for name in ("http_proxy", "https_proxy", "grpc_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("no_proxy", raising=False)
    with Client(gateway.target) as client:
        assert client.generate("Hi", max_tokens=2).text


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_gateway_that_is_back_is_found_within_a_second_or_so(kind):
    async def ask(client):
        answer = client.generate("Hi", timeout=5)
        return await answer if kind is AsyncClient else answer

    async def main(target, begin):
        client = kind(target)
        for _ in range(35):  # so long that pauses grow to their longest
            with pytest.raises(UnavailableError, match=r"nobody listened at .* when it was last"):
                await ask(client)
            await asyncio.sleep(0.1)
        begin()
        begun = time.monotonic()
        while True:
            try:
                await ask(client)
                break
            except UnavailableError:
                assert time.monotonic() - begun < 2.5
                await asyncio.sleep(0.05)

    port = free_port()
    server = grpc.server(futures.ThreadPoolExecutor(1))
    seen = Seen()
    llm_pb2_grpc.add_LLMServiceServicer_to_server(seen, server)

    def begin():
        server.add_insecure_port(f"127.0.0.1:{port}")
        server.start()

    asyncio.run(main(f"127.0.0.1:{port}", begin))
    server.stop(None).wait()
    seen.close()


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize("way", ["generate", "stream"])
def test_who_waits_for_a_connection_is_told_why_there_was_none(kind, way):
    async def call():
        client = kind(f"127.0.0.1:{free_port()}", wait_for_ready=True, timeout=0.4)
        if way == "stream":
            stream = client.stream("Hi")
            return await stream.__anext__() if kind is AsyncClient else next(stream)
        answer = client.generate("Hi")
        return await answer if kind is AsyncClient else answer

    begun = time.monotonic()
    with pytest.raises(DeadlineExceededError, match=r"there is no connection .*nobody listened at"):
        asyncio.run(call())
    assert time.monotonic() - begun < 3


def test_wait_for_ready_waits_for_the_gateway():
    port = free_port()
    answers = []
    with Client(f"127.0.0.1:{port}", wait_for_ready=True) as client:
        waiting = threading.Thread(target=lambda: answers.append(client.generate("Hi", timeout=20)))
        waiting.start()
        server = grpc.server(futures.ThreadPoolExecutor(1))
        seen = Seen()
        llm_pb2_grpc.add_LLMServiceServicer_to_server(seen, server)
        server.add_insecure_port(f"127.0.0.1:{port}")
        server.start()
        waiting.join()
        server.stop(None).wait()
        seen.close()
    assert [answer.text for answer in answers] == ["seen"]


FORKED = """
import os, sys
from inference_gateway import Client
unused, used = Client(sys.argv[1]), Client(sys.argv[1])
if len(sys.argv) > 2:
    used.generate("Hi", max_tokens=1)
child = os.fork()
if child == 0:
    try:
        used.generate("Hi", max_tokens=1)
        os._exit(7)
    except RuntimeError as e:
        os._exit(8 if "before the process forked" in str(e) else 9)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize(("arguments", "code"), [((), 7), (("used",), 8)])
def test_a_client_used_before_a_fork_says_so_and_an_unused_one_works(gateway, arguments, code):
    command = [sys.executable, "-c", FORKED, gateway.target, *arguments]
    child = subprocess.run(command, capture_output=True, timeout=30, check=False)
    assert child.returncode == code, child.stderr


def test_what_is_no_timeout_model_or_tls_is_refused():
    with pytest.raises(TypeError, match="timeout"):
        AsyncClient("localhost", timeout="1")
    with pytest.raises(ValueError, match="cert and key need each other"):
        TLS(cert=b"x")
    with pytest.raises(ValueError, match="tls ca: cannot read '/nowhere'"):
        Client("localhost", tls=TLS(ca="/nowhere"))
    with pytest.raises(ValueError, match="tls ca: holds no PEM block"):
        Client("localhost", tls=TLS(ca=b"nothing"))


FORKED_STREAM = """
import os, sys
from inference_gateway import Client

def in_child(do):
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        do()
        os._exit(7)
    except RuntimeError as e:
        os._exit(8 if "before the process forked" in str(e) else 9)

def left(do):
    do()
    os._exit(8)

def threads():
    client = Client(sys.argv[1])
    stream = client.stream("Hi [[sim:inter-token=20ms]]", max_tokens=20, timeout=10)
    pieces = stream.chunks() if sys.argv[3:] else iter(stream)
    next(pieces)
    how = {
        "read": lambda: next(pieces),
        "ask": lambda: client.generate("Hi"),
        "close": lambda: left(stream.close),
        "close client": lambda: left(client.close),
        "leave": lambda: left(lambda: stream.__exit__(None, None, None)),
    }
    code = in_child(how[sys.argv[2]])
    assert len(list(pieces)) > 10  # the parent's goes on
    return code

sys.exit(threads())
"""


@pytest.mark.parametrize(
    "how",
    [["read"], ["read", "chunks"], ["ask"], ["close"], ["close client"], ["leave"]],
    ids=str,
)
def test_a_child_leaves_its_parents_stream_alone_and_is_told_so(gateway, how):
    command = [sys.executable, "-c", FORKED_STREAM, gateway.target, *how]
    child = subprocess.run(command, capture_output=True, timeout=30, check=False)
    assert child.returncode == 8, child.stderr


def test_an_asyncio_stream_of_another_process_is_left_alone_and_told_so(gateway, monkeypatch):
    """Without a fork: grpc.aio may crash in the child by itself."""

    async def main():
        async with AsyncClient(gateway.target) as client:
            stream = client.stream("Hi", max_tokens=5)
            pieces = stream.__aiter__()
            with monkeypatch.context() as elsewhere:
                elsewhere.setattr(client, "_pid", 0)
                with pytest.raises(RuntimeError, match="before the process forked"):
                    await pieces.__anext__()
                stream.close()
                await client.close()
            assert len([piece async for piece in pieces]) == 5
            client._closed = False

    asyncio.run(main())
