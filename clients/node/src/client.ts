import { inspect } from "node:util";
import { Answer } from "./answer";
import { Connection } from "./connection";
import type { ChatMessage, Contract, Method, Prompt } from "./contract";
import {
  InferenceServiceService,
  type GenerateRequest,
  type GenerateResponse,
  type TokenResponse,
} from "./gen/inference";
import type { CompleteRequest, CompleteResponse, TokenChunk } from "./gen/llm";
import { check, untilReady, type HealthStatus } from "./health";
import { INFERENCE, type GenerateRequestDraft, type InferenceParameters } from "./inference";
import { LLM, type CompleteRequestDraft, type GenerateParameters } from "./llm";
import { checkClientOptions, splitCallOptions, type CallOptions, type ClientOptions } from "./options";
import { isObject, readParameters, refuseHalfCharacters, refuseUnknown, refuseUnknownFields } from "./parameters";
import { TokenStream } from "./stream";

/** A look at a gateway's health takes no longer, by default. */
const HEALTH_MS = 5_000;

/** Sockets keep themselves alive: without this a client that was never closed would leave its connections behind. */
const FORGOTTEN = new FinalizationRegistry<Connection>((connection) => connection.forget());

/** What both clients can do. */
abstract class GatewayClient<
  Params extends { model?: string | undefined },
  Draft extends object,
  Request,
  Response,
  Chunk,
> {
  readonly #contract: Contract<Params, Draft, Request, Response, Chunk>;
  readonly #connection: Connection;
  readonly #model: string | undefined;

  /** @internal */
  protected constructor(
    contract: Contract<Params, Draft, Request, Response, Chunk>,
    target: string | ClientOptions | undefined,
    more: ClientOptions,
  ) {
    checkClientOptions(more);
    if (typeof target === "object" && Object.keys(more).length > 0) {
      throw new TypeError("a client takes its options in one object: put the target in it too");
    }
    const options = typeof target === "object" ? target : { ...more, ...(target !== undefined && { target }) };
    checkClientOptions(options);
    this.#contract = contract;
    this.#connection = new Connection(options);
    FORGOTTEN.register(this, this.#connection);
    this.#model = options.model;
  }

  /** Where the gateway is, as it was written. */
  get target(): string {
    return this.#connection.target;
  }

  /**
   * One whole answer.
   *
   * A call that the gateway turned away and calls safe to repeat is sent again after the pause that it asks for, up to
   * `retries` times, as long as the pause fits into `timeoutMs`.
   *
   * @param prompt a string (one message of the user), messages, or the contract's whole request
   * @param parameters generation parameters (not with a whole request) and options of this call
   * @throws TypeError for an unknown parameter or one of the wrong kind
   * @throws InferenceError for every way that a call can end without an answer
   */
  async generate(prompt: Prompt | Draft, parameters: Params & CallOptions = {} as Params): Promise<Answer<Response>> {
    const { whole, partsOfWhole } = this.#contract;
    const [request, options] = this.#request(whole, prompt, parameters);
    const { response, requestId } = await this.#connection.unary(whole, request, options, this.#connection.retries);
    return new Answer(partsOfWhole(response), requestId, response);
  }

  /**
   * The answer's tokens as they are generated: `for await (const token of client.stream("..."))`. Never sent twice.
   *
   * The call begins with the first read. Leaving the loop cancels it.
   *
   * @param prompt a string (one message of the user), messages, or the contract's whole request
   * @param parameters generation parameters (not with a whole request) and options of this call
   * @throws TypeError for an unknown parameter or one of the wrong kind, at once; all else comes with the first read
   */
  stream(prompt: Prompt | Draft, parameters: Params & CallOptions = {} as Params): TokenStream<Chunk> {
    const { stream } = this.#contract;
    const [request, options] = this.#request(stream, prompt, parameters);
    this.#connection.metadata(options);
    this.#connection.checkOpen(options.requestId);
    return new TokenStream(this, this.#connection, this.#contract, request, options);
  }

  /**
   * What the gateway says of itself (grpc.health.v1).
   *
   * @param service "" for the whole, a contract's name, "liveness" or "readiness"
   * @param options options of this call; `timeoutMs` is 5000 by default
   * @throws InferenceError where there is no answer
   */
  async health(service = "", options: CallOptions = {}): Promise<HealthStatus> {
    const { timeoutMs = HEALTH_MS, ...more } = this.#callOptions(options);
    checkService(service);
    return check(this.#connection, service, { ...more, timeoutMs });
  }

  /**
   * Waits for a connection and for SERVING.
   *
   * @param options longest wait (default 60000 ms; Infinity waits for ever), service ("" is the whole), signal
   * @throws DeadlineExceededError that says what was seen last
   */
  async waitUntilReady(options: WaitOptions = {}): Promise<void> {
    const [{ requestId, ...more }, parameters] = splitCallOptions<Pick<WaitOptions, "service">>(options);
    const { service = "", ...others } = parameters;
    const { timeoutMs = 60_000, signal, ...surplus } = more;
    refuseUnknown({ ...others, ...surplus }, "waitUntilReady takes timeoutMs, service, signal");
    checkService(service);
    await untilReady(this.#connection, service, { timeoutMs, signal, requestId });
  }

  /** Cancels the calls that run (they end with a ClientClosedError) and closes the connections. May be called twice. */
  async close(): Promise<void> {
    this.#connection.close();
  }

  /** Closes: for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Shows where it leads, never the token. */
  [inspect.custom](): string {
    return `${this.constructor.name}(${this.target})`;
  }

  /** @internal */
  protected call<Q, A>(method: Method<Q, A>, request: Q, options: CallOptions): Promise<A> {
    return this.#connection
      .unary(method, method.requestSerialize(request), this.#callOptions(options))
      .then(({ response }) => response);
  }

  #callOptions(given: CallOptions): CallOptions {
    const [options, parameters] = splitCallOptions<object>(given);
    refuseUnknown(parameters, "this method takes timeoutMs, signal, requestId, metadata, waitForReady");
    return options;
  }

  /** Serialized at once, so that mistakes show here and later changes of the caller's objects do not. */
  #request(
    method: Method<Request, unknown>,
    prompt: Prompt | Draft,
    given: Params & CallOptions,
  ): [Buffer, CallOptions] {
    const [options, parameters] = splitCallOptions<Params>(given);
    const { kinds, hint } = this.#contract;
    const params = readParameters<Params>(parameters, kinds, hint);
    const request = isConversation(prompt)
      ? this.#contract.request(messagesOf(prompt), { ...params, model: params.model ?? this.#model })
      : this.#ownRequest(prompt, params);
    refuseHalfCharacters(request, "the request");
    try {
      return [method.requestSerialize(request), options];
    } catch (cause) {
      throw new TypeError(`the request cannot be written: ${(cause as Error).message}`, { cause });
    }
  }

  #ownRequest(request: Draft, params: Params): Request {
    if (!isObject(request) || !("messages" in request)) {
      throw new TypeError("the prompt must be a string, an array of messages, or a request with messages");
    }
    checkDrafts((request as { messages: unknown }).messages);
    const [extra] = Object.keys(params);
    if (extra !== undefined) {
      throw new TypeError(`with a whole request, ${extra} must be in the request itself`);
    }
    return this.#contract.ownRequest(request, this.#model);
  }
}

/** How to wait for a gateway. */
export interface WaitOptions {
  /** Longest wait in milliseconds; Infinity: for ever. Default: 60000. */
  timeoutMs?: number | undefined;
  /** "" for the whole, a contract's name, "liveness" or "readiness". Default: "". */
  service?: string | undefined;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
}

function isConversation(prompt: unknown): prompt is Prompt {
  return typeof prompt === "string" || Array.isArray(prompt);
}

function checkService(service: unknown): void {
  if (typeof service !== "string") {
    throw new TypeError("service must be a string");
  }
  refuseHalfCharacters(service, "service");
}

/** Messages of a whole request; what they leave out is empty. */
function checkDrafts(messages: unknown): void {
  if (!Array.isArray(messages)) {
    throw new TypeError("messages must be an array of { role, content }");
  }
  messages.forEach((message: unknown, index) => {
    refuseUnknownFields(message, { role: "", content: "" }, `messages[${index}]`);
    if (Object.values(message as object).some((value) => value !== undefined && typeof value !== "string")) {
      throw new TypeError(`messages[${index}] must be { role, content }, both strings`);
    }
  });
}

function messagesOf(prompt: Prompt): ChatMessage[] {
  if (typeof prompt === "string") {
    return [{ role: "user", content: prompt }];
  }
  return prompt.map((message: unknown, index) => {
    const { role, content, ...unknown } = (message ?? {}) as ChatMessage;
    if (typeof role !== "string" || typeof content !== "string" || Object.keys(unknown).length > 0) {
      throw new TypeError(`messages[${index}] must be { role, content }, both strings`);
    }
    return { role, content };
  });
}

/** Speaks the full contract, `llm.v1.LLMService`. */
export class Client extends GatewayClient<
  GenerateParameters,
  CompleteRequestDraft,
  CompleteRequest,
  CompleteResponse,
  TokenChunk
> {
  /**
   * Connects nowhere before the first call.
   *
   * @param target where the gateway is, or all options; default: `INFERENCE_GATEWAY_TARGET`, else "localhost:50051"
   * @throws TypeError for options that cannot be used, each with what to write
   */
  constructor(target?: string | ClientOptions, options: ClientOptions = {}) {
    super(LLM, target, options);
  }
}

/** Speaks the small contract, `inference.InferenceService`. */
export class InferenceClient extends GatewayClient<
  InferenceParameters,
  GenerateRequestDraft,
  GenerateRequest,
  GenerateResponse,
  TokenResponse
> {
  /**
   * Connects nowhere before the first call.
   *
   * @param target where the gateway is, or all options; default: `INFERENCE_GATEWAY_TARGET`, else "localhost:50051"
   * @throws TypeError for options that cannot be used, each with what to write
   */
  constructor(target?: string | ClientOptions, options: ClientOptions = {}) {
    super(INFERENCE, target, options);
  }

  /** The contract's own health: "healthy" or "unhealthy", and the default model ("" until it is known). */
  async modelHealth(options: CallOptions = {}): Promise<ModelHealth> {
    const { status, model } = await this.call(InferenceServiceService.health, {}, options);
    return { status, model };
  }
}

/** What the small contract's own health method says. */
export interface ModelHealth {
  readonly status: "healthy" | "unhealthy" | (string & {});
  readonly model: string;
}
