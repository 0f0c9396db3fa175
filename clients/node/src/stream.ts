import type { ClientReadableStream, StatusObject } from "@grpc/grpc-js";
import { Answer, type AnswerParts, type FinishReason, type Timing, type Usage } from "./answer";
import { Call, left } from "./call";
import type { Connection } from "./connection";
import type { Contract, Method } from "./contract";
import { textOf } from "./failure";
import type { CallOptions } from "./options";

/**
 * Reads one streamed call, message by message.
 *
 * At most 16 messages are read ahead of the reader (grpc-js's buffer) besides HTTP/2's window; then the gateway, and
 * behind it the backend's connection, is held back.
 */
class Reading<Chunk> {
  requestId: string | undefined;
  readonly #connection: Connection;
  readonly #method: Method<never, Chunk>;
  readonly #options: CallOptions;
  #request: Buffer | undefined;
  #call: Call | undefined;
  #stream: ClientReadableStream<Chunk> | undefined;
  #status: StatusObject | undefined;
  #error: unknown;
  #failure: unknown;
  #started: Promise<void> | undefined;
  #quiet = false;
  #busy = false;
  #over = false;
  #waiting: (() => void)[] = [];

  constructor(connection: Connection, method: Method<never, Chunk>, request: Buffer, options: CallOptions) {
    this.#connection = connection;
    this.#method = method;
    this.#request = request;
    this.#options = options;
    this.requestId = options.requestId;
  }

  /** The next message; undefined after the last, and after the reader has left. Throws again what it ended with. */
  async next(): Promise<Chunk | undefined> {
    if (this.#busy) {
      throw new TypeError("a stream has one reader: another read of it has not ended yet");
    }
    if (this.#over) {
      this.#quiet || this.checkWhole();
      return undefined;
    }
    this.#busy = true;
    try {
      return await this.#read();
    } catch (error) {
      // Also where the reader itself left meanwhile: this read has not seen the end of the answer.
      this.#failure ??= error;
      this.#finish();
      throw this.#failure;
    } finally {
      this.#busy = false;
    }
  }

  /** @throws what cut the answer, its reader's leaving included */
  checkWhole(): void {
    if (this.#failure !== undefined) {
      throw this.#failure;
    }
  }

  async #read(): Promise<Chunk | undefined> {
    await (this.#started ??= this.#start());
    for (;;) {
      const stopped = this.#call?.stopped;
      if (stopped !== undefined) {
        throw stopped;
      }
      const chunk = this.#stream?.read() as Chunk | null;
      if (chunk !== null) {
        if (chunk !== undefined && this.#call !== undefined) {
          this.#call.received = (this.#call.received ?? 0) + 1;
        }
        return chunk;
      }
      if (this.#status !== undefined) {
        return await this.#ended(this.#status);
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /**
   * Cancels the call, if it runs. A read that waits is told so; later ones too, unless it is the reader itself who left
   * (quiet): they find the end.
   */
  leave(quiet: boolean): void {
    if (!this.#over) {
      const error = left(this.requestId);
      this.#failure = error;
      this.#quiet = quiet;
      this.#request = undefined;
      this.#call?.stop(error);
      this.#finish();
    }
  }

  async #start(): Promise<void> {
    this.#connection.checkOpen(this.requestId);
    const metadata = this.#connection.metadata(this.#options);
    const request = this.#request as Buffer;
    this.#request = undefined;
    const call = (this.#call = new Call(this.#connection, this.#options));
    call.received = 0;
    await this.#connection.authorize(call, metadata);
    if (call.stopped !== undefined) {
      throw call.stopped;
    }
    const stream = (this.#stream = this.#connection.open(this.#method, request, metadata, call));
    stream.on("readable", () => this.#wake());
    stream.on("error", (error) => (this.#error = error));
    stream.on("status", (status: StatusObject) => {
      this.#status = status;
      call.end();
      this.#wake();
    });
    call.onStop(() => {
      stream.cancel();
      this.#wake();
    });
  }

  async #ended(status: StatusObject): Promise<undefined> {
    this.requestId = textOf(status.metadata, "x-request-id") ?? this.requestId;
    if (status.code !== 0) {
      const error = await this.#connection.failed(status, this.#call as Call, this.#error);
      this.requestId = error.requestId;
      throw error;
    }
    this.#finish();
    return undefined;
  }

  #finish(): void {
    this.#over = true;
    this.#call?.end();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) {
      resolve();
    }
  }
}

/** A stream that was begun and then forgotten would go on at the backend until its deadline. */
const FORGOTTEN = new FinalizationRegistry<Reading<unknown>>((reading) => reading.leave(true));

/** The client of each stream: it must not be taken for forgotten while one of its streams can still be read. */
const CLIENTS = new WeakMap<object, object>();

/**
 * The tokens of one answer, as they are generated.
 *
 * The call begins with the first read, and its `timeoutMs` with it; a stream that nobody reads costs nothing. It can be read once,
 * by one reader: a second loop, or a read while another waits, is a TypeError.
 * Leaving the loop (`break`, `return`, an exception), `cancel()`, the signal, the client's `close()` and the garbage
 * collector each cancel the call at once, and so the generation. A slow reader holds the gateway back. A read that waits
 * keeps the stream from the collector: somebody may want what it gives.
 *
 * A loop that ends without an error has seen the whole answer; a cut answer always throws.
 */
export class TokenStream<Chunk = unknown> implements AsyncIterableIterator<string> {
  readonly #reading: Reading<Chunk>;
  readonly #partsOfChunk: (chunk: Chunk) => AnswerParts;
  readonly #parts: AnswerParts = { text: "", reasoning: "" };
  #looped = false;

  /** @internal */
  constructor(
    client: object,
    connection: Connection,
    contract: Pick<Contract<never, never, never, unknown, Chunk>, "stream" | "partsOfChunk">,
    request: Buffer,
    options: CallOptions,
  ) {
    this.#reading = new Reading(connection, contract.stream, request, options);
    this.#partsOfChunk = (chunk) => contract.partsOfChunk(chunk);
    CLIENTS.set(this, client);
    FORGOTTEN.register(this, this.#reading as Reading<unknown>);
  }

  /** The text so far. */
  get text(): string {
    return this.#parts.text;
  }

  /** The model's reasoning so far, where the backend separates it. It comes before the text. */
  get reasoning(): string {
    return this.#parts.reasoning;
  }

  /** Why generation ended; undefined before the end. */
  get finishReason(): FinishReason | undefined {
    return this.#parts.finishReason;
  }

  /** The stop text, or the stop token's id, that ended the answer, where the backend tells. */
  get matchedStop(): string | number | undefined {
    return this.#parts.matchedStop;
  }

  /** Tokens of the call; undefined before the end. */
  get usage(): Usage | undefined {
    return this.#parts.usage;
  }

  /** Where the time went; undefined before the end. Only the full contract tells. */
  get timing(): Timing | undefined {
    return this.#parts.timing;
  }

  /** The model that answers; undefined before the first token. Only the full contract tells. */
  get model(): string | undefined {
    return this.#parts.model;
  }

  /** The backend's name for this completion; undefined before the first token. Only the full contract tells. */
  get id(): string | undefined {
    return this.#parts.id;
  }

  /** The call's name in the gateway's log. */
  get requestId(): string | undefined {
    return this.#reading.requestId;
  }

  /** The next piece of text: one token, or several when the reader is slower than the model. */
  async next(): Promise<IteratorResult<string, undefined>> {
    for (;;) {
      const chunk = await this.#next();
      if (chunk === undefined) {
        return { done: true, value: undefined };
      }
      const { text } = this.#partsOfChunk(chunk);
      if (text !== "") {
        return { done: false, value: text };
      }
    }
  }

  /** Cancels, as leaving the loop does: a read that waits gets a CancelledError, later reads find the end. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#reading.leave(true);
    return { done: true, value: undefined };
  }

  /** Cancels, and throws what it was given. */
  async throw(error?: unknown): Promise<IteratorReturnResult<undefined>> {
    this.#reading.leave(true);
    throw error;
  }

  /** Cancels the call, and so the generation; who reads it gets a CancelledError. After the end it does nothing. */
  cancel(): void {
    this.#reading.leave(false);
  }

  /** The contract's own messages, in place of their text: reasoning, and all that the last one tells. */
  async *chunks(): AsyncGenerator<Chunk, void, undefined> {
    this.#loop();
    try {
      for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) {
        yield chunk;
      }
    } finally {
      this.#reading.leave(true);
    }
  }

  /**
   * Reads what is left, and returns the whole.
   *
   * @throws InferenceError what the stream ended with; a CancelledError where it was left or cancelled
   */
  async answer(): Promise<Answer> {
    while ((await this.#next()) !== undefined) {
      // Each read adds to the parts.
    }
    this.#reading.checkWhole();
    return new Answer(this.#parts, this.requestId);
  }

  async #next(): Promise<Chunk | undefined> {
    const chunk = await this.#reading.next();
    if (chunk !== undefined) {
      const { text, reasoning, ...told } = this.#partsOfChunk(chunk);
      const said = Object.entries(told).filter(([, value]) => value !== undefined);
      Object.assign(this.#parts, Object.fromEntries(said));
      this.#parts.text += text;
      this.#parts.reasoning += reasoning;
    }
    return chunk;
  }

  /** @throws TypeError for a second loop */
  [Symbol.asyncIterator](): this {
    this.#loop();
    return this;
  }

  #loop(): void {
    if (this.#looped) {
      throw new TypeError("a stream can be read once: ask again for another");
    }
    this.#looped = true;
  }

  /** Cancels: for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#reading.leave(true);
  }
}
