"""What every client of this package is made of, sync or asyncio, of either contract. No IO."""

from __future__ import annotations

import inspect
import json
import os
import random
import threading
import time
import warnings
from collections.abc import Awaitable, Iterable, Mapping
from importlib import metadata as distribution
from typing import Any, Callable, Generic, NamedTuple, NoReturn, Optional, Union

import grpc

from inference_gateway import _checks, _params, errors
from inference_gateway._contract import REPORT, ChunkT, Contract, Method
from inference_gateway._failure import Asked, Ended, ended, error_of, reached_at, refused_at
from inference_gateway._target import DEFAULT_PORT, target_of
from inference_gateway._tls import TLS
from inference_gateway._token import asked_in_loop, asked_in_thread, is_async
from inference_gateway.proto import health_pb2

try:
    __version__ = distribution.version("inference-gateway-client")
except distribution.PackageNotFoundError:  # bundled without its metadata
    __version__ = "unknown"

Token = Union[str, Callable[[], Union[str, Awaitable[str]]], None]

HEALTH: Method[health_pb2.HealthCheckResponse] = Method(
    "grpc.health.v1.Health",
    "Check",
    health_pb2.HealthCheckRequest,
    health_pb2.HealthCheckResponse,
)

_TWO_TOKENS = "metadata authorization: there is a token already, by token= or the environment"
_HEADERS = ("grpc.primary_user_agent", "grpc.secondary_user_agent", "grpc.default_authority")
"""The channel arguments that travel with every call."""

_NOT_ASYNC = "token: an async function is for the asyncio clients"
_SERVICE = _params.Field("service", takes="a string")
_MIB = 1 << 20
_MOST_RETRIES = 4
_HEALTH_TIMEOUT = 5.0

PROBE_TIMEOUT = 0.1
"""How long a call may take longer to learn why there was no connection; really it is at once."""


class InsecureTokenWarning(UserWarning):
    """A token is sent in the clear."""


class Prepared(NamedTuple):
    """One call, ready to be made."""

    request: Any
    asked: Asked
    options: Mapping[str, Any]
    """``timeout``, ``metadata`` and ``wait_for_ready``, as grpc names them."""

    token: Optional[Awaitable[Any]] = None
    """What is still to be waited for before the call is made."""

    def with_token(self, token: Any, headers: int) -> Prepared:
        """The same call, by somebody who is known; with so many bytes of other headers."""
        metadata = (*_checks.bearer(token), *self.options["metadata"])
        _checks.refuse_large("token", metadata, headers)
        return self._replace(options={**self.options, "metadata": metadata}, token=None)

    def again(self) -> Prepared:
        """The same call, with the time that is left."""
        until = self.asked.until
        if until is None:
            return self
        left = max(0.0, until - time.monotonic())
        return self._replace(options={**self.options, "timeout": left})


class ClientSettings(Generic[ChunkT]):
    """Checked settings of a client, and the calls made with them.

    Args:
        target: Where the gateway is: ``host:port``, ``dns:///host:port``, ``unix:/path``, or
            several as ``ipv4:10.0.0.1:50051,10.0.0.2:50051``. A host alone gets port 50051. Without
            it ``INFERENCE_GATEWAY_TARGET``, else ``localhost:50051``.
        model: The model of calls that name none. Default: the gateway's.
        timeout: Seconds until a call is given up, where the call does not say: 60. None: no
            deadline but the gateway's own longest time for a call.
        token: Sent as ``authorization: Bearer ...`` with every call: a string, or a function that
            returns one and is asked at every call, in a thread of its own and no longer than the
            call's deadline (for the asyncio clients it may be an async one). Without it
            ``INFERENCE_GATEWAY_TOKEN``, else none.
        tls: True, or `TLS` with files of your own. Default: plaintext.
        retries: How often a call that is not streamed is sent again where the gateway calls that
            safe: 0 to 4.
        wait_for_ready: Whether calls wait for a connection, up to their deadline. Default: a
            gateway that cannot be reached is an error at once.
        user_agent: Put before the client's own.
        max_message_bytes: The largest message to send or take: 64 MiB.
        metadata: gRPC metadata of every call; with the call's own 64 KiB at most.
        proxy: Whether ``http_proxy``, ``https_proxy``, ``grpc_proxy`` and ``no_proxy`` of the
            environment count. They never do for a loopback address or a Unix socket.
        options: gRPC channel arguments, which win over those of this package.

    Raises:
        TypeError, ValueError: A setting makes no sense; says what to write.
    """

    _contract: Contract[ChunkT]
    _awaits_tokens = False

    def __init__(
        self,
        target: Optional[str] = None,
        *,
        model: Optional[str] = None,
        timeout: Optional[float] = 60.0,
        token: Token = None,
        tls: Union[bool, TLS] = False,
        retries: int = 2,
        wait_for_ready: bool = False,
        user_agent: str = "",
        max_message_bytes: int = 64 * _MIB,
        metadata: Optional[_params.Metadata] = None,
        proxy: bool = True,
        options: Iterable[tuple[str, Union[str, bytes, int]]] = (),
    ) -> None:
        _checks.retries(retries, _MOST_RETRIES)
        _checks.kind("tls", tls, (bool, TLS, type(None)), "True or TLS(...)")
        _checks.kind("model", model, (str, type(None)), "a string")
        _checks.kind("wait_for_ready", wait_for_ready, (bool,), "True or False")
        _checks.kind("proxy", proxy, (bool,), "True or False")
        text = target or os.environ.get("INFERENCE_GATEWAY_TARGET") or f"localhost:{DEFAULT_PORT}"
        self._target = target_of(text)
        self._model = model
        self._timeout = _params.seconds("timeout", timeout)
        self._metadata = _checks.metadata(metadata)
        own = any(name == "authorization" for name, _ in self._metadata)
        environment = None if own else os.environ.get("INFERENCE_GATEWAY_TOKEN")
        self._token = token or environment or None
        if own and self._token:
            raise ValueError(_TWO_TOKENS)
        if callable(self._token) and is_async(self._token) and not self._awaits_tokens:
            raise TypeError(_NOT_ASYNC)
        self._tls = TLS() if tls is True else tls or None
        self._credentials = self._tls.credentials() if self._tls else None
        self._wait_for_ready = wait_for_ready
        self._retries = retries
        agent, message_bytes = (
            _checks.user_agent(user_agent),
            _checks.message_bytes(max_message_bytes),
        )
        # Of two arguments with one name grpc takes the first.
        merged = dict(self._defaults(agent, message_bytes, proxy))
        merged.update(_checks.options(options))
        self._options = tuple(merged.items())
        self._headers = sum(len(str(merged.get(name, ""))) for name in _HEADERS)
        known = () if callable(self._token) or not self._token else _checks.bearer(self._token)
        _checks.refuse_large("metadata", (*known, *self._metadata), self._headers)
        self._lock = threading.Lock()
        """Protects the making and closing of the channel from other threads."""
        self._calls: dict[str, Any] = {}
        """grpc's callables by path, while there is a channel."""
        self._closed = False
        self._closing = threading.Event()
        """Ends the pauses of those who wait to ask again."""
        self._pid: Optional[int] = None
        self._warn_of_plain_token()

    def __repr__(self) -> str:
        tls = f", tls={self._tls!r}" if self._tls else ""
        return f"{type(self).__name__}({self._target.address!r}{tls})"

    def _defaults(
        self, user_agent: str, max_message_bytes: int, proxy: bool
    ) -> list[tuple[str, Any]]:
        agent = f"{user_agent} inference-gateway-python/{__version__}".strip()
        options: list[tuple[str, Any]] = [
            ("grpc.primary_user_agent", agent),
            ("grpc.keepalive_time_ms", 30_000),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.max_pings_without_data", 0),
            ("grpc.max_receive_message_length", max_message_bytes),
            ("grpc.max_send_message_length", max_message_bytes),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 1_000),
            ("grpc.min_reconnect_backoff_ms", 5_000),  # really: the longest time to connect
            ("grpc.dns_min_time_between_resolutions_ms", 2_000),  # an address may have changed
            ("grpc.use_local_subchannel_pool", 1),  # a client's connections are its own
            ("grpc.service_config_disable_resolution", 1),
            ("grpc.service_config", json.dumps(_SERVICE_CONFIG)),
        ]
        if self._target.local or not proxy:
            options.append(("grpc.enable_http_proxy", 0))
        if self._tls and self._tls.server_name:
            options.append(("grpc.ssl_target_name_override", self._tls.server_name))
            options.append(("grpc.default_authority", self._tls.server_name))
        return options

    def _warn_of_plain_token(self) -> None:
        if self._token and not self._tls and not self._target.local:
            warnings.warn(
                f"the token for {self._target.address} travels unencrypted: use tls=",
                InsecureTokenWarning,
                stacklevel=3,
            )

    def _prepare(
        self,
        name: str,
        method: Method[Any],
        prompt: Any,
        params: Mapping[str, Any],
    ) -> Prepared:
        """Make a request of what the caller said, before anything is sent."""
        prompt, params = _params.apart(prompt, params)
        _params.refuse_unknown(name, self._contract.fields, params)
        request = method.request()
        _params.add_prompt(request, prompt)
        _params.fill(request, self._contract.fields, params)
        if self._model and not request.model:
            self._contract.fields["model"].put(request, "model", self._model)
        return self._ready(request, params)

    def _ready(self, request: Any, call: Mapping[str, Any]) -> Prepared:
        """Add what every call has: deadline, name, metadata, token."""
        self._refuse_closed()
        self._refuse_forked()
        timeout = _params.seconds("timeout", call.get("timeout", self._timeout))
        until = None if timeout is None else time.monotonic() + timeout
        request_id = _checks.request_id(call.get("request_id"))
        given = _checks.metadata(call.get("metadata"))
        if self._token and any(name == "authorization" for name, _ in given):
            raise ValueError(_TWO_TOKENS)
        sent = (("x-request-id", request_id), *self._metadata, *given)
        _checks.refuse_large("metadata", sent, self._headers)
        waits = call.get("wait_for_ready")
        _checks.kind("wait_for_ready", waits, (bool, type(None)), "True or False")
        prepared = Prepared(
            request,
            Asked(self._target.address, request_id, timeout, until),
            {
                "timeout": timeout,
                "metadata": sent,
                "wait_for_ready": self._wait_for_ready if waits is None else waits,
            },
        )
        return self._identified(prepared)

    def _health_call(
        self, service: str, timeout: Optional[float], waits: Optional[bool] = None
    ) -> Prepared:
        request = HEALTH.request()
        _SERVICE.put(request, "service", service)
        return self._ready(request, {"timeout": timeout, "wait_for_ready": waits})

    def _report_call(self, timeout: Optional[float]) -> Prepared:
        return self._ready(REPORT.request(), {"timeout": timeout})

    def _identified(self, prepared: Prepared) -> Prepared:
        """Add the token, or what is to be waited for."""
        if self._token is None:
            return prepared
        if not callable(self._token):
            return prepared.with_token(self._token, self._headers)
        if self._awaits_tokens:
            return prepared._replace(token=asked_in_loop(self._token))
        try:
            token: Any = asked_in_thread(self._token).result(prepared.again().options["timeout"])
        except Exception as e:
            raise self._unknown(prepared.asked, e) from e
        if inspect.isawaitable(token):
            if inspect.iscoroutine(token):
                token.close()
            raise TypeError(_NOT_ASYNC)
        return self._with_asked(prepared, token)

    def _with_asked(self, prepared: Prepared, token: Any) -> Prepared:
        """Add what the function returned, if it is a token."""
        try:
            return prepared.with_token(token, self._headers).again()
        except (TypeError, ValueError) as e:
            raise errors.AuthenticationError(
                f"the function that is to return the token gave none that can be sent: {e}",
                code="UNAUTHENTICATED",
                request_id=prepared.asked.request_id,
            ) from None

    def _unknown(self, asked: Asked, error: Exception) -> errors.InferenceError:
        """Say that there is no token, but not in the function's own words, which may hold it."""
        if isinstance(error, errors.InferenceError):
            return error
        if asked.until is not None and time.monotonic() >= asked.until - 0.01:
            return errors.DeadlineExceededError(
                f"the function that is to return the token took the whole {asked.timeout:g} s",
                code="DEADLINE_EXCEEDED",
                request_id=asked.request_id,
            )
        return errors.AuthenticationError(
            f"the function that is to return the token raised {type(error).__name__}",
            code="UNAUTHENTICATED",
            request_id=asked.request_id,
        )

    def _pause_after(
        self, error: errors.InferenceError, tries: int, asked: Asked
    ) -> Optional[float]:
        """Seconds until the call is sent again; None where that is not safe, or too late."""
        if tries > self._retries or error.retry_after is None:
            return None
        # Callers that were turned away together must not come back together.
        pause = error.retry_after * random.uniform(1, 1.1)  # noqa: S311
        fits = asked.until is None or time.monotonic() + pause < asked.until
        return pause if fits else None

    def _end_of(self, error: Any) -> Ended:
        """Read a grpc error."""
        state = self._state()
        return ended(error, None if state is None else state is grpc.ChannelConnectivity.READY)

    def _is_failing(self) -> bool:
        """Whether there is no connection since none could be made."""
        return not self._closed and self._state() is grpc.ChannelConnectivity.TRANSIENT_FAILURE

    def _cut(self, asked: Asked) -> errors.InferenceError:
        """Say what it means that this side ended the call, by closing stream or client."""
        return self._error(Ended("CANCELLED", "", {}), asked)

    def _state(self) -> Optional[grpc.ChannelConnectivity]:
        """How the connection is, to any gateway; None where grpc does not tell."""
        raise NotImplementedError

    def _error(self, end: Ended, asked: Asked) -> errors.InferenceError:
        if self._closed and end.code == "CANCELLED":
            return errors.ClientClosedError(
                "the client was closed during the call",
                code="CANCELLED",
                request_id=asked.request_id,
            )
        return error_of(end, asked)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise errors.ClientClosedError("the client is closed", code="CANCELLED")

    def _is_forked(self) -> bool:
        return self._pid not in (None, os.getpid())

    def _refuse_forked(self) -> None:
        if self._is_forked():
            raise RuntimeError(
                "this client was used before the process forked, and connections do not survive "
                "that: make a client in each process, after the fork"
            )


class Readiness:
    """Waiting for a gateway to be ready: how long still, and what was last seen."""

    def __init__(self, target: str, timeout: Optional[float]) -> None:
        self._target = target
        self._timeout = _params.seconds("timeout", timeout)
        self._begun = time.monotonic()
        self._pause = 0.05
        self._seen: Union[str, errors.InferenceError, None] = None

    def left(self) -> float:
        """Seconds for the next question."""
        if self._timeout is None:
            return _HEALTH_TIMEOUT
        over = self._begun + self._timeout - time.monotonic()
        return min(_HEALTH_TIMEOUT, max(0.001, over))

    def pause(self, seen: Union[str, errors.InferenceError]) -> float:
        """Seconds until the next question.

        Raises:
            InferenceError: Asking again is no use, or the time is over.
        """
        if isinstance(seen, errors.InferenceError) and not isinstance(
            seen, (errors.UnavailableError, errors.DeadlineExceededError, errors.OverloadedError)
        ):
            raise seen
        self._note(seen)
        self._pause = min(1.0, self._pause * 1.6)
        if self._timeout is None:
            return self._pause
        left = self._begun + self._timeout - time.monotonic()
        if left <= 0:
            self._give_up()
        return min(self._pause, left)

    def _note(self, seen: Union[str, errors.InferenceError]) -> None:
        """Keep it, unless it tells less than what is known already.

        That there was no time left for an answer tells nothing. That nobody listens at one address
        tells less than why another one does not let this client in.
        """
        known = self._seen
        elsewhere = refused_at(seen)
        if known is not None and (
            isinstance(seen, errors.DeadlineExceededError)
            or (elsewhere and reached_at(known) not in (None, elsewhere))
        ):
            return
        self._seen = seen

    def _give_up(self) -> NoReturn:
        seen = self._seen
        last = seen.message if isinstance(seen, errors.InferenceError) else seen
        raise errors.DeadlineExceededError(
            f"{self._target} was not ready within {self._timeout:g} s; last seen: {last}",
            code="DEADLINE_EXCEEDED",
        ) from (seen if isinstance(seen, errors.InferenceError) else None)


def with_settings(client: type) -> str:
    """The class's words, and then what its settings are."""
    settings = (ClientSettings.__doc__ or "").partition("Args:")
    return f"{client.__doc__}\n    {settings[1]}{settings[2]}"


def health_word(response: health_pb2.HealthCheckResponse) -> str:
    """The status as a word."""
    kinds = health_pb2.HealthCheckResponse.ServingStatus
    return kinds.Name(response.status) if response.status in kinds.values() else "UNKNOWN"


def unknown_service(error: Any) -> bool:
    """Whether a health check failed since the gateway has no service of that name."""
    return bool(error.code() is grpc.StatusCode.NOT_FOUND)


_SERVICE_CONFIG: dict[str, Any] = {"loadBalancingConfig": [{"round_robin": {}}]}
"""No retry policy: gRPC's own would also repeat what the gateway said nothing about."""
