"""Leaving a stream early: the generation stops at the GPU, not only here."""

from inference_gateway import Client


def main() -> None:
    conversation = [
        {"role": "system", "content": "Answer in a few sentences."},
        {"role": "user", "content": "Why is the sky blue?"},
    ]
    with Client() as client:
        stream = client.stream(conversation, temperature=0)
        for token in stream:
            print(token, end="", flush=True)
            if "." in token:
                break  # one sentence is enough
        print(f"\n[left after {len(stream.text)} characters, request {stream.request_id}]")

        # As much as there is after a second, rather than nothing.
        stream = client.stream(conversation, total_limit=1.0, partial=True)
        for token in stream:
            print(token, end="", flush=True)
        print(f"\n[{stream.finish_reason}]")


if __name__ == "__main__":
    main()
