"""Client of Inference Gateway: gRPC to LLM inference servers.

::

    from inference_gateway import Client

    with Client("localhost:50051") as client:
        print(client.generate("Explain GPU compute units."))
        for token in client.stream("And now as a poem.", max_tokens=200):
            print(token, end="", flush=True)
"""

from inference_gateway import _startup  # noqa: F401 (before all others)
from inference_gateway._aio import AsyncClient, AsyncInferenceClient, AsyncStream
from inference_gateway._answer import Answer, HealthReport, Message, Timing, Usage
from inference_gateway._params import (
    CallOptions,
    Conversation,
    InferenceConversation,
    InferenceParams,
    Params,
)
from inference_gateway._settings import InsecureTokenWarning, __version__
from inference_gateway._sync import Client, InferenceClient, Stream
from inference_gateway._tls import TLS
from inference_gateway.errors import (
    AuthenticationError,
    CancelledError,
    ClientClosedError,
    ContextLengthError,
    DeadlineExceededError,
    InferenceError,
    InternalError,
    InvalidRequestError,
    ModelNotFoundError,
    OverloadedError,
    PermissionDeniedError,
    RequestTooLargeError,
    ResponseTooLargeError,
    TooLargeError,
    UnavailableError,
    UnimplementedError,
    Violation,
)

__all__ = [
    "TLS",
    "Answer",
    "AsyncClient",
    "AsyncInferenceClient",
    "AsyncStream",
    "AuthenticationError",
    "CallOptions",
    "CancelledError",
    "Client",
    "ClientClosedError",
    "ContextLengthError",
    "Conversation",
    "DeadlineExceededError",
    "HealthReport",
    "InferenceClient",
    "InferenceConversation",
    "InferenceError",
    "InferenceParams",
    "InsecureTokenWarning",
    "InternalError",
    "InvalidRequestError",
    "Message",
    "ModelNotFoundError",
    "OverloadedError",
    "Params",
    "PermissionDeniedError",
    "RequestTooLargeError",
    "ResponseTooLargeError",
    "Stream",
    "Timing",
    "TooLargeError",
    "UnavailableError",
    "UnimplementedError",
    "Usage",
    "Violation",
    "__version__",
]
