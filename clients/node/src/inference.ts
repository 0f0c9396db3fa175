import type { AnswerParts } from "./answer";
import type { ChatMessage, Contract } from "./contract";
import * as wire from "./gen/inference";
import type { GenerateParameters } from "./llm";
import { list, refuseUnknownFields } from "./parameters";

/** What the small contract takes. Defaults: maxTokens 256, streamed 1024; temperature 0.7. */
export type InferenceParameters = Pick<
  GenerateParameters,
  "model" | "maxTokens" | "temperature" | "topP" | "stop" | "seed"
>;

/** A whole request of the small contract; what is left out is not sent. */
export type GenerateRequestDraft = Parameters<typeof wire.GenerateRequest.fromPartial>[0];

/** inference.InferenceService. */
export const INFERENCE: Contract<
  InferenceParameters,
  GenerateRequestDraft,
  wire.GenerateRequest,
  wire.GenerateResponse,
  wire.TokenResponse
> = {
  whole: wire.InferenceServiceService.generate,
  stream: wire.InferenceServiceService.generateStream,
  hint: "an InferenceClient takes the small contract's (a Client takes more):",
  kinds: { model: "text", maxTokens: "int", temperature: "number", topP: "number", stop: "texts", seed: "long" },
  request(messages: ChatMessage[], p: InferenceParameters) {
    return {
      model: p.model ?? "",
      messages,
      maxTokens: p.maxTokens,
      temperature: p.temperature,
      topP: p.topP,
      stop: list(p.stop) ?? [],
      seed: p.seed === undefined ? undefined : BigInt(p.seed),
    };
  },
  ownRequest(request, model) {
    refuseUnknownFields(request, wire.GenerateRequest.create(), "the request");
    return wire.GenerateRequest.fromPartial({ ...request, model: request.model || model || "" });
  },
  partsOfWhole(response) {
    return { text: response.content, model: response.model || undefined, ...ending(response, response.tokensUsed) };
  },
  partsOfChunk(chunk) {
    return { text: chunk.token, reasoning: "", ...(chunk.done ? ending(chunk) : {}) };
  },
};

type Ending = Pick<wire.GenerateResponse, "finishReason" | "inputTokens" | "outputTokens">;

function ending(
  { finishReason, inputTokens, outputTokens }: Ending,
  totalTokens = inputTokens + outputTokens,
): Omit<AnswerParts, "text"> {
  return { reasoning: "", finishReason, usage: { inputTokens, outputTokens, totalTokens } };
}
