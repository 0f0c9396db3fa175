import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { createServer as createTcpServer } from "node:net";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import * as gateway from "@inference-gateway/client";
import { answer, refusal, startFake } from "./fake.mjs";
import { certificates, eventually, failure, folder, rig, startGateway, using } from "./rig.mjs";

const { Client, InferenceClient, VERSION } = gateway;
const require = createRequire(import.meta.url);
const { channelOptions } = require("../dist/channel.js");
const { readTarget } = require("../dist/target.js");

describe("a target", () => {
  test("is read in every form, with 50051 where there is no port", () => {
    for (const [text, uri, local] of [
      ["localhost", "dns:localhost:50051", true],
      ["gateway.prod.svc:8443", "dns:gateway.prod.svc:8443", false],
      ["10.1.2.3", "dns:10.1.2.3:50051", false],
      ["127.0.0.1:1", "dns:127.0.0.1:1", true],
      ["[::1]:99", "dns:[::1]:99", true],
      ["::1", "dns:[::1]:50051", true],
      ["fe80::1", "dns:[fe80::1]:50051", false],
      ["dns:///gateway", "dns:///gateway:50051", false],
      ["dns://8.8.8.8/gateway:7", "dns://8.8.8.8/gateway:7", false],
      ["dns:gateway:7", "dns:gateway:7", false],
      ["ipv4:10.0.0.1:1,10.0.0.2", "ipv4:10.0.0.1:1,10.0.0.2:50051", false],
      ["ipv6:[::1]:1,[::2]:2", "ipv6:[::1]:1,[::2]:2", false],
      ["unix:/run/gateway.sock", "unix:/run/gateway.sock", true],
      ["unix:///run/gateway.sock", "unix:///run/gateway.sock", true],
    ]) {
      assert.deepEqual(readTarget(text), { text, uri, local }, text);
    }
  });

  test("that cannot be read is refused with what to write", () => {
    for (const [text, message] of [
      ["http://gateway:8000", /a target is no URL: write "gateway:8000"$/],
      ["https://gateway/v1", /a target is no URL: write "gateway" and set tls: true/],
      ["grpc://gateway", /a target is no URL/],
      ["gateway:port", /write host:port/],
      ["gateway:0", /a port is 1 to 65535/],
      ["gateway:70000", /a port is 1 to 65535/],
      ["", /write host:port/],
      ["two words", /write host:port/],
      ["a:1,b:2", /for several addresses write ipv4:/],
      ["ipv4:gateway:1", /gateway is no ipv4 address/],
      ["unix:", /write unix:/],
      ["[gateway]:1", /brackets are for IPv6/],
    ]) {
      assert.throws(() => new Client(text), { name: "TypeError", message }, text);
    }
  });

  test("comes from the environment where none is given, as does the token", async () => {
    const server = await startFake({ complete: (_call, callback) => callback(null, answer("hi")) });
    const { INFERENCE_GATEWAY_TARGET, INFERENCE_GATEWAY_TOKEN } = process.env;
    try {
      process.env.INFERENCE_GATEWAY_TARGET = server.target;
      process.env.INFERENCE_GATEWAY_TOKEN = "from-the-environment";
      await using(new Client(), (client) => client.generate("hi"));
      await using(new Client({ token: "given" }), (client) => client.generate("hi"));
      assert.equal(new Client("localhost:1").target, "localhost:1");
    } finally {
      restore("INFERENCE_GATEWAY_TARGET", INFERENCE_GATEWAY_TARGET);
      restore("INFERENCE_GATEWAY_TOKEN", INFERENCE_GATEWAY_TOKEN);
    }
    assert.equal(new Client().target, INFERENCE_GATEWAY_TARGET ?? "localhost:50051");
    assert.deepEqual(
      server.seen.map(({ metadata }) => metadata.get("authorization")[0]),
      ["Bearer from-the-environment", "Bearer given"],
    );
    server.close();
  });
});

describe("a client", () => {
  test("makes its channel as README's table says", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const options = channelOptions(readTarget("gateway"), {});
    const shown = JSON.stringify({ ...options, "grpc.service_config": JSON.parse(options["grpc.service_config"]) });
    const rows = [...readme.matchAll(/^\|[^|\n]+\| *([^|\n]+?) *\| `([^`]+)` \|$/gm)];
    assert.ok(rows.length >= 12, "the table of defaults is there");
    for (const [, , setting] of rows) {
      assert.ok(shown.includes(setting), setting);
    }
    const named = rows.map(([, , setting]) => setting).join();
    for (const key of Object.keys(options)) {
      assert.ok(key === "grpc.service_config" || named.includes(`"${key}"`), `${key} is in the table`);
    }
  });

  test("refuses options that it does not know, or of the wrong type", () => {
    for (const [options, message] of [
      [{ timeout: 5 }, /unknown option "timeout"; a client takes target, model, timeoutMs/],
      [{ timeoutMs: "5" }, /timeoutMs must be a number/],
      [{ token: 5 }, /token must be a string or a function/],
      [{ token: "two words" }, /the token must be a string of visible ASCII/],
      [{ tls: "yes" }, /tls must be a boolean or an object/],
      [{ tls: { ca: "/no/such/file" } }, /tls.ca cannot be read: ENOENT/],
      [{ tls: { ca: "-----BEGIN nonsense" } }, /tls.ca holds no certificate/],
      [{ tls: { cert: "x" } }, /tls.cert and tls.key go together/],
      [{ tls: { caFile: "x" } }, /unknown option "tls.caFile"/],
      [{ tls: [] }, /tls must be a boolean or an object/],
      [{ tls: { ca: 5 } }, /tls.ca must be a path, PEM text or bytes/],
      [{ tls: { serverName: "" } }, /tls.serverName must be a host name/],
      [{ userAgent: "two\nlines" }, /userAgent must be visible ASCII/],
      [{ metadata: ["x"] }, /metadata must be an object/],
      [{ metadata: new Map() }, /metadata must be an object/],
      [{ metadata: { "x-team": 5 } }, /metadata "x-team" has a name or value/],
      [{ metadata: { te: "trailers" } }, /metadata "te" belongs to HTTP or gRPC itself/],
      [{ channelOptions: [] }, /channelOptions must be an object/],
      [{ channelOptions: { keepalive: 5 } }, /channelOptions "keepalive" is no option of grpc-js/],
      [{ channelOptions: { "grpc.keepalive_time_ms": {} } }, /"grpc.keepalive_time_ms" must be a string or a number/],
      [{ channelOptions: { "grpc.service_config": "{" } }, /channelOptions cannot be used: /],
      [{ channelOptions: { "grpc.service_config": '{"loadBalancingConfig":5}' } }, /channelOptions cannot be used: /],
      [{ metadata: { "x-much": "y".repeat(70_000) } }, /metadata and token would take 71\d{3} bytes/],
      [{ token: "y".repeat(70_000) }, /metadata and token would take 71\d{3} bytes/],
      [{ token: "x", metadata: { Authorization: "Bearer y" } }, /"authorization" and a token .* exclude each other/],
      [{ maxMessageBytes: 0 }, /maxMessageBytes must be/],
    ]) {
      assert.throws(() => new Client("localhost", options), { name: "TypeError", message });
      assert.throws(() => new Client({ target: "localhost", ...options }), { name: "TypeError", message });
    }
  });

  test("gives up on a peer that takes connections and never speaks", async () => {
    const sockets = [];
    const silent = createTcpServer((socket) => sockets.push(socket.on("error", () => {}))).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const begun = performance.now();
    await using(new Client(`127.0.0.1:${silent.address().port}`), async (client) => {
      const errors = await Promise.all([
        failure(client.generate("hi")),
        failure(client.stream("hi").next()),
        failure(client.health()),
      ]);
      assert.ok(errors[0] instanceof gateway.UnavailableError, `${errors[0]}`);
      assert.ok(errors[1] instanceof gateway.UnavailableError, `${errors[1]}`);
      assert.match(errors[0].message, /no connection to a gateway/);
      for (const error of errors) {
        assert.match(error.requestId, /^[0-9a-f]{32}$/);
      }
    });
    assert.ok(performance.now() - begun < 9_000);
    sockets.forEach((socket) => socket.destroy());
    silent.close();
  });

  test("says clearly what it cannot take", async () => {
    assert.throws(() => new Client(null), { name: "TypeError", message: /a client takes/ });
    for (const wrong of [null, "x", [], 5, new Map()]) {
      assert.throws(() => new Client("localhost", wrong), { name: "TypeError", message: /a client takes/ });
    }
    assert.throws(() => new Client({ target: "localhost" }, { model: "m" }), { message: /options in one object/ });
    await using(new InferenceClient("localhost:1"), async (client) => {
      for (const call of [
        (wrong) => client.generate("hi", wrong),
        async (wrong) => client.stream("hi", wrong),
        (wrong) => client.health("", wrong),
        (wrong) => client.waitUntilReady(wrong),
        (wrong) => client.modelHealth(wrong),
      ]) {
        for (const wrong of [null, 5, "x", [], new Map()]) {
          const error = await failure(call(wrong));
          assert.equal(`${error}`, "TypeError: parameters and options of a call go in an object", `${call}`);
        }
      }
      for (const wrong of [null, 5, {}]) {
        assert.equal(`${await failure(client.health(wrong))}`, "TypeError: service must be a string");
        assert.match(`${await failure(client.waitUntilReady({ service: wrong }))}`, /service must be a string/);
      }
      await assert.rejects(client.waitUntilReady({ metadata: {} }), /waitUntilReady takes timeoutMs, service, signal/);
    });
    await using(new Client("localhost:1"), async (client) => {
      for (const [messages, message] of [
        [5, /messages must be an array/],
        [null, /messages must be an array/],
        [[5], /messages\[0\] must be an object/],
        [[{ role: "user", content: "x" }, null], /messages\[1\] must be an object/],
        [[{ role: "user", content: 5 }], /messages\[0\] must be \{ role, content \}/],
        [[{ role: "user", name: "x" }], /unknown field "name" in messages\[0\]/],
      ]) {
        assert.throws(() => client.stream({ messages }), { name: "TypeError", message });
      }
      assert.throws(() => client.stream({ messages: [], sampling: 5 }), { message: "sampling must be an object" });
      for (const requestId of ["", "two words", "x".repeat(129), "ü"]) {
        assert.throws(() => client.stream("hi", { requestId }), { name: "TypeError", message: /requestId must be/ });
      }
      const reserved =
        ":path :authority grpc-timeout grpc-encoding Content-Type content-length te host user-agent connection";
      for (const key of [...reserved.split(" "), "keep-alive", "transfer-encoding", "upgrade", "proxy-connection"]) {
        assert.throws(() => client.stream("hi", { metadata: { [key]: "x" } }), { message: /belongs to HTTP or gRPC/ });
      }
      for (const key of ["", "two words", "ü"]) {
        assert.throws(() => client.stream("hi", { metadata: { [key]: "x" } }), { message: /cannot carry/ });
      }
      assert.throws(() => client.stream("hi", { metadata: { "X-Request-Id": "x" } }), { message: /option requestId/ });
    });
  });

  test("never shows a key that it took for a path", () => {
    const elliptic = `MIGHAgEAMBMGByqGSM49secret${"A".repeat(100)}`;
    const cut = `${"A".repeat(50)}secret-----END PRIVATE KEY-----`;
    for (const key of [
      "MIIEvQsecret",
      "line\nMIIEvQsecret",
      "secret/path",
      "\0MIIEvQsecret",
      elliptic,
      "MC4CAsecret",
      cut,
    ]) {
      for (const tls of [{ ca: key.replace("secret/path", "MIIEvQsecret") }, { key, cert: "x" }]) {
        assert.throws(
          () => new Client("localhost", { tls }),
          (error) => /tls\.(key|ca) cannot be read/.test(error.message) && !/secret/.test(error.stack) && !error.cause,
        );
      }
    }
  });

  test("sends its user agent, metadata, request id and token with every call, health included", async () => {
    const server = await startFake({ complete: (_call, callback) => callback(null, answer("hi")) });
    let asked = 0;
    const token = async () => `token-${(asked += 1)}`;
    const metadata = { "x-team": "search", "x-both": "client", "x-raw-bin": Buffer.from([1, 2]) };
    await using(new Client(server.target, { token, metadata, userAgent: "shop/2.1" }), async (client) => {
      await client.generate("hi", { requestId: "id-1", metadata: { "x-both": ["call", "twice"] } });
      await client.health();
      await failure(client.stream("hi", { timeoutMs: 200 }).next());
      const [call, health, stream] = server.seen.map(({ metadata }) => metadata);
      assert.match(
        call.get("user-agent")[0],
        new RegExp(`^shop/2\\.1 inference-gateway-node/${VERSION} grpc-node-js/`),
      );
      assert.equal(call.get("x-team")[0], "search");
      assert.deepEqual(call.get("x-raw-bin")[0], Buffer.from([1, 2]));
      assert.match(call.get("x-both").join(), /^call, ?twice$/);
      assert.equal(call.get("x-request-id")[0], "id-1");
      assert.deepEqual(
        [call, health, stream].map((one) => one.get("authorization")[0]),
        ["Bearer token-1", "Bearer token-2", "Bearer token-3"],
      );
      assert.equal(health.get("x-both")[0], "client");
    });
    server.close();
  });

  test("says when its token function fails or hangs, and sends nothing then", async () => {
    const server = await startFake({ complete: (_call, callback) => callback(null, answer("hi")) });
    const mine = new Error("the vault is sealed");
    const failing = new Client(server.target, { token: () => Promise.reject(mine) });
    const error = await failure(failing.generate("hi"));
    assert.ok(error instanceof gateway.AuthenticationError);
    assert.equal(error.cause, mine);
    const hanging = new Client(server.target, { token: () => new Promise(() => {}) });
    assert.ok((await failure(hanging.generate("hi", { timeoutMs: 50 }))) instanceof gateway.DeadlineExceededError);
    const aborted = failure(hanging.stream("hi", { signal: AbortSignal.timeout(50) }).next());
    assert.equal((await aborted).name, "AbortError");
    const closing = failure(hanging.generate("hi"));
    await hanging.close();
    assert.ok((await closing) instanceof gateway.ClientClosedError);
    const wrong = new Client(server.target, { token: () => "new\nline" });
    assert.match((await failure(wrong.generate("hi"))).message, /visible ASCII/);
    assert.equal(server.seen.length, 0);
    server.close();
  });

  test("takes from its token function nothing but a token", async () => {
    const server = await startFake({ complete: (_call, callback) => callback(null, answer("hi")) });
    for (const given of [undefined, null, "", 5, {}, ["s3cret"], "s3cret\nline", "s3cret ", "sécret"]) {
      for (const token of [() => given, async () => given]) {
        await using(new Client(server.target, { token }), async (client) => {
          for (const call of [client.generate("hi"), client.stream("hi").next(), client.health()]) {
            const error = await failure(call);
            assert.ok(error instanceof gateway.AuthenticationError, `${given}: ${error}`);
            assert.match(error.message, /^what the token function gives must be a string of visible ASCII/);
            assert.match(error.requestId, /^[0-9a-f]{32}$/);
            assert.ok(!/s.cret/.test(error.stack));
          }
        });
      }
    }
    const sealed = () => {
      throw new Error("sealed");
    };
    await using(new Client(server.target, { token: sealed }), async (client) => {
      assert.ok((await failure(client.generate("hi"))) instanceof gateway.AuthenticationError);
    });
    assert.equal(server.seen.length, 0);
    server.close();
  });

  test("sends one token: its own, or a call's where it has none", async () => {
    const server = await startFake({ complete: (_call, callback) => callback(null, answer("hi")) });
    const metadata = { authorization: "Bearer call" };
    for (const token of ["mine", async () => "mine"]) {
      await using(new Client(server.target, { token }), async (client) => {
        assert.throws(() => client.stream("hi", { metadata }), { name: "TypeError", message: /exclude each other/ });
        assert.equal((await failure(client.generate("hi", { metadata }))).name, "TypeError");
        assert.equal((await failure(client.health("", { metadata }))).name, "TypeError");
      });
    }
    await using(new Client(server.target), (client) => client.generate("hi", { metadata }));
    assert.deepEqual(
      server.seen.map(({ metadata }) => metadata.get("authorization")),
      [["Bearer call"]],
    );
    server.close();
  });

  test("refuses text with half a character, wherever it stands, and sends every other", async () => {
    const server = await startFake({
      complete: (call, callback) => callback(null, answer(call.request.messages[0].content)),
    });
    const half = "a\ud800b";
    const wrong = { name: "TypeError", message: /holds a lone surrogate/ };
    await using(new Client(server.target), async (client) => {
      for (const [prompt, parameters] of [
        [half],
        ["\udc00"],
        [[{ role: "user", content: half }]],
        [[{ role: half, content: "x" }]],
        [{ messages: [{ role: "user", content: half }] }],
        [{ messages: [], model: half }],
        [{ messages: [], stopping: { stop: [half] } }],
        ["x", { model: half }],
        ["x", { stop: half }],
        ["x", { stop: ["x", half] }],
      ]) {
        assert.throws(() => client.stream(prompt, parameters), wrong, JSON.stringify(prompt));
        await assert.rejects(client.generate(prompt, parameters), wrong);
      }
      await assert.rejects(client.health(half), wrong);
      await assert.rejects(client.waitUntilReady({ service: half }), wrong);
      const text = "\u{1f600} \ufffd \u{10ffff} \0 ü";
      assert.equal(String(await client.generate(text)), text);
    });
    await using(new InferenceClient(server.target), async (client) => {
      assert.throws(() => client.stream(half), wrong);
    });
    assert.throws(() => new Client("x", { model: half }).stream("hi"), wrong);
    server.close();
  });

  test("gives its connections back when it is forgotten, and not before its last call has ended", async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = sockets();
    await (async () => {
      const clients = Array.from({ length: 20 }, () => new Client(rig.target));
      await Promise.all(clients.map((client) => client.generate("hi", { maxTokens: 1 })));
      assert.ok(sockets() >= before + 20);
    })();
    const unary = new Client(rig.target).generate("[[sim:inter-token=100ms]] hi", { maxTokens: 7 });
    const waiting = failure(new Client("localhost:1").waitUntilReady({ timeoutMs: 700 }));
    const stream = (() => new Client(rig.target).stream("[[sim:inter-token=50ms]] hi", { maxTokens: 10 }))();
    const closed = async () => {
      globalThis.gc();
      await sleep(5);
      return sockets() <= before + 1;
    };
    await eventually("they are closed", closed, 20_000);
    assert.equal((await unary).usage.outputTokens, 7);
    assert.ok((await waiting) instanceof gateway.DeadlineExceededError);
    for await (const _ of stream) {
      globalThis.gc();
    }
    assert.equal(stream.finishReason, "length");
  });

  test("sends no metadata that would break the connection of all its calls", async () => {
    await using(new Client(rig.target, { token: async () => "token" }), async (client) => {
      const much = { "x-much": "y".repeat(100_000) };
      const running = Array.from({ length: 5 }, () =>
        client.stream("[[sim:inter-token=50ms]] go", { maxTokens: 20 }).answer(),
      );
      const some = Array.from({ length: 700 }, (_, index) => [`x-key-${index}`, "y".repeat(60)]);
      for (const call of [
        client.generate("hi", { metadata: much }),
        client.stream("hi", { metadata: much }).next(),
        client.health("", { metadata: much }),
        client.generate("hi", { metadata: Object.fromEntries(some) }),
        client.generate("hi", { metadata: { "x-much-bin": Buffer.alloc(50_000) } }),
        client.generate("hi", { metadata: { "x-much": Array(2_000).fill("") } }),
        new Client(rig.target, { token: () => "y".repeat(70_000) }).generate("hi"),
      ]) {
        const error = await failure(call);
        assert.ok(error instanceof gateway.RequestTooLargeError, `${error}`);
        assert.equal(error.code, "RESOURCE_EXHAUSTED");
        assert.match(error.message, /metadata would take \d+ bytes; the gateway takes 65536 \(limits\.metadata-hard\)/);
        assert.match(error.requestId, /^[0-9a-f]{32}$/);
      }
      await client.generate("hi", { maxTokens: 1, metadata: { "x-some": "y".repeat(15_000) } });
      assert.ok((await Promise.all(running)).every(({ usage }) => usage.outputTokens === 20));
    });
  });

  test("says what HTTP/2 said, where the gateway has no words of its own", async () => {
    const server = createHttp2Server().on("stream", (stream, headers) => {
      if (headers["x-do"] === "431") {
        stream.respond({ ":status": 431 }, { endStream: true });
      } else {
        stream.on("error", () => {}).close(Number(headers["x-do"]));
      }
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    await using(new Client(`127.0.0.1:${server.address().port}`, { retries: 0 }), async (client) => {
      const asked = (what) => failure(client.generate("hi", { metadata: { "x-do": what } }));
      const large = await asked("431");
      assert.ok(large instanceof gateway.RequestTooLargeError);
      assert.match(large.message, /^the call's metadata is above what the gateway takes \(limits\.metadata-soft/);
      assert.match((await asked("1")).message, /reset the call: HTTP\/2 PROTOCOL_ERROR$/);
      assert.match((await asked("3")).message, /reset the call: HTTP\/2 FLOW_CONTROL_ERROR$/);
    });
    server.close();
  });

  test("says of a wait in vain what kept it from a connection", async () => {
    const soon = { waitForReady: true, timeoutMs: 600 };
    for (const [target, seen] of [
      ["127.0.0.1:1", /last seen: connect ECONNREFUSED 127\.0\.0\.1:1; is it running there\?/],
      ["nowhere.invalid:1", /last seen: Name resolution failed for target dns:nowhere.invalid:1; is the name right\?/],
      ["unix:/no/such.sock", /last seen: connect ENOENT \/no\/such.sock; is it running there\?/],
    ]) {
      await using(new Client(target, { waitForReady: true }), async (client) => {
        const errors = await Promise.all([
          failure(client.generate("hi", soon)),
          failure(client.stream("hi", soon).next()),
          failure(client.health("", soon)),
          failure(client.waitUntilReady({ timeoutMs: 600 })),
        ]);
        for (const error of errors) {
          assert.ok(error instanceof gateway.DeadlineExceededError, `${error}`);
          assert.match(error.message, /last seen: /);
          assert.match(error.message.replace(/last seen: no connection to a gateway at \S+: /, "last seen: "), seen);
        }
      });
    }
  });

  test("finds a gateway that was away for long within little more than a second", async () => {
    const handlers = { complete: (_call, callback) => callback(null, answer("back")) };
    const server = await startFake(handlers);
    await using(new Client(server.target), async (client) => {
      await client.generate("hi");
      server.close();
      const back = performance.now() + 4_000;
      while (performance.now() < back) {
        await failure(client.generate("hi"));
        await sleep(50);
      }
      const again = await startFake(handlers, { address: server.target });
      const began = performance.now();
      await eventually("it is found", () => client.generate("hi").catch(() => undefined));
      assert.ok(performance.now() - began < 1_600, `${performance.now() - began} ms`);
      again.close();
    });
  });

  test("warns once of a token that travels unencrypted, but not to this machine", async () => {
    const warnings = [];
    const note = (warning) => warnings.push(warning);
    process.on("warning", note);
    for (const target of ["gateway.example", "localhost", "unix:/run/x.sock", "127.0.0.1:5"]) {
      new Client(target, { token: "t0ken" });
    }
    new Client("gateway.example", { token: "t0ken", tls: true });
    await sleep(20);
    process.off("warning", note);
    assert.equal(warnings.length, 1);
    assert.equal(warnings[0].code, "INFERENCE_GATEWAY_PLAINTEXT_TOKEN");
    assert.ok(!warnings[0].message.includes("t0ken"));
  });

  test("has connections of its own, which its close ends", async () => {
    const server = await startFake({ complete: (_call, callback) => callback(null, answer("hi")) });
    const [one, two] = [new Client(server.target), new Client(server.target)];
    await one.generate("hi");
    await two.generate("hi");
    await one.close();
    assert.equal(String(await two.generate("hi")), "hi", "the other is not closed with it");
    await two.close();
    server.close();
  });

  test("speaks through a Unix socket", async () => {
    const path = `unix:${join(folder, "gateway.sock")}`;
    const server = await startFake(
      { complete: (_call, callback) => callback(null, answer("by socket")) },
      { address: path },
    );
    await using(new Client(path), async (client) => {
      assert.equal(String(await client.generate("hi")), "by socket");
    });
    server.close();
  });

  test("goes through the proxy that the environment names, but not to this machine nor when told not to", async () => {
    const connects = [];
    const proxy = createServer().on("connect", (request, socket) => {
      connects.push(request.url);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const saved = process.env.http_proxy;
    process.env.http_proxy = `http://127.0.0.1:${proxy.address().port}`;
    const log = console.error;
    console.error = () => {};
    try {
      await using(new Client(rig.target), (client) => client.generate("hi", { maxTokens: 1 }));
      assert.deepEqual(connects, []);
      await using(new Client("gateway.invalid:7", { retries: 0 }), (client) =>
        failure(client.generate("hi", { timeoutMs: 1000 })),
      );
      assert.equal(connects[0], "gateway.invalid:7");
      await using(new Client("other.invalid:7", { proxy: false }), (client) => failure(client.generate("hi")));
      assert.ok(!connects.includes("other.invalid:7"));
    } finally {
      console.error = log;
      restore("http_proxy", saved);
      proxy.close();
    }
  });
});

describe("health", () => {
  test("says what the gateway says, for each name", async () => {
    await using(new Client(rig.target), async (client) => {
      await client.waitUntilReady();
      for (const service of ["", "liveness", "readiness", "llm.v1.LLMService", "inference.InferenceService"]) {
        assert.equal(await client.health(service), "SERVING", service);
      }
      assert.equal(await client.health("no.such.Service"), "SERVICE_UNKNOWN");
    });
    await using(new InferenceClient(rig.target), async (client) => {
      assert.deepEqual(await client.modelHealth(), { status: "healthy", model: "simulated-model" });
    });
  });

  test("is waited for through refused connections and NOT_SERVING", async () => {
    const reserved = await startFake({});
    reserved.close();
    await using(new Client(reserved.target), async (client) => {
      const waiting = client.waitUntilReady({ timeoutMs: 20_000 });
      await failure(client.health());
      const server = await startFake(
        { check: (_call, callback, count) => callback(null, { status: count < 4 ? 2 : 1 }) },
        { address: reserved.target },
      );
      await waiting;
      assert.ok(server.seen.length >= 4);
      server.close();
    });
  });

  test("is waited for to the end of the time", async () => {
    const begun = Date.now();
    const server = await startFake({
      check: (_call, callback) => callback(null, { status: Date.now() - begun < 1_500 ? 2 : 1 }),
    });
    await using(new Client(server.target), async (client) => {
      // Looks come at 0, 50, 150, 350, 750 and 1250 ms; another pause of 500 ms would be over too late.
      await client.waitUntilReady({ timeoutMs: 1_700 });
    });
    server.close();
  });

  test("is waited for by many with one signal, and asked for by many, without a warning of a leak", async () => {
    const warnings = [];
    const note = (warning) => warnings.push(warning);
    process.on("warning", note);
    const server = await startFake({ check: (_call, callback) => callback(null, { status: 2 }) });
    const controller = new AbortController();
    const { signal } = controller;
    await using(new Client(server.target), async (client) => {
      const waits = Array.from({ length: 20 }, () => failure(client.waitUntilReady({ signal })));
      const calls = Array.from({ length: 20 }, () => client.health("", { signal }));
      assert.deepEqual(new Set(await Promise.all(calls)), new Set(["NOT_SERVING"]));
      await eventually("all pause", () => server.seen.length >= 60);
      controller.abort("enough");
      for (const error of await Promise.all(waits)) {
        assert.equal(error.name, "AbortError");
        assert.equal(error.cause, "enough");
      }
    });
    process.off("warning", note);
    assert.deepEqual(warnings, []);
    server.close();
  });

  test("that does not come says what was seen last", async () => {
    const server = await startFake({ check: (_call, callback) => callback(null, { status: 2 }) });
    await using(new Client(server.target), async (client) => {
      const error = await failure(client.waitUntilReady({ timeoutMs: 200 }));
      assert.ok(error instanceof gateway.DeadlineExceededError);
      assert.equal(
        error.message,
        `the gateway at ${server.target} was not ready within 200 ms; last seen: NOT_SERVING`,
      );
      assert.match(error.requestId, /^[0-9a-f]{32}$/);
      const aborted = await failure(client.waitUntilReady({ signal: AbortSignal.timeout(120) }));
      assert.equal(aborted.name, "AbortError");
    });
    server.close();
    await using(new Client(server.target), async (client) => {
      const error = await failure(client.waitUntilReady({ timeoutMs: 300 }));
      assert.match(error.message, /last seen: no connection to a gateway at .*ECONNREFUSED/);
      await assert.rejects(client.waitUntilReady({ timeout: 3 }), /unknown parameter "timeout"/);
    });
    const strict = await startFake({
      check: (_call, callback) => callback(refusal(16, { reason: "UNAUTHENTICATED" })),
    });
    await using(new Client(strict.target), async (client) => {
      assert.ok((await failure(client.waitUntilReady())) instanceof gateway.AuthenticationError);
    });
    strict.close();
  });
});

describe("TLS", () => {
  test("is spoken with an authority of one's own, and with a client's certificate where the gateway wants one", async () => {
    const warnings = [];
    const note = (warning) => warnings.push(warning);
    process.on("warning", note);
    const file = certificates();
    const tls = ["--tls-cert", file("server.pem"), "--tls-key", file("server.key")];
    const [plain, expired, mutual] = await Promise.all([
      startGateway(...tls),
      startGateway("--tls-cert", file("expired-server.pem"), "--tls-key", file("server.key")),
      startGateway(...tls, "--tls-client-ca", file("authority.pem")),
    ]);
    const [at, mutualAt] = [`localhost:${plain.port}`, `localhost:${mutual.port}`];
    const ca = file("authority.pem");
    const own = { ca, cert: file("client.pem"), key: file("client.key") };

    await succeeds(at, { ca });
    await succeeds(at, { ca: readFileSync(ca) });
    await succeeds(at, { ca: readFileSync(ca, "utf8") });
    await succeeds(plain.target, { ca, serverName: "gateway.internal" });
    await succeeds(plain.target, { ca });
    await succeeds(at, { ca, serverName: "127.0.0.1" });
    await fails(`[::ffff:127.0.0.1]:${plain.port}`, { ca }, /IP: ::ffff:.* is not in the cert's list/);
    await succeeds(mutualAt, own);
    await succeeds(mutualAt, { ca, cert: readFileSync(own.cert), key: readFileSync(own.key, "utf8") });

    const { key } = own;
    const asks = /certificate required; it asks for a client's certificate: set tls\.cert and tls\.key$/;
    await fails(at, { ca: file("stranger.pem") }, /certificate; tls\.ca must hold the authority of its certificate$/);
    await fails(at, true, /certificate; tls\.ca must hold the authority of its certificate$/);
    await fails(at, { ca, serverName: "other.name" }, /: Hostname.*altnames.*; tls\.serverName must be a name in its/);
    await fails(at, undefined, /; does it speak TLS\? Then set `tls`$/);
    await fails(mutualAt, { ca }, asks);
    await fails(
      mutualAt,
      { ca, cert: file("foreign.pem"), key },
      /it does not take this client's certificate \(tls\.cert\)/,
    );
    await fails(
      mutualAt,
      { ca, cert: file("expired-client.pem"), key },
      /; this client's certificate \(tls\.cert\) has exp/,
    );
    await fails(`localhost:${expired.port}`, { ca }, /certificate has expired; the gateway needs a new certificate/);
    await fails(
      rig.target.replace("127.0.0.1", "localhost"),
      { ca },
      /; what is there speaks no TLS: leave `tls` out$/,
    );
    process.off("warning", note);
    assert.deepEqual(warnings, [], "Node warns of nothing, of addresses neither");
    await Promise.all([plain.stop(), expired.stop(), mutual.stop()]);
  });

  async function succeeds(target, tls) {
    await using(new Client(target, { tls }), async (client) => {
      assert.equal((await client.generate("hi", { maxTokens: 2, waitForReady: true })).usage.outputTokens, 2);
    });
  }

  async function fails(target, tls, message) {
    await using(new Client(target, { tls, retries: 0, timeoutMs: 5000 }), async (client) => {
      const error = await failure(client.generate("hi", { maxTokens: 2 }));
      assert.ok(error instanceof gateway.UnavailableError, `${error.name} ${error.message}`);
      assert.match(error.message, message);
      const late = await failure(client.stream("hi", { waitForReady: true, timeoutMs: 300 }).next());
      assert.ok(late instanceof gateway.DeadlineExceededError, `${late.name} ${late.message}`);
      assert.match(late.message, /^300 ms were over before there was a connection to .*; last seen: /);
      assert.match(late.message, message);
    });
  }
});

describe("a gateway that goes", () => {
  test("is left without an error for its twin while it drains, and found again when it is back", async () => {
    const [leaving, staying] = await Promise.all([
      startGateway("--drain-pause", "1s"),
      startGateway("--connection-max-streams", "30"),
    ]);
    const target = `ipv4:${leaving.target},${staying.target}`;
    await using(new Client(target), async (client) => {
      let going = true;
      let answers = 0;
      const ask = async (index) => {
        while (going) {
          if (index % 2 === 0) {
            await client.generate("unary", { maxTokens: 3 });
          } else {
            await client.stream("[[sim:inter-token=20ms]] stream", { maxTokens: 15 }).answer();
          }
          answers += 1;
        }
      };
      await client.waitUntilReady();
      const callers = Promise.all(Array.from({ length: 20 }, (_, index) => ask(index)));
      await Promise.race([callers, eventually("load", () => answers > 100)]);
      leaving.signal("SIGTERM");
      await Promise.race([callers, leaving.exited]);
      const afterwards = answers;
      await Promise.race([callers, eventually("load on the other", () => answers > afterwards + 50)]);
      going = false;
      await callers;
    });

    await using(new Client(staying.target), async (client) => {
      await full(client, 30);
      await client.generate("before", { maxTokens: 1 });
      await staying.stop();
      const down = await failure(client.generate("while it is down"));
      assert.ok(down instanceof gateway.UnavailableError);
      const back = await startGateway("--listen", staying.target);
      const answer = await client.generate("afterwards", { maxTokens: 1, waitForReady: true, timeoutMs: 20_000 });
      assert.equal(answer.usage.outputTokens, 1);
      await back.stop();
    });
  });
});

/** With all streams of the connection taken, a further call waits, and ends when its time or its signal says so. */
async function full(client, streams) {
  const open = Array.from({ length: streams }, () =>
    client.stream("[[sim:inter-token=100ms]] go", { maxTokens: 500, ignoreEos: true }),
  );
  await Promise.all(open.map((stream) => stream.next()));
  const late = await failure(client.generate("waits", { timeoutMs: 100 }));
  assert.ok(late instanceof gateway.DeadlineExceededError);
  const left = await failure(client.stream("waits", { signal: AbortSignal.timeout(50) }).next());
  assert.equal(left.name, "AbortError");
  const waiting = client.generate("gets its turn", { maxTokens: 1 });
  open.forEach((stream) => stream.cancel());
  assert.equal((await waiting).usage.outputTokens, 1);
}

function restore(name, value) {
  if (value === undefined) {
    delete process.env[name];
  } else {
    process.env[name] = value;
  }
}
