"""A room with the names and the port that a snippet expects: run inside ``unshare -n -m``.

A Unix socket, which namespaces share, is the door to the gateway outside.
"""

import ast
import asyncio
import fcntl
import inspect
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import relay


def _furnish(door):
    up = struct.pack("16sH14s", b"lo", 1, b"")  # IFF_UP
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS
    with tempfile.NamedTemporaryFile("w", suffix=".hosts", delete=False) as hosts:
        hosts.write("127.0.0.1 localhost llm-service\n")
    subprocess.run(["mount", "--bind", hosts.name, "/etc/hosts"], check=True)
    Path(hosts.name).unlink()
    relay.port_to_door(50051, door)


def _run(text):
    """Run a snippet that may ``await`` outside any function."""
    code = compile(text, "snippet", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    ran = eval(code, {"__name__": "__main__"})
    if inspect.iscoroutine(ran):

        async def main():
            await ran

        asyncio.run(main())


if __name__ == "__main__":
    sys.path.insert(0, ".")
    if sys.argv[1] != "-":
        _furnish(sys.argv[1])
    _run(Path(sys.argv[2]).read_text(encoding="utf-8"))
