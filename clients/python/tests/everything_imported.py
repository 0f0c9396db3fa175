"""Type-check that a star brings every public name; never run."""

from inference_gateway import *


def ask(client: Client) -> None:
    """Use some of them."""
    try:
        answer: Answer = client.generate("Hi")
        print(answer.text)
    except DeadlineExceededError as e:
        print(e.retry_after)
    except InferenceError as e:
        print(e.reason)
