"""Asks a function for the token: in a thread, for it may block. No waiting."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from concurrent import futures
from typing import Any, Callable


def asked_in_thread(function: Callable[[], Any]) -> futures.Future[Any]:
    """Ask in a thread of its own, which nobody has to wait for: neither caller nor exit."""
    answer: futures.Future[Any] = futures.Future()
    answer.set_running_or_notify_cancel()  # who stops waiting cannot cancel it under the thread
    context = contextvars.copy_context()

    def ask() -> None:
        try:
            answer.set_result(context.run(function))
        except BaseException as e:
            answer.set_exception(e)

    threading.Thread(target=ask, name="inference-gateway-token", daemon=True).start()
    return answer


async def asked_in_loop(function: Callable[[], Any]) -> Any:
    """Ask without holding the event loop up; an async function in the loop itself."""
    if is_async(function):
        return await function()
    token = await asyncio.wrap_future(asked_in_thread(function))
    return await token if inspect.isawaitable(token) else token


def is_async(function: Any) -> bool:
    """Whether calling it gives a coroutine, as far as one can see."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004
    )
