"""Whether a unary call is sent again: only when the gateway says so. No IO."""

from __future__ import annotations

import random
import time
from typing import Any, Optional

from inference_gateway._failure import Asked, trailers_of
from inference_gateway.errors import InferenceError


class Retries:
    """How often one call may still be sent again."""

    def __init__(self, most: int, asked: Asked) -> None:
        self._left = most
        self._until = asked.until

    def pause(self, error: InferenceError, trailers: Any) -> Optional[float]:
        """Seconds until the call is sent again; None: it is not, the error is what there is."""
        told = str(trailers_of(trailers).get("grpc-retry-pushback-ms", ""))
        if not self._left or error.retry_after is None or told.startswith("-"):
            return None
        # Those who were sent away together do not come back together.
        pause = error.retry_after + random.uniform(0, 0.01 + error.retry_after / 10)  # noqa: S311
        if self._until is not None and time.monotonic() + pause >= self._until:
            return None
        self._left -= 1
        return pause

    def again(self, prepared: Any) -> Any:
        """The same call with what is left of its time."""
        left = None if self._until is None else max(0.001, self._until - time.monotonic())
        return prepared._replace(options={**prepared.options, "timeout": left})
