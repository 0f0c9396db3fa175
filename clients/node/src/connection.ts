import * as grpc from "@grpc/grpc-js";
import { Call, closed, type CallOwner } from "./call";
import { channelOptions } from "./channel";
import type { Method } from "./contract";
import { errorOf, textOf } from "./failure";
import type { CallMetadata, CallOptions, ClientOptions, Token } from "./options";
import { readTarget, type Target } from "./target";
import { channelCredentials } from "./tls";

/** A unary call's answer, and the gateway's name for the call. */
export interface Replied<Response> {
  readonly response: Response;
  readonly requestId: string | undefined;
}

/** The channel of one client, and what its calls have in common. */
export class Connection implements CallOwner {
  readonly calls = new Set<Call>();
  readonly timeoutMs: number;
  readonly #target: Target;
  readonly #retries: number;
  readonly #token: Token | undefined;
  readonly #metadata: CallMetadata;
  readonly #waitForReady: boolean;
  readonly #channel: grpc.Client;
  #open = true;

  /** Connects nowhere before the first call. */
  constructor(options: ClientOptions) {
    const target = options.target ?? (process.env["INFERENCE_GATEWAY_TARGET"] || "localhost:50051");
    this.#target = readTarget(target);
    this.#token = options.token ?? (process.env["INFERENCE_GATEWAY_TOKEN"] || undefined);
    this.#metadata = options.metadata ?? {};
    this.#waitForReady = options.waitForReady ?? false;
    this.timeoutMs = options.timeoutMs ?? 60_000;
    this.#retries = options.retries ?? 2;
    if (typeof this.#token === "string") {
      checkToken(this.#token);
    }
    const credentials = channelCredentials(options.tls);
    this.#warnOfPlaintext(credentials);
    this.#channel = new grpc.Client(this.#target.uri, credentials, channelOptions(this.#target, options));
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
    this.#open = false;
    for (const call of this.calls) {
      call.stop(closed(call.requestId));
    }
    this.#channel.close();
  }

  /** What a call carries besides its request. @throws TypeError for what headers cannot carry */
  metadata(options: CallOptions): grpc.Metadata {
    const metadata = new grpc.Metadata({ waitForReady: options.waitForReady ?? this.#waitForReady });
    fill(metadata, this.#metadata);
    fill(metadata, options.metadata ?? {});
    if (options.requestId !== undefined) {
      fill(metadata, { "x-request-id": options.requestId });
    }
    return metadata;
  }

  /** Asks for the token, where there is one. */
  async authorize(call: Call, metadata: grpc.Metadata): Promise<void> {
    if (typeof this.#token === "function") {
      const token = await call.ask(this.#token);
      checkToken(token);
      metadata.set("authorization", `Bearer ${token}`);
    } else if (this.#token !== undefined) {
      metadata.set("authorization", `Bearer ${this.#token}`);
    }
  }

  async unary<Request, Response>(
    method: Method<Request, Response>,
    request: Buffer,
    options: CallOptions,
  ): Promise<Replied<Response>> {
    this.checkOpen(options.requestId);
    const metadata = this.metadata(options);
    const call = new Call(this, options);
    try {
      await this.authorize(call, metadata);
      for (let tries = 1; ; tries++) {
        const reply = await this.#ask(call, method, request, metadata);
        // Errors are made here and not in the callback, so that their stack leads to who called.
        if (call.stopped !== undefined) {
          throw call.stopped;
        }
        if (reply.error === undefined) {
          return { response: reply.response as Response, requestId: textOf(reply.status.metadata, "x-request-id") };
        }
        const error = errorOf(reply.status, call, reply.error);
        if (tries > this.#retries || !(await call.mayRepeatAfter(error))) {
          throw error;
        }
      }
    } finally {
      call.end();
    }
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
    });
  }

  /** Starts a stream; its messages are to be read, its errors to be listened to. */
  open<Request, Chunk>(
    { path, responseDeserialize }: Method<Request, Chunk>,
    request: Buffer,
    metadata: grpc.Metadata,
    call: Call,
  ): grpc.ClientReadableStream<Chunk> {
    return withoutStack(() =>
      this.#channel.makeServerStreamRequest(path, asIs, responseDeserialize, request, metadata, withDeadline(call)),
    );
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

function asIs(bytes: Buffer): Buffer {
  return bytes;
}

/** Millennia. What is later than some 10,000 years makes grpc-js throw where nobody can catch it. */
const FAR_MS = 1e14;

function withDeadline({ deadline }: Call): grpc.CallOptions {
  return deadline - Date.now() > FAR_MS ? {} : { deadline };
}

function fill(metadata: grpc.Metadata, values: CallMetadata): void {
  for (const [key, value] of Object.entries(values)) {
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

function checkToken(token: unknown): void {
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError("the token must be a string of visible ASCII characters");
  }
}
