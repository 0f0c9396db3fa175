"""What can go wrong, and what to do about it."""

import time

from inference_gateway import (
    Client,
    DeadlineExceededError,
    InferenceError,
    InvalidRequestError,
    OverloadedError,
)


def ask(client: Client, prompt: str, tries: int = 3) -> str:
    """Ask, and come back later where the gateway says so; streams are not retried by themselves."""
    for _ in range(tries):
        try:
            return "".join(client.stream(prompt, max_tokens=40))
        except OverloadedError as e:
            if not e.retryable:
                raise
            time.sleep(e.retry_after or 1.0)
    raise SystemExit("too busy")


def main() -> None:
    with Client() as client:
        print(ask(client, "Hello"))

        try:
            client.generate("Hello", max_tokens=0, temperature=9)
        except InvalidRequestError as e:
            for violation in e.violations:
                print(f"{violation.field}: {violation.description}")

        try:
            client.generate("Tell me everything.", max_tokens=2000, timeout=0.1)
        except DeadlineExceededError as e:
            print(e)

        try:
            client.generate("Hello", model="no-such-model")
        except InferenceError as e:  # all others
            print(f"{e.code} {e.reason}: {e.message} (request {e.request_id})")


if __name__ == "__main__":
    main()
