"""Calls of two callers, with what an SRE may meet: callers who leave, short deadlines, slow readers, a burst, a wrong key.

load.py HOST:PORT SECONDS
"""

import random
import sys
import threading
import time

from inference_gateway import Client

KEYS = {"shop": "igw_shop-key-of-the-picture-0123456789", "batch": "igw_batch-key-of-the-picture-0123456789"}


def one(client, prompt, timeout, leaves):
    try:
        for count, _ in enumerate(client.stream(prompt, timeout=timeout, max_tokens=60 if "big" not in prompt else 4096)):
            if count == leaves:
                return
            if "big-answer" in prompt:
                time.sleep(0.3)
    except Exception:
        pass  # What calls come to is what the dashboard shows.


def caller(client, until, pause, choose):
    while time.monotonic() < until:
        one(client, *choose())
        time.sleep(random.uniform(0, pause))


def usual():
    kind = random.random()
    if kind < 0.06:
        return "Hello", 10, 5
    if kind < 0.12:
        return "[[sim:inter-token=400ms]] Hello", 2, -1
    if kind < 0.15:
        return "[[sim:status=500]] Hello", 10, -1
    if kind < 0.17:
        return "[[sim:big-answer=30000000]] Hello", 20, 10
    if kind < 0.19:
        return "[[sim:status=503-queue]] Hello", 10, -1
    return "Hello", 20, -1


def main():
    target, seconds = sys.argv[1], float(sys.argv[2])
    begun = time.monotonic()
    until = begun + seconds
    threads = []

    def start(client, many, until, pause, choose=usual):
        for _ in range(many):
            threads.append(threading.Thread(target=caller, args=(client, until, pause, choose)))
            threads[-1].start()

    clients = {name: Client(target, token=key, tls=False) for name, key in KEYS.items()}
    start(clients["shop"], 8, until, 0.6)
    start(clients["batch"], 4, until, 0.3)
    stranger = Client(target, token="igw_of-nobody-0123456789-0123456789", tls=False)
    start(stranger, 1, until, 4, lambda: ("Hello", 5, -1))
    time.sleep(seconds * 0.75)
    start(clients["batch"], 50, time.monotonic() + seconds * 0.12, 1)
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
