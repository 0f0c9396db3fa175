"""What the command needs before the rest of the package is loaded, gRPC above all.

Imported first, and does nothing in a program that uses the package.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any


def _is_command() -> bool:
    """Whether Python is about to run this package, by ``-m``."""
    started = getattr(sys, "orig_argv", ())  # from Python 3.10 on
    if sys.argv[:1] != ["-m"] or len(started) <= len(sys.argv):
        return False
    module = str(started[-len(sys.argv)])
    return module in (__package__, f"-m{__package__}")


def end(*_: Any) -> None:
    """End as the command does."""
    os.write(2, b"cancelled\n")
    os._exit(130)


if _is_command():
    # gRPC's own lines would stand between the command's; what went wrong is in its errors.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)  # until the command can do better
