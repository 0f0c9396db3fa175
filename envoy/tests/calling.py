"""Callers: stubs of both contracts over one channel, calls that run beside the test, what they were told."""

from __future__ import annotations

import http.client
import socket
import threading
import time
import uuid

import grpc
import inference_pb2
import inference_pb2_grpc
import llm_pb2
import llm_pb2_grpc


class Caller:
    """A channel of its own, without retries of its own: what is retried, Envoy has retried."""

    def __init__(self, target, credentials=None, **options):
        arguments = [
            ("grpc.enable_retries", 0),
            ("grpc.use_local_subchannel_pool", 1),
            *((name.replace("__", "."), value) for name, value in options.items()),
        ]
        if credentials is None:
            self.channel = grpc.insecure_channel(target, arguments)
        else:
            self.channel = grpc.secure_channel(target, credentials, arguments)
        self.llm = llm_pb2_grpc.LLMServiceStub(self.channel)
        self.inference = inference_pb2_grpc.InferenceServiceStub(self.channel)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()

    def complete(self, prompt, timeout=20, tokens=3, metadata=()):
        """One answer; its text."""
        return self.llm.Complete(asked(prompt, tokens), timeout=timeout, metadata=metadata).text

    def failure(self, prompt, timeout=20, tokens=3, metadata=()):
        """One answer that must fail; how."""
        try:
            answer = self.complete(prompt, timeout, tokens, metadata)
        except grpc.RpcError as error:
            return error
        raise AssertionError(f"no failure but {answer!r}")

    def stream(self, prompt, timeout=60, tokens=3, metadata=()):
        return Stream(self.llm.CompleteStream, asked(prompt, tokens), timeout, metadata)


def asked(prompt, tokens):
    """`tokens` is a limit: simulators end by themselves after 40 to 120."""
    return llm_pb2.CompleteRequest(messages=[llm_pb2.Message(role="user", content=prompt)], max_tokens=tokens)


def asked_small(prompt, tokens):
    message = inference_pb2.ChatMessage(role="user", content=prompt)
    return inference_pb2.GenerateRequest(messages=[message], max_tokens=tokens)


def trailers(error):
    return {key: value for key, value in error.trailing_metadata() or ()}


class Page:
    """One gRPC-Web call over HTTP/1.1, made by hand: no clock of its own, and only what it is told to send."""

    def __init__(self, target, path, request, headers=()):
        body = request.SerializeToString()
        self._connection = http.client.HTTPConnection(target, timeout=30)
        self._connection.request(
            "POST",
            path,
            b"\0" + len(body).to_bytes(4, "big") + body,
            {"content-type": "application/grpc-web+proto", "x-grpc-web": "1", **dict(headers)},
        )

    def answer(self):
        self.response = self._connection.getresponse()
        return self.response

    def leave(self):
        self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._connection.close()


class Stream:
    """A stream that is read beside the test."""

    def __init__(self, method, request, timeout, metadata=()):
        self.request_id = str(uuid.uuid4())
        self.began = time.monotonic()
        self.arrivals = []
        self.error = None
        self.last = None
        self._call = method(request, timeout=timeout, metadata=(("x-request-id", self.request_id), *metadata))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        try:
            for chunk in self._call:
                self.arrivals.append(time.monotonic() - self.began)
                self.last = chunk
        except grpc.RpcError as error:
            self.error = error
        self.took = time.monotonic() - self.began

    @property
    def first(self):
        return bool(self.arrivals)

    @property
    def code(self):
        return self.error.code() if self.error else grpc.StatusCode.OK

    def cancel(self):
        self._call.cancel()

    def ended(self, timeout=60):
        self._reader.join(timeout)
        assert not self._reader.is_alive(), "the stream has not ended"
        return self

    def whole(self, timeout=60):
        """It ended OK, with its last chunk."""
        self.ended(timeout)
        assert self.error is None, self.error
        assert self.last.done
        return self
