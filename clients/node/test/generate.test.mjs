import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client, InferenceClient } from "@inference-gateway/client";
import { llm } from "@inference-gateway/client/proto";
import { mark, rig, using } from "./rig.mjs";

const EVERYTHING = {
  model: "qwen2.5-coder:32b",
  maxTokens: 7,
  temperature: 0.25,
  topP: 0.5,
  topK: 0,
  minP: 0.125,
  frequencyPenalty: -0.5,
  presencePenalty: 0.75,
  repetitionPenalty: 1.5,
  seed: 9007199254740993n,
  logitBias: { 17: -2.5, 3: 1 },
  stop: ["END", "STOP"],
  stopTokenIds: [5, 6],
  includeStopText: true,
  minTokens: 2,
  ignoreEos: true,
  firstTokenLimitMs: 4000.5,
  gapLimitMs: 3000,
  totalLimitMs: 20_000,
  partial: false,
};

const UPSTREAM = {
  model: "qwen2.5-coder:32b",
  max_tokens: 7,
  temperature: 0.25,
  top_p: 0.5,
  top_k: 0,
  min_p: 0.125,
  frequency_penalty: -0.5,
  presence_penalty: 0.75,
  repetition_penalty: 1.5,
  logit_bias: { 17: -2.5, 3: 1 },
  stop: ["END", "STOP"],
  stop_token_ids: [5, 6],
  include_stop_str_in_output: true,
  min_tokens: 2,
  ignore_eos: true,
};

describe("generate", () => {
  test("gives the whole answer and what it cost, by the full contract", async () => {
    await using(new Client(rig.target), async (client) => {
      const answer = await client.generate("Hello", { maxTokens: 6 });
      assert.ok(answer.text.length > 0);
      assert.equal(`${answer}`, answer.text);
      assert.equal(answer.model, "simulated-model");
      assert.equal(answer.finishReason, "length");
      assert.equal(answer.usage.outputTokens, 6);
      assert.equal(answer.usage.totalTokens, answer.usage.inputTokens + 6);
      assert.equal(answer.usage.exact, true);
      assert.ok(answer.timing.totalMs >= 20 && answer.timing.totalMs < 60_000);
      assert.match(answer.id, /^chatcmpl-/);
      assert.match(answer.requestId, /^[0-9a-f]{32}$/);
      assert.equal(answer.message.finish.raw, "length");
    });
  });

  test("gives the same figures by the small contract", async () => {
    await using(new InferenceClient(rig.target), async (client) => {
      const answer = await client.generate("Hello", { maxTokens: 6 });
      assert.ok(answer.text.length > 0);
      assert.equal(answer.model, "simulated-model");
      assert.equal(answer.finishReason, "length");
      assert.equal(answer.usage.outputTokens, 6);
      assert.equal(answer.usage.totalTokens, answer.usage.inputTokens + 6);
      assert.equal(answer.timing, undefined);
      assert.equal(answer.message.tokensUsed, answer.usage.totalTokens);
    });
  });

  test("sends every parameter of the full contract to the backend, whole and streamed", async () => {
    await using(new Client(rig.target), async (client) => {
      const whole = mark();
      await client.generate(whole, EVERYTHING);
      const streamed = mark();
      await client.stream(streamed, EVERYTHING).answer();
      for (const text of [whole, streamed]) {
        const [{ body }] = rig.wire.with(text);
        for (const [name, value] of Object.entries(UPSTREAM)) {
          assert.deepEqual(body[name], value, name);
        }
      }
    });
  });

  test("sends a seed of 64 bits exactly, and a number as it is", async () => {
    await using(new Client(rig.target), async (client) => {
      const [big, small] = [mark(), mark()];
      await client.generate(big, { maxTokens: 1, seed: 9007199254740993n });
      await client.generate(small, { maxTokens: 1, seed: -3 });
      assert.equal(rig.wire.with(small)[0].body.seed, -3);
      assert.match(rig.wire.with(big)[0].text, /"seed":9007199254740993\b/);
    });
  });

  test("sends every parameter of the small contract to the backend", async () => {
    await using(new InferenceClient(rig.target), async (client) => {
      const text = mark();
      await client.generate(text, {
        model: "qwen2.5-coder:32b",
        maxTokens: 4,
        temperature: 0,
        topP: 0.5,
        stop: "END",
        seed: 12n,
      });
      const [{ body }] = rig.wire.with(text);
      assert.equal(body.model, "qwen2.5-coder:32b");
      assert.equal(body.max_tokens, 4);
      assert.equal(body.temperature, 0);
      assert.equal(body.top_p, 0.5);
      assert.deepEqual(body.stop, ["END"]);
      assert.equal(body.seed, 12);
    });
  });

  test("sends 0 as 0 and what is unset or undefined not at all", async () => {
    await using(new Client(rig.target), async (client) => {
      const text = mark();
      await client.generate(text, { maxTokens: 2, temperature: 0, frequencyPenalty: 0, topP: undefined, seed: 0 });
      const [{ body }] = rig.wire.with(text);
      assert.equal(body.temperature, 0);
      assert.equal(body.frequency_penalty, 0);
      assert.equal(body.seed, 0);
      for (const name of ["top_p", "top_k", "stop", "logit_bias", "ignore_eos"]) {
        assert.ok(!(name in body), name);
      }
    });
  });

  test("takes messages, a Map of biases, a model of the client's, and a whole request", async () => {
    await using(new Client(rig.target, { model: "qwen2.5-coder:32b" }), async (client) => {
      const conversation = mark();
      const messages = [
        { role: "system", content: "Be short." },
        { role: "user", content: conversation },
      ];
      const answer = await client.generate(messages, { maxTokens: 2, logitBias: new Map([[9, 1.5]]) });
      assert.equal(answer.model, "qwen2.5-coder:32b");
      const [{ body }] = rig.wire.with(conversation);
      assert.deepEqual(body.messages, messages);
      assert.deepEqual(body.logit_bias, { 9: 1.5 });

      const request = mark();
      const draft = { messages: [{ role: "user", content: request }], maxTokens: 3, sampling: { seed: 4, topK: 2 } };
      assert.equal((await client.generate(draft)).usage.outputTokens, 3);
      assert.equal((await client.generate(llm.CompleteRequest.fromPartial(draft))).usage.outputTokens, 3);
      assert.equal(rig.wire.with(request)[1].body.top_k, 2);
      assert.equal(rig.wire.with(request)[1].body.model, "qwen2.5-coder:32b");
    });
  });

  test("is not changed by what the caller does to its objects afterwards", async () => {
    await using(new Client(rig.target), async (client) => {
      const text = mark();
      const messages = [{ role: "user", content: text }];
      const stream = client.stream(messages, { maxTokens: 1 });
      messages[0].content = "something else";
      await stream.answer();
      assert.equal(rig.wire.with(text).length, 1);
    });
  });

  test("refuses what it cannot send, at once and with what to do", async () => {
    await using(new Client(rig.target), async (client) => {
      const wrong = [
        [["hi", { max_tokens: 1 }], /unknown parameter "max_tokens"; a Client takes model, maxTokens/],
        [["hi", { maxTokens: 1.5 }], /maxTokens must be a whole number/],
        [["hi", { maxTokens: "5" }], /maxTokens must be a whole number/],
        [["hi", { maxTokens: 2 ** 31 }], /maxTokens must be a whole number/],
        [["hi", { seed: 2 ** 60 }], /seed must be a whole number/],
        [["hi", { seed: 2n ** 63n }], /seed must be a whole number/],
        [["hi", { temperature: null }], /temperature must be a number/],
        [["hi", { stop: [1] }], /stop must be a string or an array of strings/],
        [["hi", { partial: 1 }], /partial must be true or false/],
        [["hi", { logitBias: { a: 1 } }], /logitBias must be/],
        [["hi", { gapLimitMs: Infinity }], /gapLimitMs must be a finite number/],
        [["hi", { timeoutMs: "1s" }], /timeoutMs must be a number/],
        [["hi", { timeoutMs: -1 }], /timeoutMs must be 0 or more/],
        [["hi", { timeoutMs: NaN }], /timeoutMs must be 0 or more/],
        [["hi", { signal: {} }], /signal must be an AbortSignal/],
        [["hi", { metadata: { "bad key": "x" } }], /metadata "bad key"/],
        [["hi", { metadata: { key: "secret\n" } }], /metadata "key" has a name or value/],
        [[undefined], /the prompt must be/],
        [[{ prompt: "hi" }], /the prompt must be/],
        [[[{ role: "user" }]], /messages\[0\] must be/],
        [[[{ role: "user", content: "hi", name: "Bob" }]], /messages\[0\] must be/],
        [[{ messages: [], temperature: 0 }], /unknown field "temperature" in the request/],
        [[{ messages: [], sampling: { maxTokens: 0 } }], /unknown field "maxTokens" in sampling/],
        [[{ messages: [] }, { maxTokens: 1 }], /with a whole request, maxTokens must be in the request itself/],
      ];
      for (const [args, message] of wrong) {
        assert.throws(() => client.stream(...args), { name: "TypeError", message }, String(message));
        await assert.rejects(() => client.generate(...args), { name: "TypeError", message }, String(message));
      }
    });
    await using(new InferenceClient(rig.target), async (client) => {
      assert.throws(() => client.stream("hi", { topK: 1 }), /unknown parameter "topK"; an InferenceClient takes/);
    });
  });

  test("answers within a time limit with what there is, when partial is asked for", async () => {
    await using(new Client(rig.target), async (client) => {
      const answer = await client.generate("[[sim:stall-after=4]] go", { totalLimitMs: 300, partial: true });
      assert.equal(answer.finishReason, "time_limit");
      assert.equal(answer.usage.outputTokens, 4);
      assert.equal(answer.usage.exact, false);
      assert.ok(answer.text.length > 0);
    });
  });

  test("tells reasoning from text, and which stop ended the answer", async () => {
    await using(new Client(rig.target), async (client) => {
      const answer = await client.generate("[[sim:reasoning=3]] think", { maxTokens: 8 });
      assert.ok(answer.reasoning.length > 0);
      const stream = client.stream("[[sim:reasoning=3]] think", { maxTokens: 8, seed: 1 });
      let text = "";
      for await (const token of stream) {
        assert.ok(stream.reasoning.length > 0, "reasoning comes first");
        text += token;
      }
      assert.equal(stream.text, text);
      assert.ok(!text.includes(stream.reasoning));
    });
  });
});

test("a time that is longer than gRPC can write is no limit", async () => {
  for (const timeoutMs of [Number.MAX_SAFE_INTEGER, 4e14, 1e300, Infinity]) {
    await using(new Client(rig.target, { timeoutMs }), async (client) => {
      await client.waitUntilReady({ timeoutMs });
      assert.equal(await client.health("", { timeoutMs }), "SERVING");
      assert.ok((await client.generate("hi", { maxTokens: 1 })).text);
      await client.stream("hi", { maxTokens: 1, timeoutMs }).answer();
    });
  }
});
