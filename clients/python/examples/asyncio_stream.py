"""asyncio: a stream, and a time-out that stops the generation."""

import asyncio

from inference_gateway import AsyncClient


async def main() -> None:
    async with AsyncClient() as client:
        await client.wait_until_ready(10)

        async for token in client.stream("Tell me a story.", max_tokens=60):
            print(token, end="", flush=True)
        print()

        try:
            await asyncio.wait_for(client.generate("Tell me everything.", max_tokens=500), 0.2)
        except asyncio.TimeoutError:
            print("[too slow: cancelled here, and at the GPU]")


if __name__ == "__main__":
    asyncio.run(main())
