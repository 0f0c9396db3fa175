import * as grpc from "@grpc/grpc-js";
import { Call, closed, type CallOwner } from "./call";
import { channelOptions } from "./channel";
import type { Method } from "./contract";
import { RequestTooLargeError, UnavailableError, type InferenceError } from "./errors";
import { errorOf, textOf, waitedForConnection, type Tls } from "./failure";
import { HealthService } from "./gen/grpc/health/v1/health";
import type { CallMetadata, CallOptions, ClientOptions, Token } from "./options";
import { readTarget, type Target } from "./target";
import { channelCredentials } from "./tls";

/** How long a connection may take before the calls that need it fail. */
const CONNECT_MS = 5_000;

/** How long the channel may take to tell what its last connection failed of; it knows that without asking anybody. */
const LAST_ERROR_MS = 200;

/** The gateway's default of `limits.metadata-hard`: it breaks the connection, and with it all other calls, a little above. */
const METADATA_BYTES = 64 * 1024;

/** What HTTP/2 counts for each entry besides its name and value (RFC 9113, 6.5.2). */
const ENTRY_BYTES = 32;

/** Room for the headers of gRPC itself. */
const OWN_METADATA_BYTES = 1024;

const TARGET_VARIABLE = "INFERENCE_GATEWAY_TARGET";
const TOKEN_VARIABLE = "INFERENCE_GATEWAY_TOKEN";

/** A unary call's answer, and the gateway's name for the call. */
export interface Replied<Response> {
  readonly response: Response;
  readonly requestId: string | undefined;
}

/** The channel of one client, and what its calls have in common. */
export class Connection implements CallOwner {
  readonly timeoutMs: number;
  readonly tls: Tls;
  /** How often a generation that the gateway turned away is sent again. */
  readonly retries: number;
  readonly #target: Target;
  readonly #token: Token | undefined;
  readonly #metadata: CallMetadata;
  readonly #waitForReady: boolean;
  readonly #channel: grpc.Client;
  readonly #calls = new Set<Call>();
  #waits = 0;
  #forgotten = false;
  #open = true;

  /** Connects nowhere before the first call. */
  constructor(options: ClientOptions) {
    this.#target = options.target === undefined ? targetOfEnvironment() : readTarget(options.target);
    this.#token = options.token ?? tokenOfEnvironment();
    this.#metadata = { ...options.metadata };
    this.tls = {
      spoken: Boolean(options.tls),
      certificate: typeof options.tls === "object" && Boolean(options.tls.cert),
    };
    this.#waitForReady = options.waitForReady ?? false;
    this.timeoutMs = options.timeoutMs ?? 60_000;
    this.retries = options.retries ?? 2;
    if (typeof this.#token === "string") {
      checkToken(this.#token, options.token === undefined ? TOKEN_VARIABLE : "the token");
    }
    this.#checkOwnMetadata();
    const credentials = channelCredentials(options.tls);
    this.#warnOfPlaintext(credentials);
    try {
      this.#channel = new grpc.Client(this.#target.uri, credentials, channelOptions(this.#target, options));
    } catch (cause) {
      throw new TypeError(`channelOptions cannot be used: ${(cause as Error).message}`, { cause });
    }
  }

  #checkOwnMetadata(): void {
    const own = new grpc.Metadata();
    fill(own, this.#metadata);
    this.#refuseSecondToken(own);
    if (typeof this.#token === "string") {
      own.set("authorization", `Bearer ${this.#token}`);
    }
    if (sizeOf(own) > METADATA_BYTES) {
      throw new TypeError(tooMuch(own, "metadata and token"));
    }
  }

  #refuseSecondToken(metadata: grpc.Metadata): void {
    if (this.#token !== undefined && metadata.get("authorization").length > 0) {
      throw new TypeError(
        'metadata "authorization" and a token (the option, or INFERENCE_GATEWAY_TOKEN) exclude each other',
      );
    }
  }

  get target(): string {
    return this.#target.text;
  }

  #warnOfPlaintext(credentials: grpc.ChannelCredentials): void {
    if (this.#token !== undefined && !this.#target.local && !credentials._isSecure()) {
      process.emitWarning(`The token travels unencrypted to ${this.target}; set tls to protect it.`, {
        type: "SecurityWarning",
        code: "INFERENCE_GATEWAY_PLAINTEXT_TOKEN",
      });
    }
  }

  /** @throws ClientClosedError once it is closed */
  checkOpen(requestId?: string): void {
    if (!this.#open) {
      throw closed(requestId);
    }
  }

  /** Cancels what runs. Nothing can be called any more. */
  close(): void {
    if (this.#open) {
      this.#open = false;
      for (const call of this.#calls) {
        call.stop(closed(call.requestId));
      }
      this.#channel.close();
    }
  }

  begun(call: Call): void {
    this.#calls.add(call);
  }

  ended(call: Call): void {
    this.#calls.delete(call);
    this.#closeIfForgotten();
  }

  /** Keeps it open while the body runs, though its client be forgotten meanwhile. */
  async during<T>(body: () => Promise<T>): Promise<T> {
    this.#waits += 1;
    try {
      return await body();
    } finally {
      this.#waits -= 1;
      this.#closeIfForgotten();
    }
  }

  /** Closes once the last call has ended: nobody can begin another. */
  forget(): void {
    this.#forgotten = true;
    this.#closeIfForgotten();
  }

  #closeIfForgotten(): void {
    if (this.#forgotten && this.#waits === 0 && this.#calls.size === 0) {
      this.close();
    }
  }

  /** What a call carries besides its request. @throws TypeError for what headers cannot carry */
  metadata(options: CallOptions): grpc.Metadata {
    const metadata = new grpc.Metadata({ waitForReady: options.waitForReady ?? this.#waitForReady });
    fill(metadata, this.#metadata);
    fill(metadata, options.metadata ?? {});
    this.#refuseSecondToken(metadata);
    if (options.requestId !== undefined) {
      metadata.set("x-request-id", options.requestId);
    }
    return metadata;
  }

  /** Asks for the token, where there is one. @throws RequestTooLargeError for metadata that would break the connection */
  async authorize(call: Call, metadata: grpc.Metadata): Promise<void> {
    if (typeof this.#token === "function") {
      const token = await call.ask(this.#token, (given) => checkToken(given, "what the token function gives"));
      metadata.set("authorization", `Bearer ${token}`);
    } else if (this.#token !== undefined) {
      metadata.set("authorization", `Bearer ${this.#token}`);
    }
    if (sizeOf(metadata) > METADATA_BYTES) {
      const facts = { code: "RESOURCE_EXHAUSTED", requestId: call.requestId } as const;
      throw new RequestTooLargeError(tooMuch(metadata, "the call's metadata"), facts);
    }
  }

  /** @param retries how often it may be sent again, where the gateway says that it may */
  async unary<Request, Response>(
    method: Method<Request, Response>,
    request: Buffer,
    options: CallOptions,
    retries = 0,
  ): Promise<Replied<Response>> {
    this.checkOpen(options.requestId);
    const metadata = this.metadata(options);
    const call = new Call(this, options);
    try {
      await this.authorize(call, metadata);
      for (let tries = 1; ; tries += 1) {
        const reply = await this.#ask(call, method, request, metadata);
        // Errors are made here and not in the callback, so that their stack leads to who called.
        if (call.stopped !== undefined) {
          throw call.stopped;
        }
        if (reply.error === undefined) {
          return { response: reply.response as Response, requestId: textOf(reply.status.metadata, "x-request-id") };
        }
        const error = await this.failed(reply.status, call, reply.error);
        const pauseMs = tries > retries ? undefined : pauseBefore(reply.status.metadata, error);
        if (pauseMs === undefined || !call.hasTimeFor(pauseMs)) {
          throw error;
        }
        await call.pause(pauseMs);
        metadata.set("grpc-previous-rpc-attempts", String(tries));
      }
    } finally {
      call.end();
    }
  }

  /** The error of a call that ended; one that waited in vain for a connection says what kept it from having one. */
  async failed(ended: grpc.StatusObject, call: Call, cause: unknown): Promise<InferenceError> {
    return errorOf(ended, call, cause, waitedForConnection(ended) ? await this.#lastError() : undefined);
  }

  /** What the last connection failed of, as the channel tells a call that does not wait. Nothing is sent. */
  #lastError(): Promise<string | undefined> {
    const { TRANSIENT_FAILURE } = grpc.connectivityState;
    return new Promise((resolve) => {
      if (!this.#open || this.#channel.getChannel().getConnectivityState(false) !== TRANSIENT_FAILURE) {
        resolve(undefined);
        return;
      }
      const deadline = Date.now() + LAST_ERROR_MS;
      const { path, responseDeserialize } = HealthService.check;
      this.#channel.makeUnaryRequest(path, asIs, responseDeserialize, Buffer.alloc(0), { deadline }, (error) =>
        resolve(error?.code === grpc.status.UNAVAILABLE ? error.details : undefined),
      );
    });
  }

  #ask<Response>(
    call: Call,
    { path, responseDeserialize }: Pick<Method<never, Response>, "path" | "responseDeserialize">,
    request: Buffer,
    metadata: grpc.Metadata,
  ): Promise<Reply<Response>> {
    return new Promise((resolve) => {
      if (call.stopped !== undefined) {
        resolve({ status: NEVER_SENT });
        return;
      }
      let reply: Pick<Reply<Response>, "response" | "error"> = {};
      const sent = this.#channel.makeUnaryRequest(
        path,
        asIs,
        responseDeserialize,
        request,
        metadata,
        withDeadline(call),
        (error, response) => (reply = error === null ? { response } : { error }),
      );
      // The status, with the trailers, comes after the answer.
      sent.on("status", (status: grpc.StatusObject) => resolve({ ...reply, status }));
      call.onStop(() => sent.cancel());
      this.#giveUp(call, metadata);
    });
  }

  /**
   * Stops a call that has had no connection for so long: a peer that takes connections and never speaks is one that is
   * not there.
   */
  #giveUp(call: Call, metadata: grpc.Metadata): void {
    const channel = this.#channel.getChannel();
    if (metadata.getOptions().waitForReady || channel.getConnectivityState(false) === grpc.connectivityState.READY) {
      return;
    }
    call.after(CONNECT_MS, () => {
      if (channel.getConnectivityState(false) === grpc.connectivityState.CONNECTING) {
        const message = `no connection to a gateway at ${this.target} within ${CONNECT_MS} ms: what is there does not answer`;
        call.stop(new UnavailableError(message, { code: "UNAVAILABLE", requestId: call.requestId }));
      }
    });
  }

  /** Starts a stream; its messages are to be read, its errors to be listened to. */
  open<Request, Chunk>(
    { path, responseDeserialize }: Method<Request, Chunk>,
    request: Buffer,
    metadata: grpc.Metadata,
    call: Call,
  ): grpc.ClientReadableStream<Chunk> {
    const stream = withoutStack(() =>
      this.#channel.makeServerStreamRequest(path, asIs, responseDeserialize, request, metadata, withDeadline(call)),
    );
    this.#giveUp(call, metadata);
    return stream;
  }
}

interface Reply<Response> {
  readonly status: grpc.StatusObject;
  readonly response?: Response | undefined;
  readonly error?: grpc.ServiceError | undefined;
}

const NEVER_SENT: grpc.StatusObject = { code: grpc.status.CANCELLED, details: "", metadata: new grpc.Metadata() };

/**
 * grpc-js keeps an Error of where a call was begun, and V8 keeps with it whatever waits there: the reader too, who could
 * then never be collected. The errors of this package have a stack of their own.
 */
function withoutStack<T>(begin: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return begin();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Undefined: the gateway did not say that the call may be sent again. The odd milliseconds part those that wait together. */
function pauseBefore(trailers: grpc.Metadata, { retryable, retryAfterMs }: InferenceError): number | undefined {
  const forbidden = textOf(trailers, "grpc-retry-pushback-ms")?.startsWith("-") ?? false;
  return retryable && retryAfterMs !== undefined && !forbidden
    ? retryAfterMs + Math.random() * Math.min(50 + retryAfterMs / 10, 1_000)
    : undefined;
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}

function withDeadline({ deadline }: Call): grpc.CallOptions {
  return deadline === Infinity ? {} : { deadline };
}

/** With one of these a call would be broken or, worse, never be begun. */
const RESERVED =
  /^(?::.*|grpc-.*|content-type|content-length|te|host|user-agent|connection|keep-alive|proxy-connection|transfer-encoding|upgrade|http2-settings)$/i;

function fill(metadata: grpc.Metadata, values: CallMetadata): void {
  for (const [key, value] of Object.entries(values)) {
    if (RESERVED.test(key)) {
      throw new TypeError(`metadata ${JSON.stringify(key)} belongs to HTTP or gRPC itself`);
    }
    if (/^x-request-id$/i.test(key)) {
      throw new TypeError(`metadata ${JSON.stringify(key)} is the option requestId of a call`);
    }
    try {
      metadata.remove(key);
      for (const one of Array.isArray(value) ? (value as readonly (string | Uint8Array)[]) : [value]) {
        metadata.add(key, typeof one === "string" ? one : Buffer.from(one as Uint8Array));
      }
    } catch {
      // Not what grpc-js says of it: that holds the value.
      throw new TypeError(`metadata ${JSON.stringify(key)} has a name or value that headers cannot carry`);
    }
  }
}

/** As HTTP/2 counts it, gRPC's own headers included. */
function sizeOf(metadata: grpc.Metadata): number {
  return Object.entries(metadata.toHttp2Headers())
    .flatMap(([key, values]) => [values].flat().map((value) => key.length + String(value).length + ENTRY_BYTES))
    .reduce((sum, bytes) => sum + bytes, OWN_METADATA_BYTES);
}

function tooMuch(metadata: grpc.Metadata, named: string): string {
  return `${named} would take ${sizeOf(metadata)} bytes; the gateway takes ${METADATA_BYTES} (limits.metadata-hard)`;
}

function targetOfEnvironment(): Target {
  const target = process.env[TARGET_VARIABLE] || "localhost:50051";
  try {
    return readTarget(target);
  } catch (error) {
    throw new TypeError(`${TARGET_VARIABLE}: ${(error as Error).message}`);
  }
}

function tokenOfEnvironment(): string | undefined {
  return process.env[TOKEN_VARIABLE] || undefined;
}

/** Never shows it. */
function checkToken(token: unknown, named: string): void {
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError(`${named} must be a string of visible ASCII characters, without spaces or line ends`);
  }
}
