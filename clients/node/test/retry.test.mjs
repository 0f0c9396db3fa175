import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { status } from "@grpc/grpc-js";
import {
  Client,
  ClientClosedError,
  InferenceClient,
  OverloadedError,
  UnavailableError,
} from "@inference-gateway/client";
import { answer, refusal, startFake } from "./fake.mjs";
import { eventually, failure, mark, rig, startGateway, using } from "./rig.mjs";

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
      assert.deepEqual(
        server.seen.map(({ metadata }) => metadata.get("grpc-previous-rpc-attempts")[0]),
        [undefined, "1", "2"],
      );
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

  test("is not waited for where the deadline would pass meanwhile: the error comes at once", async () => {
    await using(new Client(rig.target, { timeoutMs: 10_000 }), async (client) => {
      const text = mark();
      const begun = performance.now();
      const error = await failure(client.generate(`[[sim:status=429;retry-after=120]] ${text}`));
      assert.ok(performance.now() - begun < 3_000);
      assert.ok(error instanceof OverloadedError);
      assert.equal(error.retryAfterMs, 120_000);
      assert.equal(rig.wire.with(text).length, 1);
    });
  });

  test("is not made of a call whose gateway was killed: it may have been generated", async () => {
    const [doomed, other] = await Promise.all([startGateway(), startGateway()]);
    try {
      const target = `ipv4:127.0.0.1:${doomed.port},127.0.0.1:${other.port}`;
      await using(new Client(target), async (client) => {
        const texts = Array.from({ length: 4 }, mark);
        // Round robin gives half of them to either, once both are connected.
        for (let index = 0; index < 6; index += 1) {
          await client.generate("hi", { maxTokens: 1 });
        }
        const calls = texts.map((text) =>
          client
            .generate(`[[sim:inter-token=100ms]] ${text}`, { maxTokens: 20, minTokens: 20 })
            .catch((error) => error),
        );
        await eventually("all run", () => texts.every((text) => rig.wire.with(text).length === 1));
        doomed.signal("SIGKILL");
        const ends = await Promise.all(calls);
        const failed = ends.filter((end) => end instanceof Error);
        assert.equal(failed.length, 2, `${ends}`);
        assert.ok(failed.every((error) => error instanceof UnavailableError));
        assert.ok(texts.every((text) => rig.wire.with(text).length === 1));
      });
    } finally {
      await Promise.all([doomed.stop(), other.stop()]);
    }
  });

  test("ends with its client while it waits", async () => {
    const server = await startFake({
      complete: (_call, callback) => callback(refusal(status.UNAVAILABLE, { reason: "NOT_READY", pushbackMs: 20_000 })),
    });
    const client = new Client(server.target);
    const waiting = failure(client.generate("hi"));
    await eventually("it was refused", () => server.seen.length === 1);
    await client.close();
    assert.ok((await waiting) instanceof ClientClosedError);
    server.close();
  });

  test("is not made without a word from the gateway", async () => {
    for (const more of [{}, { pushbackMs: -1, retryDelay: { seconds: 0n, nanos: 0 } }]) {
      const server = await startFake({
        complete: (_call, callback) => callback(refusal(status.UNAVAILABLE, { reason: "NOT_READY", ...more })),
      });
      await using(new Client(server.target), (client) => failure(client.generate("hi")));
      assert.equal(server.seen.length, 1);
      server.close();
    }
  });

  test("can be switched off or raised, up to four", async () => {
    const server = await startFake({
      complete: (_call, callback) => callback(refusal(status.UNAVAILABLE, { reason: "NOT_READY", pushbackMs: 0 })),
    });
    for (const retries of [0, 1, 4]) {
      const before = server.seen.length;
      await using(new Client(server.target, { retries }), (client) => failure(client.generate("hi")));
      assert.equal(server.seen.length - before, 1 + retries);
    }
    for (const retries of [-1, 5, 1.5, NaN]) {
      assert.throws(() => new Client(server.target, { retries }), /retries must be 0 to 4/);
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

  test("is not begun once the signal has fired", async () => {
    const server = await startFake({
      complete: (_call, callback) => callback(refusal(status.UNAVAILABLE, { reason: "NOT_READY", pushbackMs: 200 })),
    });
    await using(new Client(server.target), async (client) => {
      const controller = new AbortController();
      const waiting = failure(client.generate("hi", { signal: controller.signal }));
      await eventually("it was refused", () => server.seen.length === 1);
      setTimeout(() => controller.abort(), 60);
      const error = await waiting;
      assert.equal(error.name, "AbortError");
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(server.seen.length, 1);
    });
    server.close();
  });
});
