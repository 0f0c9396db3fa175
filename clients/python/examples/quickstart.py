"""One answer, whole and streamed. The target is INFERENCE_GATEWAY_TARGET, or localhost:50051."""

from inference_gateway import Client


def main() -> None:
    with Client() as client:
        answer = client.generate("Explain GPU compute units.", max_tokens=60)
        print(answer)
        if answer.usage:
            print(f"[{answer.usage.total_tokens} tokens, {answer.finish_reason}]")

        for token in client.stream("And now as a poem.", max_tokens=60):
            print(token, end="", flush=True)
        print()


if __name__ == "__main__":
    main()
