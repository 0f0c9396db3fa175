import type { InferenceError } from "./errors";
import { AuthenticationError, CancelledError, ClientClosedError, DeadlineExceededError } from "./errors";
import type { CallFacts } from "./failure";
import type { CallOptions } from "./options";

/** What a call needs of the client that it belongs to. */
export interface CallOwner {
  readonly target: string;
  readonly timeoutMs: number;
  readonly calls: Set<Call>;
}

/**
 * One running call, and the three who may stop it from this side: its signal, its client's close, its reader.
 *
 * The first to stop it decides how it ends; later ones change nothing.
 */
export class Call implements CallFacts {
  readonly target: string;
  readonly timeoutMs: number;
  readonly deadline: number;
  readonly requestId: string | undefined;
  /** Set once the call was stopped from this side; what it is told to whoever waits for it. */
  stopped: InferenceError | undefined;

  readonly #owner: CallOwner;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.stop(aborted(this.#signal, this.requestId));
  #stoppers: ((error: InferenceError) => void)[] = [];

  /** The call's time runs from here. */
  constructor(owner: CallOwner, options: CallOptions) {
    this.target = owner.target;
    this.timeoutMs = options.timeoutMs ?? owner.timeoutMs;
    this.deadline = Date.now() + this.timeoutMs;
    this.requestId = options.requestId;
    this.#owner = owner;
    this.#signal = options.signal;
    owner.calls.add(this);
    this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
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
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#owner.calls.delete(this);
  }

  /**
   * Waits for the pause that the gateway asks for. False where it says nothing of another try, or where the pause does
   * not fit into the call's time: then its error is what the caller should see.
   */
  async mayRepeatAfter({ retryable, retryAfterMs }: InferenceError): Promise<boolean> {
    if (!retryable || retryAfterMs === undefined) {
      return false;
    }
    // Callers that were turned away together must not come back together.
    const pause = retryAfterMs * (1 + Math.random() / 10);
    if (Date.now() + pause >= this.deadline) {
      return false;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, pause);
      this.onStop((error) => {
        clearTimeout(timer);
        reject(error);
      });
    });
    return true;
  }

  /** What `token` gives, within the call's time. */
  async ask(token: () => string | Promise<string>): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.onStop(reject);
        timer = setTimeout(() => reject(this.#late()), Math.min(Math.max(this.deadline - Date.now(), 0), 0x7fffffff));
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

  #late(): DeadlineExceededError {
    const { requestId, timeoutMs } = this;
    return new DeadlineExceededError(`${timeoutMs} ms were over before the token function gave a token`, {
      code: "DEADLINE_EXCEEDED",
      requestId,
    });
  }
}

function tokenFailed(cause: unknown, requestId: string | undefined): AuthenticationError {
  return new AuthenticationError("the token function failed; its error is the cause", {
    code: "UNAUTHENTICATED",
    requestId,
    cause,
  });
}

function aborted(signal: AbortSignal | undefined, requestId: string | undefined): CancelledError {
  const facts = { code: "CANCELLED", requestId, cause: signal?.reason as unknown } as const;
  return new CancelledError("the call was cancelled by its signal", facts, true);
}

/** For a reader who leaves: never seen but by who reads on. */
export function left(requestId: string | undefined): CancelledError {
  return new CancelledError("the stream was cancelled by its reader", { code: "CANCELLED", requestId });
}

export function closed(requestId?: string): ClientClosedError {
  return new ClientClosedError("the client is closed", { code: "CANCELLED", requestId });
}
