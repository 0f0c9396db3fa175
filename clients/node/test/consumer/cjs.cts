// As esm.mts, from CommonJS.
import gateway = require("@inference-gateway/client");
import { llm } from "@inference-gateway/client/proto";

export async function use(): Promise<string> {
  const client = new gateway.Client("localhost:50051", { retries: 0 });
  const answer: gateway.Answer = await client.generate("hi", { maxTokens: 5 });
  const raw = new llm.LLMServiceClient("localhost:50051", undefined as never);
  raw.close();
  return `${answer}`;
}
