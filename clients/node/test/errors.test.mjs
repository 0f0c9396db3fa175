import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { status } from "@grpc/grpc-js";
import * as gateway from "@inference-gateway/client";
import { answer, refusal, startFake } from "./fake.mjs";
import { eventually, failure, mark, rig, startGateway, using } from "./rig.mjs";

const { Client, InferenceClient, InferenceError } = gateway;

/** The simulator's fault, and what the caller gets. */
const FAULTS = [
  ["status=400", "InvalidRequestError", "INVALID_ARGUMENT", "INVALID_REQUEST"],
  ["context-length", "ContextLengthError", "INVALID_ARGUMENT", "CONTEXT_LENGTH"],
  ["status=404", "ModelNotFoundError", "NOT_FOUND", "MODEL_NOT_FOUND"],
  ["404-route", "InternalError", "INTERNAL", "UPSTREAM_NOT_FOUND"],
  ["status=401", "InternalError", "INTERNAL", "UPSTREAM_AUTH"],
  ["status=302", "InternalError", "INTERNAL", "UPSTREAM_REDIRECT"],
  ["html", "InternalError", "INTERNAL", "UPSTREAM_PROTOCOL"],
  ["status=429;retry-after=3", "OverloadedError", "RESOURCE_EXHAUSTED", "UPSTREAM_RATE_LIMIT", { retryAfterMs: 3000 }],
  ["503-queue", "OverloadedError", "RESOURCE_EXHAUSTED", "UPSTREAM_QUEUE_FULL", { retryable: true }],
  ["503-starting", "UnavailableError", "UNAVAILABLE", "UPSTREAM_STARTING", { retryable: true }],
  ["status=502", "UnavailableError", "UNAVAILABLE", "UPSTREAM_GATEWAY", { retryable: true }],
  ["status=500", "UnavailableError", "UNAVAILABLE", "UPSTREAM_ERROR"],
  ["status=501", "UnimplementedError", "UNIMPLEMENTED", "UNIMPLEMENTED_UPSTREAM"],
  ["reset-before-response", "UnavailableError", "UNAVAILABLE", "UPSTREAM_RESET", { retryable: true }],
  ["empty-body", "UnavailableError", "UNAVAILABLE", "UPSTREAM_EMPTY"],
];

/** The same, once some text has come: the error carries how much. */
const BREAKS = [
  ["drop-after=3", "UPSTREAM_TRUNCATED"],
  ["eof-after=3", "UPSTREAM_TRUNCATED"],
  ["error-event-after=3", "UPSTREAM_ERROR"],
  ["no-finish", "UPSTREAM_TRUNCATED"],
  ["finish=abort", "UPSTREAM_ABORTED"],
];

describe("errors of the gateway", () => {
  for (const [kind, ways] of [
    [Client, ["generate", "stream"]],
    [InferenceClient, ["generate", "stream"]],
  ]) {
    for (const way of ways) {
      test(`are told apart: ${kind.name}.${way}`, async () => {
        await using(new kind(rig.target, { retries: 0 }), async (client) => {
          for (const [fault, name, code, reason, more = {}] of FAULTS) {
            const spec = /^(?:404-route|503-)/.test(fault) ? `status=${fault}` : fault;
            const error = await failure(ask(client, way, `[[sim:${spec}]] hi`));
            const { retryable = more.retryAfterMs !== undefined, retryAfterMs } = more;
            assert.deepEqual(
              [error.constructor.name, error.name, error.code, error.reason, error.retryable],
              [name, name, code, reason, retryable],
              `${fault}: ${error.message}`,
            );
            assert.ok(error instanceof gateway[name] && error instanceof InferenceError && error instanceof Error);
            assert.match(error.requestId, /^[0-9a-f]{32}$/);
            assert.ok(error.phase.length > 0);
            assert.ok(error.message.length > 0 && !error.message.includes("hi ") && !/^\d/.test(error.message));
            assert.equal(error.cause.code, status[code]);
            if (retryAfterMs !== undefined) {
              assert.equal(error.retryAfterMs, retryAfterMs);
            }
          }
        });
      });
    }
  }

  test("after some text keep the text, and say how much was sent", async () => {
    await using(new Client(rig.target), async (client) => {
      for (const [fault, reason] of BREAKS) {
        const stream = client.stream(`[[sim:${fault}]] hi`, { maxTokens: 12 });
        const tokens = [];
        const error = await failure(async () => {
          for await (const token of stream) {
            tokens.push(token);
          }
        });
        assert.ok(error instanceof gateway.UnavailableError, fault);
        assert.equal(error.reason, reason, fault);
        assert.equal(error.retryable, false);
        assert.equal(error.tokensSent, tokens.length);
        assert.equal(stream.text, tokens.join(""));
        assert.ok(tokens.length >= 3, fault);
        assert.equal(stream.requestId, error.requestId);
        assert.equal(await failure(stream.next()), error);
      }
    });
  });

  test("of a request name every field, and the backend's own words", async () => {
    await using(new Client(rig.target), async (client) => {
      const error = await failure(client.generate("hi", { temperature: 9, maxTokens: 0, topP: NaN }));
      assert.ok(error instanceof gateway.InvalidRequestError);
      assert.deepEqual(error.violations.map(({ field }) => field).sort(), [
        "max_tokens",
        "sampling.temperature",
        "sampling.top_p",
      ]);
      assert.ok(error.violations.every(({ description }) => description.length > 0));

      const upstream = await failure(
        client.generate("[[sim:status=400;error-type=OddType;error-code=77]] hi", { requestId: "my-own.id_1" }),
      );
      assert.equal(upstream.upstreamType, "OddType");
      assert.equal(upstream.requestId, "my-own.id_1");
    });
  });

  test("of time: the gateway's limits and the call's own", async () => {
    await using(new Client(rig.target), async (client) => {
      const first = await failure(client.stream("[[sim:stall-after=0]] hi", { firstTokenLimitMs: 150 }).answer());
      assert.ok(first instanceof gateway.UnavailableError);
      assert.equal(first.reason, "FIRST_TOKEN_TIMEOUT");
      assert.equal(first.phase, "prefill");
      const gap = await failure(client.stream("[[sim:stall-after=2]] hi", { gapLimitMs: 150 }).answer());
      assert.equal(gap.reason, "INTER_TOKEN_TIMEOUT");
      assert.equal(gap.tokensSent, 2);
      const total = await failure(client.generate("[[sim:stall-after=2]] hi", { totalLimitMs: 150 }));
      assert.ok(total instanceof gateway.DeadlineExceededError);
      assert.equal(total.reason, "MAX_CALL_TIME");
    });
  });

  test("of size: the request's, the answer's by the gateway, the answer's by the client", async () => {
    await using(new Client(rig.target), async (client) => {
      const text = mark();
      const request = await failure(client.generate(text + "x".repeat(33 * 1024 * 1024)));
      assert.ok(request instanceof gateway.RequestTooLargeError && request instanceof gateway.TooLargeError);
      assert.match(request.message, /limits\.max-request-bytes/);
      const response = await failure(client.generate("[[sim:big-answer=6000000]] hi"));
      assert.ok(response instanceof gateway.ResponseTooLargeError);
      assert.equal(response.reason, "RESPONSE_TOO_LARGE");
    });
    await using(new Client(rig.target, { maxMessageBytes: 2000 }), async (client) => {
      const text = mark();
      const response = await failure(client.generate(`[[sim:big-answer=50000]] ${text}`));
      assert.ok(response instanceof gateway.ResponseTooLargeError);
      assert.match(response.message, /maxMessageBytes/);
      assert.equal(rig.wire.with(text).length, 1, "it is not asked for again");
      const request = await failure(client.generate("x".repeat(3000)));
      assert.ok(request instanceof gateway.RequestTooLargeError);
    });
  });

  test("of concurrency, and of a gateway that is stopped in the middle", async () => {
    const full = await startGateway(
      "--admission-running",
      "1",
      "--admission-waiting",
      "0",
      "--drain-pause",
      "0s",
      "--drain-grace",
      "1s",
    );
    await using(new Client(full.target, { retries: 0 }), async (client) => {
      await client.waitUntilReady({ timeoutMs: 20_000 });
      const text = mark();
      const stream = client.stream(`[[sim:inter-token=20ms]] ${text}`, { maxTokens: 5000, ignoreEos: true });
      await stream.next();
      const busy = await failure(client.generate("hi"));
      assert.ok(busy instanceof gateway.OverloadedError);
      assert.equal(busy.reason, "CONCURRENCY_LIMIT");
      assert.equal(busy.retryable, true);
      assert.ok(busy.retryAfterMs > 0);

      full.signal("SIGTERM");
      const stopped = await failure(async () => {
        for await (const _ of stream) {
          // until it is ended
        }
      });
      assert.ok(stopped instanceof gateway.UnavailableError);
      assert.equal(stopped.reason, "SHUTTING_DOWN");
      assert.ok(stopped.tokensSent > 1);
      await eventually("its generation is stopped", () => rig.wire.with(text)[0].endedAt !== undefined);
    });
    await full.exited;
  });
});

describe("errors of other servers", () => {
  const CODES = [
    ["INVALID_ARGUMENT", "InvalidRequestError"],
    ["NOT_FOUND", "ModelNotFoundError"],
    ["UNAUTHENTICATED", "AuthenticationError"],
    ["PERMISSION_DENIED", "PermissionDeniedError"],
    ["RESOURCE_EXHAUSTED", "OverloadedError"],
    ["UNAVAILABLE", "UnavailableError"],
    ["DEADLINE_EXCEEDED", "DeadlineExceededError"],
    ["CANCELLED", "CancelledError"],
    ["UNIMPLEMENTED", "UnimplementedError"],
    ["INTERNAL", "InternalError"],
    ["UNKNOWN", "InternalError"],
    ["DATA_LOSS", "InternalError"],
    ["ALREADY_EXISTS", "InternalError"],
  ];

  for (const [what, details] of [
    ["with no details", {}],
    ["with a reason of a newer gateway", { reason: "NEVER_HEARD_OF" }],
    ["with details that are garbage", { rawDetails: Buffer.from([0x0a, 0xff, 0xff, 0xff, 1, 2, 3]) }],
  ]) {
    test(`are told apart by their code, ${what}`, async () => {
      let next;
      const server = await startFake({
        complete: (_call, callback) => callback(refusal(next, { pushbackMs: -1, ...details })),
      });
      await using(new Client(server.target), async (client) => {
        for (const [code, name] of CODES) {
          next = status[code];
          const error = await failure(client.generate("hi"));
          assert.deepEqual([error.constructor.name, error.code, error.retryable], [name, code, false]);
          assert.equal(error.reason, details.reason);
        }
      });
      server.close();
    });
  }

  test("carry all that their details say", async () => {
    const server = await startFake({
      complete: (_call, callback) =>
        callback(
          refusal(status.INVALID_ARGUMENT, {
            reason: "INVALID_REQUEST",
            pushbackMs: 250,
            retryDelay: { seconds: 1n, nanos: 500_000_000 },
            metadata: {
              request_id: "r-1",
              phase: "admission",
              tokens_sent: "4",
              upstream_type: "T",
              upstream_param: "P",
              upstream_code: "C",
            },
            fields: [{ field: "messages", description: "is empty" }],
          }),
        ),
    });
    await using(new Client(server.target), async (client) => {
      const error = await failure(client.generate("hi"));
      const { requestId, phase, tokensSent, upstreamType, upstreamParam, upstreamCode, retryAfterMs, retryable } =
        error;
      assert.deepEqual(
        { requestId, phase, tokensSent, upstreamType, upstreamParam, upstreamCode, retryAfterMs, retryable },
        {
          requestId: "r-1",
          phase: "admission",
          tokensSent: 4,
          upstreamType: "T",
          upstreamParam: "P",
          upstreamCode: "C",
          retryAfterMs: 1500,
          retryable: true,
        },
      );
      assert.deepEqual(error.violations, [{ field: "messages", description: "is empty" }]);
      assert.equal(error.message, "refused by the test");
    });
    server.close();
  });

  test("say what to do when nobody answers, or no gateway does", async () => {
    const closedPort = await freePort();
    await using(new Client(`127.0.0.1:${closedPort}`), async (client) => {
      const error = await failure(client.generate("hi"));
      assert.ok(error instanceof gateway.UnavailableError);
      assert.equal(
        error.message,
        `no connection to a gateway at 127.0.0.1:${closedPort}: connect ECONNREFUSED 127.0.0.1:${closedPort}; is it running there? The client tries again every second`,
      );
      assert.equal(error.retryable, false);
      const late = await failure(client.generate("hi", { waitForReady: true, timeoutMs: 150 }));
      assert.ok(
        late.message.startsWith(
          `150 ms were over before there was a connection to 127.0.0.1:${closedPort}; last seen: `,
        ),
      );
    });
    await using(new Client("no-such-host.invalid"), async (client) => {
      assert.match(
        (await failure(client.generate("hi"))).message,
        /^no connection to a gateway at no-such-host.invalid: /,
      );
    });
    await using(new Client(new URL(rig.simulator).host, { timeoutMs: 3000, retries: 0 }), async (client) => {
      const error = await failure(client.generate("hi"));
      assert.ok(
        error instanceof gateway.UnavailableError || error instanceof gateway.DeadlineExceededError,
        error.name,
      );
    });
  });

  test("name the call, where the gateway had no say in its end too", async () => {
    const stalled = "[[sim:stall-after=1]] hi";
    const closing = new Client(rig.target);
    const nobody = new InferenceClient(`127.0.0.1:${await freePort()}`);
    await using(new Client(rig.target, { maxMessageBytes: 2000 }), async (client) => {
      const cancelled = client.stream(stalled);
      const closed = closing.generate(stalled);
      const ends = [
        client.generate(stalled, { timeoutMs: 100 }),
        client.stream(stalled, { timeoutMs: 100 }).answer(),
        client.generate("hi", { timeoutMs: 0 }),
        client.generate("hi", { signal: AbortSignal.abort() }),
        client.generate(stalled, { signal: AbortSignal.timeout(100) }),
        client.generate("x".repeat(3000)),
        cancelled.answer(),
        closed,
        nobody.generate("hi"),
        nobody.stream("hi").answer(),
        nobody.health(),
        nobody.modelHealth(),
        nobody.waitUntilReady({ timeoutMs: 100 }),
      ].map((end) => failure(end));
      await eventually("it runs", () => cancelled.text !== "");
      cancelled.cancel();
      await closing.close();
      ends.push(failure(closing.generate("hi")), failure(closing.health()));
      const ids = (await Promise.all(ends)).map(({ requestId }) => requestId);
      ids.forEach((id) => assert.match(id, /^[0-9a-f]{32}$/));
      assert.equal(new Set(ids).size, ids.length, "each has its own");
      const own = await failure(client.generate(stalled, { timeoutMs: 100, requestId: "my.own-1" }));
      assert.equal(own.requestId, "my.own-1");
    });
    await nobody.close();
  });

  test("have a stack that leads to the caller, and no prompt, text or token in what they say", async () => {
    await using(new Client(rig.target, { token: "s3cret-token" }), async (client) => {
      async function iAmTheCaller() {
        await client.generate("[[sim:status=500]] my-secret-prompt");
      }
      async function iReadTheStream() {
        for await (const _ of client.stream("[[sim:drop-after=2]] my-secret-prompt")) {
          // until it breaks
        }
      }
      for (const caller of [iAmTheCaller, iReadTheStream]) {
        const error = await failure(caller());
        assert.match(error.stack, new RegExp(caller.name));
        const { inspect } = await import("node:util");
        const all = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error);
        assert.ok(!/my-secret-prompt|s3cret/.test(all), all);
        assert.ok(!/s3cret/.test(inspect(client, { depth: 10, showHidden: true }) + JSON.stringify(client)));
      }
    });
  });

  test("leave unknown enum values and fields alone", async () => {
    const server = await startFake({
      complete: (_call, callback) => callback(null, { ...answer("hi"), finish: { reason: 99, raw: "brand_new" } }),
    });
    await using(new Client(server.target), async (client) => {
      assert.equal((await client.generate("hi")).finishReason, "brand_new");
    });
    server.close();
  });
});

function ask(client, way, text) {
  return way === "generate" ? client.generate(text) : client.stream(text).answer();
}

async function freePort() {
  const server = await startFake({});
  server.close();
  return server.port;
}
