import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { status } from "@grpc/grpc-js";
import { Client, InferenceClient } from "@inference-gateway/client";
import { answer, refusal, startFake } from "./fake.mjs";
import { failure, mark, rig, using } from "./rig.mjs";

describe("a retry", () => {
  test("repeats a unary call of either contract that the gateway turned away, three times in all", async () => {
    await Promise.all(
      [Client, InferenceClient].map((kind) =>
        using(new kind(rig.target), async (client) => {
          const [busy, broken] = [mark(), mark()];
          await Promise.all([
            failure(client.generate(`[[sim:status=429]] ${busy}`)),
            failure(client.generate(`[[sim:status=502]] ${broken}`)),
          ]);
          assert.equal(rig.wire.with(busy).length, 3, kind.name);
          assert.equal(rig.wire.with(broken).length, 3, kind.name);
        }),
      ),
    );
  });

  test("never repeats what the gateway forbids, nor a stream", async () => {
    await using(new Client(rig.target), async (client) => {
      const forbidden = mark();
      await failure(client.generate(`[[sim:status=500]] ${forbidden}`));
      assert.equal(rig.wire.with(forbidden).length, 1);
      const streamed = mark();
      await failure(client.stream(`[[sim:status=429;retry-after=0]] ${streamed}`).answer());
      assert.equal(rig.wire.with(streamed).length, 1);
      const broken = mark();
      await failure(client.stream(`[[sim:drop-after=1]] ${broken}`).answer());
      assert.equal(rig.wire.with(broken).length, 1);
    });
  });

  test("gives the answer when a later try has one, under the same deadline", async () => {
    const server = await startFake({
      complete: (_call, callback, count) =>
        count < 3
          ? callback(refusal(status.UNAVAILABLE, { reason: "NOT_READY", pushbackMs: 0 }))
          : callback(null, answer("third time")),
    });
    await using(new Client(server.target), async (client) => {
      assert.equal(String(await client.generate("hi")), "third time");
      assert.equal(server.seen.length, 3);
      assert.equal(Number(server.seen[0].deadline) - Number(server.seen[2].deadline) < 1000, true);
    });
    server.close();
  });

  test("waits as long as the gateway says", async () => {
    const times = [];
    const server = await startFake({
      complete: (_call, callback, count) => {
        times.push(performance.now());
        return count < 2
          ? callback(refusal(status.RESOURCE_EXHAUSTED, { reason: "CONCURRENCY_LIMIT", pushbackMs: 400 }))
          : callback(null, answer("now"));
      },
    });
    await using(new Client(server.target), async (client) => {
      await client.generate("hi");
      assert.ok(times[1] - times[0] >= 380, `${times[1] - times[0]} ms`);
    });
    server.close();
  });

  test("can be switched off or raised, up to nine", async () => {
    const server = await startFake({
      complete: (_call, callback) => callback(refusal(status.UNAVAILABLE, { reason: "NOT_READY", pushbackMs: 0 })),
    });
    for (const retries of [0, 1, 7]) {
      const before = server.seen.length;
      await using(new Client(server.target, { retries }), (client) => failure(client.generate("hi")));
      assert.equal(server.seen.length - before, 1 + retries);
    }
    for (const retries of [-1, 10, 1.5, NaN]) {
      assert.throws(() => new Client(server.target, { retries }), /retries must be 0 to 9/);
    }
    server.close();
  });

  test("can repeat a prompt of several megabytes", async () => {
    const server = await startFake(
      {
        complete: (_call, callback, count) =>
          count < 2
            ? callback(refusal(status.UNAVAILABLE, { reason: "NOT_READY", pushbackMs: 0 }))
            : callback(null, answer("read")),
      },
      { server: { "grpc.max_receive_message_length": -1 } },
    );
    await using(new Client(server.target), async (client) => {
      assert.equal(String(await client.generate("x".repeat(5 * 1024 * 1024))), "read");
      assert.equal(server.seen.length, 2);
    });
    server.close();
  });

  test("is not waited for where the pause does not fit into the deadline", async () => {
    await using(new Client(rig.target), async (client) => {
      const text = mark();
      const began = performance.now();
      const error = await failure(client.generate(`[[sim:status=429;retry-after=99]] ${text}`, { timeoutMs: 9_000 }));
      assert.ok(performance.now() - began < 5_000);
      assert.equal(error.name, "OverloadedError");
      assert.equal(error.retryAfterMs, 99_000);
      assert.equal(rig.wire.with(text).length, 1);
    });
  });

  test("is not made of a call that failed without a word about it", async () => {
    const server = await startFake({ complete: (_call, callback) => callback({ code: status.UNAVAILABLE }) });
    await using(new Client(server.target), async (client) => {
      const error = await failure(client.generate("hi"));
      assert.equal(error.code, "UNAVAILABLE");
      assert.equal(error.retryable, false);
      assert.equal(server.seen.length, 1);
    });
    server.close();
  });

  test("is not begun once the signal has fired", async () => {
    const server = await startFake({
      complete: (_call, callback) => callback(refusal(status.UNAVAILABLE, { reason: "NOT_READY", pushbackMs: 200 })),
    });
    await using(new Client(server.target), async (client) => {
      const error = await failure(client.generate("hi", { signal: AbortSignal.timeout(60) }));
      assert.equal(error.name, "AbortError");
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(server.seen.length, 1);
    });
    server.close();
  });
});
