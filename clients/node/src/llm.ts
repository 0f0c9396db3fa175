import type { AnswerParts, FinishReason, Timing, Usage } from "./answer";
import type { ChatMessage, Contract } from "./contract";
import { duration, milliseconds } from "./duration";
import * as wire from "./gen/llm";
import { group, list, refuseUnknownFields } from "./parameters";

/** What the full contract takes. What is not set is not sent; ranges are the gateway's business, and it names every field. */
export interface GenerateParameters {
  /** Name of the model or LoRA adapter. Default: the client's, else the gateway's. */
  model?: string | undefined;
  /** Most tokens to generate, 1 and up. Default: 1024. */
  maxTokens?: number | undefined;
  /** Randomness, 0 to 2; 0 is greedy decoding. Default: the model's. */
  temperature?: number | undefined;
  /** Nucleus sampling, above 0 to 1. */
  topP?: number | undefined;
  /** Draw from the k likeliest tokens; 0 means all. */
  topK?: number | undefined;
  /** Leave out tokens less likely than this share of the likeliest, 0 to 1. */
  minP?: number | undefined;
  /** Lower tokens by how often they came, -2 to 2. */
  frequencyPenalty?: number | undefined;
  /** Lower tokens that came at all, -2 to 2. */
  presencePenalty?: number | undefined;
  /** Divide the odds of tokens seen in prompt or answer, above 0 to 2; 1 changes nothing. */
  repetitionPenalty?: number | undefined;
  /** Makes sampling repeatable on the same backend. A number up to 2^53, or a bigint of 64 bits. */
  seed?: number | bigint | undefined;
  /** Token id to a number added to its logit, each -100 to 100; at most 1024 entries. */
  logitBias?: Readonly<Record<number, number>> | ReadonlyMap<number, number> | undefined;
  /** Texts that end the answer. At most 16, each of 1 to 256 characters. */
  stop?: string | readonly string[] | undefined;
  /** Token ids that end the answer. At most 128. */
  stopTokenIds?: readonly number[] | undefined;
  /** Whether the answer keeps the text that ended it. */
  includeStopText?: boolean | undefined;
  /** Generate at least so many tokens before any stop counts. */
  minTokens?: number | undefined;
  /** Go on past the model's own end up to maxTokens; for load tests. */
  ignoreEos?: boolean | undefined;
  /** Longest wait for the first token, in milliseconds. Can only shorten the gateway's limit (5 min). */
  firstTokenLimitMs?: number | undefined;
  /** Longest wait between two tokens, in milliseconds. Can only shorten the gateway's limit (60 s). */
  gapLimitMs?: number | undefined;
  /** Longest time of the whole call, in milliseconds. Can only shorten the gateway's limit (10 min). */
  totalLimitMs?: number | undefined;
  /** When a time limit or the deadline passes: the text so far with finish reason "time_limit", in place of an error. */
  partial?: boolean | undefined;
}

const FINISH: Partial<Record<wire.FinishReason, FinishReason>> = {
  [wire.FinishReason.STOP]: "stop",
  [wire.FinishReason.LENGTH]: "length",
  [wire.FinishReason.TOOL_CALLS]: "tool_calls",
  [wire.FinishReason.CONTENT_FILTER]: "content_filter",
  [wire.FinishReason.TIME_LIMIT]: "time_limit",
};

/** A whole request of the full contract; what is left out is not sent. */
export type CompleteRequestDraft = Parameters<typeof wire.CompleteRequest.fromPartial>[0];

/** llm.v1.LLMService. */
export const LLM: Contract<
  GenerateParameters,
  CompleteRequestDraft,
  wire.CompleteRequest,
  wire.CompleteResponse,
  wire.TokenChunk
> = {
  whole: wire.LLMServiceService.complete,
  stream: wire.LLMServiceService.completeStream,
  hint: "a Client takes",
  kinds: {
    model: "text",
    maxTokens: "int",
    temperature: "number",
    topP: "number",
    topK: "int",
    minP: "number",
    frequencyPenalty: "number",
    presencePenalty: "number",
    repetitionPenalty: "number",
    seed: "long",
    logitBias: "bias",
    stop: "texts",
    stopTokenIds: "ints",
    includeStopText: "flag",
    minTokens: "int",
    ignoreEos: "flag",
    firstTokenLimitMs: "ms",
    gapLimitMs: "ms",
    totalLimitMs: "ms",
    partial: "flag",
  },
  request(messages: ChatMessage[], p: GenerateParameters) {
    return wire.CompleteRequest.fromPartial({
      model: p.model,
      messages,
      maxTokens: p.maxTokens,
      sampling: group({
        temperature: p.temperature,
        topP: p.topP,
        topK: p.topK,
        minP: p.minP,
        frequencyPenalty: p.frequencyPenalty,
        presencePenalty: p.presencePenalty,
        repetitionPenalty: p.repetitionPenalty,
        seed: p.seed === undefined ? undefined : BigInt(p.seed),
        logitBias: p.logitBias instanceof Map ? Object.fromEntries(p.logitBias) : p.logitBias,
      }),
      stopping: group({
        stop: list(p.stop),
        stopTokenIds: list(p.stopTokenIds),
        includeStopText: p.includeStopText,
        minTokens: p.minTokens,
        ignoreEos: p.ignoreEos,
      }),
      timeLimits: group({
        firstToken: duration(p.firstTokenLimitMs),
        gap: duration(p.gapLimitMs),
        total: duration(p.totalLimitMs),
        onTimeLimit: onTimeLimit(p.partial),
      }),
    } as CompleteRequestDraft);
  },
  ownRequest(request, model) {
    refuseUnknownFields(request, wire.CompleteRequest.create(), "the request");
    refuseUnknownFields(request.sampling ?? {}, wire.Sampling.create(), "sampling");
    refuseUnknownFields(request.stopping ?? {}, wire.Stopping.create(), "stopping");
    refuseUnknownFields(request.timeLimits ?? {}, wire.TimeLimits.create(), "timeLimits");
    return wire.CompleteRequest.fromPartial({ ...request, model: request.model || model || "" });
  },
  partsOfWhole(response) {
    return { text: response.text, ...partsOf(response) };
  },
  partsOfChunk(chunk) {
    return { text: chunk.token, ...partsOf(chunk) };
  },
};

function onTimeLimit(partial: boolean | undefined): wire.OnTimeLimit | undefined {
  if (partial === undefined) {
    return undefined;
  }
  return partial ? wire.OnTimeLimit.PARTIAL_ANSWER : wire.OnTimeLimit.ERROR;
}

/** Whole answers and chunks name the rest alike. */
type Common = Pick<wire.CompleteResponse, "reasoning" | "usage" | "id" | "model" | "finish" | "timing">;

function partsOf({ reasoning, usage, id, model, finish, timing }: Common): Omit<AnswerParts, "text"> {
  return {
    reasoning,
    usage: usage satisfies Usage | undefined,
    id: id || undefined,
    model: model || undefined,
    finishReason: finish && (FINISH[finish.reason] ?? finish.raw),
    matchedStop: finish?.matched?.value,
    timing: timing && timingOf(timing),
  };
}

function timingOf({ queue, firstToken, total }: wire.Timing): Timing {
  return { queueMs: milliseconds(queue), firstTokenMs: milliseconds(firstToken), totalMs: milliseconds(total) };
}
