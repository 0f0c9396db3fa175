"""What makes no sense is refused at once, in words, and none of them a secret."""

import functools

import pytest

from inference_gateway import (
    TLS,
    AuthenticationError,
    Client,
    InferenceClient,
)


async def later():
    return "secret"


class Later:
    async def __call__(self):
        return "secret"


WRONG = [
    ({"proxy": "no"}, TypeError, "proxy: takes True or False"),
    ({"tls": "ca.pem"}, TypeError, "tls: takes True or TLS"),
    ({"tls": {}}, TypeError, "tls: takes True or TLS"),
    ({"tls": 1}, TypeError, "tls: takes True or TLS"),
    ({"token": 5}, TypeError, "token: takes a string or a function"),
    ({"token": b"secret"}, TypeError, "token: takes a string or a function"),
    ({"token": "sec\nret"}, ValueError, "token: is empty, or holds"),
    ({"token": " "}, ValueError, "token: is empty, or holds"),
    ({"token": Later()}, TypeError, "token: an async function is for the asyncio clients"),
    ({"token": later}, TypeError, "token: an async function is for the asyncio clients"),
    (
        {"token": functools.partial(later)},
        TypeError,
        "token: an async function is for the asyncio clients",
    ),
    ({"metadata": "secret"}, TypeError, "metadata: takes pairs"),
    ({"metadata": 5}, TypeError, "metadata: takes pairs"),
    ({"metadata": ["secret"]}, TypeError, "metadata: takes pairs"),
    ({"metadata": [("a", "secret", "c")]}, TypeError, "metadata: takes pairs"),
    ({"metadata": [("a", 5)]}, TypeError, "metadata a: takes visible ASCII"),
    ({"timeout": -(10**400)}, ValueError, "timeout: takes 0 seconds or more"),
    ({"timeout": float("nan")}, ValueError, "timeout: takes 0 seconds or more"),
    ({"model": 5}, TypeError, "model: takes a string"),
    ({"user_agent": 5}, TypeError, "user_agent: takes a string"),
    ({"user_agent": "a\nb"}, ValueError, "user_agent: takes visible ASCII"),
    ({"max_message_bytes": "64"}, TypeError, "max_message_bytes: takes a whole number"),
    ({"max_message_bytes": 10**20}, ValueError, "max_message_bytes: takes 1 to 2147483647"),
    ({"wait_for_ready": "no"}, TypeError, "wait_for_ready: takes True or False"),
    ({"options": "x"}, TypeError, "options: takes pairs"),
    ({"options": [5]}, TypeError, "options: takes pairs"),
]


@pytest.mark.parametrize(("settings", "kind", "words"), WRONG, ids=lambda value: str(value)[:30])
def test_settings_that_make_no_sense_are_refused(settings, kind, words):
    for make in (Client, InferenceClient):
        with pytest.raises(kind, match=words) as refused:
            make("localhost", **settings)
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["a b", "é", "", 5])
def test_a_servers_name_is_a_hosts(name):
    with pytest.raises((TypeError, ValueError), match="tls server_name: takes "):
        TLS(server_name=name)


FUNCTIONS = [
    (lambda: None, AuthenticationError, "token: takes a string or a function that returns one"),
    (lambda: 5, AuthenticationError, "token: takes a string or a function that returns one"),
    (
        lambda: b"secret",
        AuthenticationError,
        "token: takes a string or a function that returns one",
    ),
    (lambda: "", AuthenticationError, "token: is empty, or holds"),
    (lambda: "sec\nret", AuthenticationError, "token: is empty, or holds"),
    (lambda: later(), TypeError, "token: an async function is for"),
    ({}.popitem, AuthenticationError, "function that is to return the token raised KeyError"),
]


@pytest.mark.parametrize(("token", "kind", "words"), FUNCTIONS)
def test_a_token_function_that_returns_none_is_refused_at_the_call(token, kind, words):
    client = Client("localhost:1", token=token)
    for call in (
        lambda: client.generate("Hi"),
        lambda: client.stream("Hi"),
        client.health,
        lambda: client.wait_until_ready(5),
    ):
        with pytest.raises(kind, match=words) as refused:
            call()
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"request_id": "a b"}, ValueError, "request_id: takes 1 to 128"),
        ({"request_id": "a\n"}, ValueError, "request_id: takes 1 to 128"),
        ({"request_id": "é"}, ValueError, "request_id: takes 1 to 128"),
        ({"request_id": "a" * 129}, ValueError, "request_id: takes 1 to 128"),
        ({"request_id": 5}, TypeError, "request_id: takes a string"),
        ({"metadata": "x"}, TypeError, "metadata: takes pairs"),
        ({"metadata": {"x": None}}, TypeError, "metadata x: takes visible ASCII"),
        ({"wait_for_ready": 5}, TypeError, "wait_for_ready: takes True or False"),
        ({"timeout": -1}, ValueError, "timeout: takes 0 seconds or more"),
        ({"max_tokens": 10**20}, ValueError, "max_tokens: takes a whole number"),
    ],
    ids=str,
)
def test_calls_that_make_no_sense_are_refused(given, kind, words):
    client = Client("localhost:1")
    for call in (client.generate, client.stream):
        with pytest.raises(kind, match=words):
            call("Hi", **given)


def test_a_services_name_is_text():
    client = Client("localhost:1")
    with pytest.raises(TypeError, match="service: takes a string"):
        client.health(5)
    with pytest.raises(ValueError, match="service: takes a string"):
        client.wait_until_ready(5, service="\ud800")


def test_any_large_timeout_is_none(client):
    assert Client("localhost", timeout=10**400)._timeout is None
    assert client.generate("Hi", max_tokens=1, timeout=10**400).text
    client.wait_until_ready(10**400)
    assert client.health(timeout=10**400) == "SERVING"


@pytest.mark.parametrize(
    "target",
    [
        *("ipv4:localhost:1", "ipv4:127.0.0.1:1,gpu-2:1", "ipv4:256.1.1.1:5", "ipv4:[::1]:5"),
        *("ipv6:1.2.3.4:5", "ipv6:localhost", "dns://ns/x", "dns://ns.test:53/x:1"),
        *("dns://x", "unix://a", "unix://host/a", "a:5:6", "[1.2.3.4]:5", "a..b", ".."),
    ],
)
def test_a_target_that_grpc_could_not_use_is_refused_at_once(target):
    with pytest.raises(ValueError, match=r"^target: "):
        Client(target)


@pytest.mark.parametrize("target", ["ipv6:[::1]:5,[::2]", "ipv6:::1", "::1", "[fe80::1%eth0]:5"])
def test_a_target_may_be_ipv6(target):
    assert "[" in Client(target)._target.address
