/** Tokens of a call. */
export interface Usage {
  /** Tokens of the prompt. */
  readonly inputTokens: number;
  /** Tokens generated, reasoning included. */
  readonly outputTokens: number;
  /** Both together. */
  readonly totalTokens: number;
  /** Of the input tokens, those found in the backend's prefix cache; undefined: it did not say. */
  readonly cachedInputTokens?: number | undefined;
  /** Of the output tokens, those spent on reasoning; undefined: it did not say. */
  readonly reasoningTokens?: number | undefined;
  /** True: the backend's own count. False: the gateway counted the pieces. Undefined: the small contract does not say. */
  readonly exact?: boolean | undefined;
}

/** Where the time went by the gateway's clock, in milliseconds. */
export interface Timing {
  /** Waiting in the gateway for a free place at the backend. */
  readonly queueMs?: number | undefined;
  /** From the call's arrival to the first text or reasoning; undefined: there was none, or the answer was not streamed. */
  readonly firstTokenMs?: number | undefined;
  /** From the call's arrival to its end. */
  readonly totalMs?: number | undefined;
}

/** Why generation ended; words that this version does not know come through as the backend wrote them. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "time_limit" | (string & {});

/** What an answer, or a part of it, says. */
export interface AnswerParts {
  text: string;
  reasoning: string;
  model?: string | undefined;
  id?: string | undefined;
  finishReason?: FinishReason | undefined;
  matchedStop?: string | number | undefined;
  usage?: Usage | undefined;
  timing?: Timing | undefined;
}

/** One whole answer. As a string it is its text. */
export class Answer<Message = unknown> {
  /** The generated text. */
  readonly text: string;
  /** What the model thought before it answered, where the backend separates it; else empty. */
  readonly reasoning: string;
  /** The model that answered, as the backend names it. */
  readonly model: string | undefined;
  /** Why generation ended. */
  readonly finishReason: FinishReason | undefined;
  /** The stop text, or the stop token's id, that ended the answer, where the backend tells. */
  readonly matchedStop: string | number | undefined;
  /** Tokens of the call. */
  readonly usage: Usage | undefined;
  /** Where the time went. Only the full contract tells. */
  readonly timing: Timing | undefined;
  /** The backend's name for this completion ("chatcmpl-..."). Only the full contract tells. */
  readonly id: string | undefined;
  /** The gateway's name for this call, to be found in its log. */
  readonly requestId: string | undefined;

  readonly #message: Message | undefined;

  /** @internal */
  constructor(parts: AnswerParts, requestId: string | undefined, message?: Message) {
    this.#message = message;
    this.text = parts.text;
    this.reasoning = parts.reasoning;
    this.model = parts.model;
    this.finishReason = parts.finishReason;
    this.matchedStop = parts.matchedStop;
    this.usage = parts.usage;
    this.timing = parts.timing;
    this.id = parts.id;
    this.requestId = requestId;
  }

  /** The contract's own message; undefined for an answer that was streamed. */
  get message(): Message | undefined {
    return this.#message;
  }

  /** The text. */
  toString(): string {
    return this.text;
  }
}
