import type { InferenceError } from "./errors";
import { AuthenticationError, CancelledError, ClientClosedError, DeadlineExceededError } from "./errors";
import { progress, type CallFacts, type Tls } from "./failure";
import type { CallOptions } from "./options";

/** Node's timers take 32 bits, and run at once for more. */
const LONGEST_TIMER_MS = 0x7fffffff;

/** From here on, some 3000 years, grpc-js would throw: it cannot write so long a time. */
const FOREVER_MS = 1e14;

/** What a call needs of the client that it belongs to. */
export interface CallOwner {
  readonly target: string;
  readonly timeoutMs: number;
  readonly tls: Tls;
  begun(call: Call): void;
  ended(call: Call): void;
}

/**
 * One running call, and the three who may stop it from this side: its signal, its client's close, its reader.
 *
 * The first to stop it decides how it ends; later ones change nothing.
 */
export class Call implements CallFacts {
  readonly target: string;
  readonly tls: Tls;
  readonly timeoutMs: number;
  readonly deadline: number;
  readonly requestId: string | undefined;
  /** Messages of a stream that its reader has; undefined for a call that is none. */
  received: number | undefined;
  /** Set once the call was stopped from this side; what it is told to whoever waits for it. */
  stopped: InferenceError | undefined;

  readonly #owner: CallOwner;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.stop(aborted(this.#signal, this));
  readonly #timers: NodeJS.Timeout[] = [];
  #stoppers: ((error: InferenceError) => void)[] = [];

  /** The call's time runs from here. */
  constructor(owner: CallOwner, options: CallOptions) {
    this.target = owner.target;
    this.tls = owner.tls;
    this.timeoutMs = options.timeoutMs ?? owner.timeoutMs;
    this.deadline = this.timeoutMs < FOREVER_MS ? Date.now() + this.timeoutMs : Infinity;
    this.requestId = options.requestId;
    this.#owner = owner;
    this.#signal = options.signal;
    owner.begun(this);
    if (this.#signal !== undefined) {
      listen(this.#signal, this.#onAbort);
    }
    if (this.#signal?.aborted) {
      this.#onAbort();
    }
  }

  /** Calls back when the call is stopped, at once where it was already. */
  onStop(stopper: (error: InferenceError) => void): void {
    if (this.stopped === undefined) {
      this.#stoppers.push(stopper);
    } else {
      stopper(this.stopped);
    }
  }

  stop(error: InferenceError): void {
    if (this.stopped === undefined) {
      this.stopped = error;
      this.end();
      for (const stopper of this.#stoppers.splice(0)) {
        stopper(error);
      }
    }
  }

  /** Lets go of signal and client; nothing can stop it any more. */
  end(): void {
    this.#timers.splice(0).forEach(clearTimeout);
    if (this.#signal !== undefined) {
      unlisten(this.#signal, this.#onAbort);
    }
    this.#owner.ended(this);
  }

  /** What `token` gives, within the call's time; `check` throws what is wrong with it. */
  async ask(token: () => string | Promise<string>, check: (given: unknown) => void): Promise<string> {
    const given = await this.#asked(token);
    try {
      check(given);
      return given;
    } catch (cause) {
      throw new AuthenticationError((cause as Error).message, { code: "UNAUTHENTICATED", requestId: this.requestId });
    }
  }

  async #asked(token: () => string | Promise<string>): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.onStop(reject);
        timer = setTimeout(
          () => reject(this.#late()),
          Math.min(Math.max(this.deadline - Date.now(), 0), LONGEST_TIMER_MS),
        );
        Promise.resolve().then(token).then(resolve, reject);
      });
    } catch (cause) {
      throw cause === this.stopped || cause instanceof DeadlineExceededError
        ? cause
        : tokenFailed(cause, this.requestId);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Calls back after that long, unless the call has ended by then. */
  after(ms: number, then: () => void): void {
    this.#timers.push(setTimeout(then, ms));
  }

  /** Whether the call's time is not over after that long. */
  hasTimeFor(ms: number): boolean {
    return ms <= LONGEST_TIMER_MS && Date.now() + ms < this.deadline;
  }

  /** @throws what stops the call meanwhile */
  async pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.onStop(reject);
        timer = setTimeout(resolve, ms);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  #late(): DeadlineExceededError {
    const { requestId, timeoutMs } = this;
    return new DeadlineExceededError(`${timeoutMs} ms were over before the token function gave a token`, {
      code: "DEADLINE_EXCEEDED",
      requestId,
    });
  }
}

/** One listener for all calls of a signal: Node warns of a leak from the eleventh on. */
const LISTENING = new WeakMap<AbortSignal, { calls: Set<() => void>; listener: () => void }>();

/** Calls back when the signal fires. */
export function listen(signal: AbortSignal, call: () => void): void {
  let shared = LISTENING.get(signal);
  if (shared === undefined) {
    const calls = new Set<() => void>();
    shared = { calls, listener: () => [...calls].forEach((one) => one()) };
    LISTENING.set(signal, shared);
    signal.addEventListener("abort", shared.listener);
  }
  shared.calls.add(call);
}

export function unlisten(signal: AbortSignal, call: () => void): void {
  const shared = LISTENING.get(signal);
  if (shared?.calls.delete(call) && shared.calls.size === 0) {
    LISTENING.delete(signal);
    signal.removeEventListener("abort", shared.listener);
  }
}

function tokenFailed(cause: unknown, requestId: string | undefined): AuthenticationError {
  return new AuthenticationError("the token function failed; its error is the cause", {
    code: "UNAUTHENTICATED",
    requestId,
    cause,
  });
}

function aborted(signal: AbortSignal | undefined, call: Call): CancelledError {
  const { requestId } = call;
  const facts = { ...progress(call), code: "CANCELLED", requestId, cause: signal?.reason as unknown } as const;
  return new CancelledError("the call was cancelled by its signal", facts, true);
}

/** For a reader who leaves: never seen but by who reads on. */
export function left(requestId: string | undefined): CancelledError {
  return new CancelledError("the stream was cancelled by its reader", { code: "CANCELLED", requestId });
}

export function closed(requestId?: string): ClientClosedError {
  return new ClientClosedError("the client is closed", { code: "CANCELLED", requestId });
}
