import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { CancelledError, Client, ClientClosedError, InferenceClient } from "@inference-gateway/client";
import { startFake } from "./fake.mjs";
import { counters, eventually, failure, mark, rig, using } from "./rig.mjs";

/** From the caller's leaving to the closed connection at the backend; the rest is this process being busy. */
const PROMPTLY_MS = 1000;

/** Long enough to be left in the middle. */
const LONG = { maxTokens: 5000, ignoreEos: true, minTokens: 4000 };

for (const [name, kind, long] of [
  ["Client", Client, LONG],
  ["InferenceClient", InferenceClient, { maxTokens: 5000 }],
]) {
  describe(`stream of ${name}`, () => {
    test("gives tokens as they come, not at once", async () => {
      await using(new kind(rig.target), async (client) => {
        const stream = client.stream("[[sim:inter-token=30ms]] go", { maxTokens: 10 });
        const times = [];
        let text = "";
        for await (const token of stream) {
          times.push(performance.now());
          assert.ok(token.length > 0);
          text += token;
          assert.equal(stream.text, text);
        }
        assert.equal(times.length, 10);
        assert.ok(times.at(-1) - times[0] > 150, "spread over the time of their generation");
        assert.equal(stream.finishReason, "length");
        assert.equal(stream.usage.outputTokens, 10);
        assert.match(stream.requestId, /^[0-9a-f]{32}$/);
        assert.deepEqual(await stream.next(), { done: true, value: undefined });
      });
    });

    test("is cancelled at the backend when the loop is left, in prefill and in decode", async () => {
      await using(new kind(rig.target), async (client) => {
        const { http_requests_client_disconnected_total: before = 0 } = await counters();
        const inDecode = mark();
        for await (const _ of client.stream(`[[sim:inter-token=20ms]] ${inDecode}`, long)) {
          break;
        }
        await gone(inDecode);

        const inPrefill = mark();
        const stream = client.stream(`[[sim:stall-after=0]] ${inPrefill}`, long);
        const pending = failure(stream.next());
        await eventually("the backend has the request", () => rig.wire.with(inPrefill).length === 1);
        await stream.return();
        assert.ok((await pending) instanceof CancelledError, "it has not seen the end");
        assert.deepEqual(await stream.next(), { done: true, value: undefined });
        await gone(inPrefill);
        await eventually("the simulator has counted both", async () => {
          const { http_requests_client_disconnected_total: now } = await counters();
          return now === before + 2;
        });
      });
    });

    test("is cancelled by an exception in the loop, which comes through", async () => {
      await using(new kind(rig.target), async (client) => {
        const text = mark();
        const mine = new Error("mine");
        await assert.rejects(async () => {
          for await (const _ of client.stream(`[[sim:inter-token=20ms]] ${text}`, long)) {
            throw mine;
          }
        }, mine);
        await gone(text);
      });
    });

    test("is cancelled by its signal with the signal's reason as cause", async () => {
      await using(new kind(rig.target), async (client) => {
        const text = mark();
        const controller = new AbortController();
        const error = await failure(async () => {
          for await (const _ of client.stream(`[[sim:inter-token=20ms]] ${text}`, {
            ...long,
            signal: controller.signal,
          })) {
            controller.abort("enough");
          }
        });
        assert.equal(error.name, "AbortError");
        assert.equal(error.code, "CANCELLED");
        assert.equal(error.cause, "enough");
        await gone(text);
      });
    });
  });
}

describe("stream", () => {
  test("gives the contract's own chunks, and goes on where a reader of them left to a reader of tokens", async () => {
    await using(new Client(rig.target), async (client) => {
      const chunks = [];
      const stream = client.stream("go", { maxTokens: 4 });
      for await (const chunk of stream.chunks()) {
        chunks.push(chunk);
      }
      assert.equal(chunks.length, 5);
      assert.equal(chunks.at(-1).done, true);
      assert.equal(chunks.at(-1).finish.raw, "length");
      assert.equal(chunks.map(({ token }) => token).join(""), stream.text);
      assert.equal(stream.model, "simulated-model");
      assert.match(stream.id, /^chatcmpl-/);
      assert.ok(stream.timing.firstTokenMs > 0);
      assert.equal((await stream.answer()).text, stream.text);
    });
  });

  test("begins with the first read, so that one that nobody reads costs nothing", async () => {
    await using(new Client(rig.target), async (client) => {
      const text = mark();
      const stream = client.stream(text, LONG);
      await client.generate("another", { maxTokens: 1 });
      assert.equal(rig.wire.with(text).length, 0);
      stream.cancel();
      assert.ok((await failure(stream.next())) instanceof CancelledError);
      assert.equal(rig.wire.with(text).length, 0);
    });
  });

  test("never passes a cut answer off as whole", async () => {
    await using(new Client(rig.target), async (client) => {
      const cancelled = client.stream("[[sim:inter-token=20ms]] go", LONG);
      const whole = failure(cancelled.answer());
      await eventually("text has come", () => cancelled.text !== "");
      await assert.rejects(() => cancelled.next(), /one reader/);
      cancelled.cancel();
      assert.ok((await whole) instanceof CancelledError);
      assert.ok((await failure(cancelled.answer())) instanceof CancelledError);

      const left = client.stream("[[sim:inter-token=20ms]] go", LONG);
      for await (const _ of left) {
        break;
      }
      assert.deepEqual(await left.next(), { done: true, value: undefined });
      assert.ok((await failure(left.answer())) instanceof CancelledError);

      const cut = client.stream("[[sim:drop-after=2]] go");
      const all = async () => {
        for await (const _ of cut);
      };
      const error = await failure(all);
      await assert.rejects(all, { name: "TypeError", message: /read once/ });
      assert.equal(await failure(cut.answer()), error);
      assert.equal(await failure(cut.next()), error);
    });
  });

  test("is cancelled when the garbage collector takes it", async () => {
    await using(new Client(rig.target), async (client) => {
      const text = mark();
      await (async () => client.stream(`[[sim:inter-token=20ms]] ${text}`, LONG).next())();
      await eventually("the collector has run", async () => {
        globalThis.gc();
        await sleep(1);
        return rig.wire.with(text)[0].endedAt !== undefined;
      });
    });
  });

  test("is cancelled when the garbage collector takes it, after a read that nobody waits for", async () => {
    await using(new Client(rig.target), async (client) => {
      const text = mark();
      await (async () => {
        const stream = client.stream(`[[sim:inter-token=300ms]] ${text}`, LONG);
        await stream.next();
        stream.next().catch(() => {});
      })();
      await eventually("the collector has run", async () => {
        globalThis.gc();
        await sleep(1);
        return rig.wire.with(text)[0].endedAt !== undefined;
      });
    });
  });

  test("gives its token to a read that alone holds it and its client, whatever the collector does", async () => {
    const waiting = (async () => {
      const stream = new Client(rig.target).stream("[[sim:inter-token=400ms]] go", LONG);
      await stream.next();
      return stream.next();
    })();
    const collecting = setInterval(() => globalThis.gc(), 15);
    assert.ok((await waiting).value.length > 0);
    clearInterval(collecting);
  });

  test("tells every read that waits that it was cut short, however it is left", async () => {
    await using(new Client(rig.target), async (client) => {
      for (const leave of [
        (stream) => stream.return(),
        (stream) => stream.throw(new Error("mine")).catch(() => {}),
        (stream) => stream[Symbol.asyncDispose](),
        (stream) => stream.cancel(),
      ]) {
        for (const read of [
          (stream) => stream.next(),
          (stream) => stream.answer(),
          (stream) => stream.chunks().next(),
        ]) {
          const stream = client.stream("[[sim:stall-after=0]] go", LONG);
          const pending = failure(read(stream));
          await leave(stream);
          assert.ok((await pending) instanceof CancelledError, `${leave} ${read}`);
        }
      }
    });
  });

  test("says how far it was when its time is over or its signal fires", async () => {
    await using(new Client(rig.target), async (client) => {
      await client.waitUntilReady();
      for (const [options, name] of [
        [(timeoutMs) => ({ timeoutMs }), "DeadlineExceededError"],
        [(ms) => ({ signal: AbortSignal.timeout(ms) }), "AbortError"],
      ]) {
        const error = await failure(client.stream("[[sim:stall-after=3]] go", options(3_000)).answer());
        assert.deepEqual([error.name, error.phase, error.tokensSent], [name, "decode", 3]);
        const none = await failure(client.stream("[[sim:stall-after=0]] go", options(200)).answer());
        assert.deepEqual([none.name, none.phase, none.tokensSent], [name, undefined, 0]);
      }
    });
  });

  test("is not taken by the garbage collector while somebody waits for it", async () => {
    await using(new Client(rig.target), async (client) => {
      const waiting = (async () => {
        let count = 0;
        for await (const _ of client.stream("[[sim:inter-token=40ms]] go", { maxTokens: 8 })) {
          count += 1;
        }
        return count;
      })();
      const collecting = setInterval(() => globalThis.gc(), 15);
      assert.equal(await waiting, 8);
      clearInterval(collecting);
    });
  });

  test("is cancelled by a signal before the first token, at once, and before the call without one", async () => {
    await using(new Client(rig.target), async (client) => {
      const text = mark();
      const controller = new AbortController();
      const waiting = failure(() =>
        client.stream(`[[sim:stall-after=0]] ${text}`, { signal: controller.signal }).next(),
      );
      await eventually("the backend has the request", () => rig.wire.with(text).length === 1);
      controller.abort();
      assert.equal((await waiting).cause.name, "AbortError");
      await gone(text);

      const never = mark();
      assert.equal(
        (await failure(() => client.stream(never, { signal: AbortSignal.abort() }).next())).name,
        "AbortError",
      );
      assert.equal((await failure(() => client.generate(never, { signal: AbortSignal.abort(7) }))).cause, 7);
      assert.equal(rig.wire.with(never).length, 0);
    });
  });

  test("takes AbortSignal.timeout as a signal like any other, for whole answers too", async () => {
    await using(new Client(rig.target), async (client) => {
      const text = mark();
      const error = await failure(() =>
        client.generate(`[[sim:stall-after=2]] ${text}`, { signal: AbortSignal.timeout(150) }),
      );
      assert.equal(error.name, "AbortError");
      assert.equal(error.cause.name, "TimeoutError");
      await gone(text);
    });
  });

  test("leaves no listener on a signal that many calls share", async () => {
    await using(new Client(rig.target), async (client) => {
      const { signal } = new AbortController();
      const warnings = [];
      const warn = (warning) => warnings.push(warning);
      process.on("warning", warn);
      await Promise.all(Array.from({ length: 15 }, () => client.generate("many", { maxTokens: 1, signal })));
      await sleep(1);
      process.off("warning", warn);
      assert.deepEqual(warnings, []);
      let listeners = 0;
      const add = signal.addEventListener.bind(signal);
      const remove = signal.removeEventListener.bind(signal);
      signal.addEventListener = (...args) => ((listeners += 1), add(...args));
      signal.removeEventListener = (...args) => ((listeners -= 1), remove(...args));
      await client.generate("one", { maxTokens: 1, signal });
      await client.stream("two", { maxTokens: 1, signal }).answer();
      for await (const _ of client.stream("three", { ...LONG, signal })) {
        break;
      }
      await failure(() => client.generate("four", { model: "none", signal }));
      await failure(() => client.stream("five", { model: "none", signal }).next());
      assert.ok(listeners <= 0, `${listeners} are left`);
    });
  });

  test("ends with ClientClosedError when its client is closed, as does every later call", async () => {
    const client = new Client(rig.target);
    const text = mark();
    const stream = client.stream(`[[sim:inter-token=20ms]] ${text}`, LONG);
    await stream.next();
    const late = client.stream("late");
    await client.close();
    await client.close();
    const ended = await failure(async () => {
      for await (const _ of stream) {
        // What was read before the close is not lost, but neither is it waited for.
      }
    });
    assert.ok(ended instanceof ClientClosedError);
    await gone(text);
    for (const call of [
      () => late.next(),
      () => client.generate("hi"),
      () => client.health(),
      async () => client.stream("hi"),
    ]) {
      const error = await failure(call);
      assert.ok(error instanceof ClientClosedError);
      assert.equal(error.message, "the client is closed");
    }
  });

  test("is over with its deadline, and so is the generation", async () => {
    await using(new Client(rig.target), async (client) => {
      for (const ask of [
        (text, options) => client.generate(text, options),
        (text, options) => client.stream(text, options).answer(),
      ]) {
        const text = mark();
        const begun = performance.now();
        const error = await failure(() => ask(`[[sim:stall-after=3]] ${text}`, { timeoutMs: 250 }));
        assert.equal(error.name, "DeadlineExceededError");
        assert.equal(error.code, "DEADLINE_EXCEEDED");
        assert.equal(error.message, "250 ms were over before the answer was whole");
        assert.ok(performance.now() - begun < 1500);
        await gone(text);
      }
      assert.equal((await failure(() => client.generate("hi", { timeoutMs: 0 }))).code, "DEADLINE_EXCEEDED");
    });
  });

  test("has 60 s by default, the client's own time, or none", async () => {
    const server = await startFake({ complete: (_call, callback) => callback(null, {}) });
    const timeOf = async (client, options) => {
      const begun = Date.now();
      await using(client, () => client.generate("hi", options));
      return Number(server.seen.at(-1).deadline) - begun;
    };
    const near = (ms, wanted) => assert.ok(ms > wanted - 3000 && ms < wanted + 3000, `${ms} is not near ${wanted}`);
    near(await timeOf(new Client(server.target)), 60_000);
    near(await timeOf(new Client(server.target, { timeoutMs: 90_000 })), 90_000);
    near(await timeOf(new Client(server.target), { timeoutMs: 30_000 }), 30_000);
    assert.equal(await timeOf(new Client(server.target), { timeoutMs: Infinity }), Infinity);
    server.close();
  });

  test("holds the generation back when it is read slowly, and loses nothing", async () => {
    const total = 96 * 1024 * 1024;
    await using(new Client(rig.target), async (client) => {
      const text = mark();
      const held = () => {
        globalThis.gc();
        const { heapUsed, external } = process.memoryUsage();
        return heapUsed + external;
      };
      const before = held();
      const stream = client.stream(`[[sim:big-answer=${total};inter-token=0]] ${text}`);
      let size = Buffer.byteLength((await stream.next()).value);
      const [call] = rig.wire.with(text);
      const received = await steady(() => call.received);
      const grown = held() - before;
      assert.ok(received < total / 4, `${received} bytes had left the backend`);
      assert.ok(grown < 32 * 1024 * 1024, `${grown} bytes were held`);
      for await (const token of stream) {
        size += Buffer.byteLength(token);
      }
      assert.ok(size >= total - 1024, `${size} of ${total}`);
      assert.ok(call.received > total, "the rest came once it was read");
      if (process.env.SHOW) console.log({ received, grown });
    });
  });

  test("runs 1,100 at once on one client, beyond what one connection takes", async () => {
    await using(new Client(rig.target), async (client) => {
      const answers = await Promise.all(
        Array.from({ length: 1100 }, async (_, index) => {
          let count = 0;
          const stream = client.stream(`stream ${index}`, { maxTokens: 20, ignoreEos: true });
          for await (const token of stream) {
            count += token.length > 0 ? 1 : 0;
          }
          assert.equal(stream.usage.outputTokens, 20);
          return count;
        }),
      );
      assert.ok(answers.every((count) => count >= 1 && count <= 20));
    });
  });

  test("does not keep the process alive once it is over, closed or not", async () => {
    const program = `
      import { Client } from "@inference-gateway/client";
      const client = new Client(${JSON.stringify(rig.target)});
      await client.generate("hi", { maxTokens: 1 });
      for await (const token of client.stream("hi", ${JSON.stringify(LONG)})) break;
      console.log("over");`;
    const begun = performance.now();
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      timeout: 15_000,
    });
    assert.equal(stdout, "over\n");
    assert.equal(stderr, "");
    assert.ok(performance.now() - begun < 8_000);
  });
});

/** The backend's connection of the call with that text is closed soon. */
async function gone(text) {
  const left = performance.now();
  await eventually("the backend's connection is closed", () => rig.wire.with(text)[0]?.endedAt !== undefined);
  assert.ok(rig.wire.with(text)[0].endedAt - left < PROMPTLY_MS);
}

/** The value once it has not moved for a while. */
async function steady(read) {
  let last = await read();
  for (let same = 0; same < 10;) {
    await sleep(30);
    const now = await read();
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return last;
}
