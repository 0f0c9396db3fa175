// Compiled by verify.sh against the installed package with tsc --strict, as an ES module of NodeNext. Not run.
import {
  Answer,
  Client,
  InferenceClient,
  InferenceError,
  type ChatMessage,
  type ClientOptions,
  type FinishReason,
  type TokenStream,
  type Usage,
} from "@inference-gateway/client";
import { inference, llm } from "@inference-gateway/client/proto";

const options: ClientOptions = { target: "localhost:50051", tls: { ca: "ca.pem" }, token: async () => "token" };

export async function use(signal: AbortSignal): Promise<void> {
  const client = new Client(options);
  const messages: readonly ChatMessage[] = [{ role: "user", content: "hi" }];
  const answer: Answer<llm.CompleteResponse> = await client.generate(messages, {
    seed: 5n,
    logitBias: { 5: 1 },
    signal,
  });
  const finish: FinishReason | undefined = answer.finishReason;
  const usage: Usage | undefined = answer.usage;
  const id: string | undefined = answer.message?.id;
  const stream: TokenStream<llm.TokenChunk> = client.stream("hi", { timeoutMs: 5, stop: ["a"] as const });
  for await (const token of stream) {
    token.toUpperCase();
  }
  for await (const chunk of stream.chunks()) {
    chunk.finish?.matched?.value;
  }
  await client.generate({ messages: [{ role: "user", content: "hi" }], sampling: { temperature: 0, seed: 1n } });
  await client.generate(llm.CompleteRequest.fromPartial({ messages: [] }));

  // @ts-expect-error: not a parameter
  await client.generate("hi", { max_tokens: 5 });
  // @ts-expect-error: not a number
  await client.generate("hi", { maxTokens: "5" });
  // @ts-expect-error: not an option
  new Client("localhost", { timeout: 5 });

  const small = new InferenceClient("localhost");
  const reply: Answer<inference.GenerateResponse> = await small.generate("hi", { topP: 0.5 });
  // @ts-expect-error: the small contract has no topK
  small.stream("hi", { topK: 5 });
  const { status, model } = await small.modelHealth();

  try {
    await client.waitUntilReady({ timeoutMs: 5 });
  } catch (error) {
    if (error instanceof InferenceError) {
      const { code, reason, retryAfterMs, violations } = error;
      console.log(code satisfies string, reason, retryAfterMs?.toFixed(), violations[0]?.field);
    }
  }
  console.log(finish, usage, id, reply.text, status, model);
  await using closing = client;
  void closing;
}
