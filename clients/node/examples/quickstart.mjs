// One answer, then one streamed. INFERENCE_GATEWAY_TARGET says where the gateway is; default localhost:50051.
import { Client } from "@inference-gateway/client";

const client = new Client();

const answer = await client.generate("Explain HTTP/2 multiplexing in one sentence.", { maxTokens: 64 });
console.log(`${answer}`);
console.log(answer.finishReason, answer.usage);

for await (const token of client.stream("Why is the sky blue?", { maxTokens: 64 })) {
  process.stdout.write(token);
}
console.log();

await client.close();
