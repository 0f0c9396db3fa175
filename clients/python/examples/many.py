"""Many calls at once over one connection: a few at a time, in the order of the questions."""

import asyncio

from inference_gateway import AsyncClient

AT_ONCE = 16


async def main() -> None:
    questions = [f"What is {n} squared?" for n in range(50)]
    room = asyncio.Semaphore(AT_ONCE)

    async with AsyncClient() as client:

        async def ask(question: str) -> str:
            async with room:
                return str(await client.generate(question, max_tokens=10, temperature=0))

        answers = await asyncio.gather(*map(ask, questions))
    print(f"{len(answers)} answers; the first: {answers[0]}")


if __name__ == "__main__":
    asyncio.run(main())
