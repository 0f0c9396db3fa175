"""Client of Inference Gateway: gRPC to LLM inference servers.

::

    from inference_gateway import Client

    with Client("localhost:50051") as client:
        print(client.generate("Explain GPU compute units."))
        for token in client.stream("And now as a poem.", max_tokens=200):
            print(token, end="", flush=True)
"""

from inference_gateway._aio import AsyncClient, AsyncInferenceClient, AsyncStream
from inference_gateway._answer import Answer, HealthReport, Message, Timing, Usage
from inference_gateway._params import CallOptions, InferenceParams, Params
from inference_gateway._settings import InsecureTokenWarning, __version__
from inference_gateway._sync import Client, InferenceClient, Stream
from inference_gateway._tls import TLS
from inference_gateway.errors import *  # noqa: F403
from inference_gateway.errors import __all__ as _errors

__all__ = [
    "TLS",
    "Answer",
    "AsyncClient",
    "AsyncInferenceClient",
    "AsyncStream",
    "CallOptions",
    "Client",
    "HealthReport",
    "InferenceClient",
    "InferenceParams",
    "InsecureTokenWarning",
    "Message",
    "Params",
    "Stream",
    "Timing",
    "Usage",
    "__version__",
    *_errors,
]
