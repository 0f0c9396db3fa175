import { status } from "@grpc/grpc-js";

/** The name of a gRPC status code. */
export type StatusName = Exclude<keyof typeof status, "OK">;

/** One field of a request that the gateway refused. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** What is known of a failed call. */
export interface ErrorFacts {
  code: StatusName;
  reason?: string | undefined;
  requestId?: string | undefined;
  phase?: string | undefined;
  tokensSent?: number | undefined;
  retryAfterMs?: number | undefined;
  retryable?: boolean | undefined;
  violations?: readonly FieldViolation[] | undefined;
  upstreamType?: string | undefined;
  upstreamParam?: string | undefined;
  upstreamCode?: string | undefined;
  cause?: unknown;
}

/** Base of every error that a call ends with. Wrong use of this package (an unknown parameter) is a `TypeError` instead. */
export class InferenceError extends Error {
  /** Name of the gRPC status code. */
  readonly code: StatusName;
  /** The gateway's word for what happened, such as `UPSTREAM_TRUNCATED`; the table is in the gateway's README. */
  readonly reason: string | undefined;
  /** The gateway's name for this call, to be found in its log. */
  readonly requestId: string | undefined;
  /** Where the call was: `admission`, `queued`, `connect`, `prefill`, `decode` or `backpressure`. */
  readonly phase: string | undefined;
  /** Pieces of text that the gateway had handed over. */
  readonly tokensSent: number | undefined;
  /** How long the gateway asks to wait before the next try, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** True only where the gateway says that the same call may safely be sent again. */
  readonly retryable: boolean;
  /** The fields that were refused, each with what is wrong with it. */
  readonly violations: readonly FieldViolation[];
  /** The backend's own error type, where it gave one. */
  readonly upstreamType: string | undefined;
  /** The parameter that the backend names, where it names one. */
  readonly upstreamParam: string | undefined;
  /** The backend's own error code, where it gave one. */
  readonly upstreamCode: string | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.reason = facts.reason;
    this.requestId = facts.requestId;
    this.phase = facts.phase;
    this.tokensSent = facts.tokensSent;
    this.retryAfterMs = facts.retryAfterMs;
    this.retryable = facts.retryable ?? false;
    this.violations = facts.violations ?? [];
    this.upstreamType = facts.upstreamType;
    this.upstreamParam = facts.upstreamParam;
    this.upstreamCode = facts.upstreamCode;
  }

  override get name(): string {
    return this.constructor.name;
  }
}

/** A field is missing, unknown or out of range: see `violations`. */
export class InvalidRequestError extends InferenceError {}

/** Prompt and `maxTokens` do not fit the model. */
export class ContextLengthError extends InvalidRequestError {}

/** The backend serves no such model. */
export class ModelNotFoundError extends InferenceError {}

/** The token is missing, wrong or expired; or the client's own token function failed. */
export class AuthenticationError extends InferenceError {}

/** The caller is known, and may not do this. */
export class PermissionDeniedError extends InferenceError {}

/** Gateway or backend are full, or a quota is used up. Come back after `retryAfterMs`. */
export class OverloadedError extends InferenceError {}

/** Request or answer are above a limit of either side. */
export class TooLargeError extends InferenceError {}

/** The request is above the gateway's `limits.max-request-bytes` or the client's `maxMessageBytes`. */
export class RequestTooLargeError extends TooLargeError {}

/** The answer is above the gateway's `limits.max-response-bytes` or the client's `maxMessageBytes`. Stream it. */
export class ResponseTooLargeError extends TooLargeError {}

/** Gateway or backend cannot be reached, failed, stalled, or broke off in the middle of the answer. */
export class UnavailableError extends InferenceError {}

/** The call's `timeoutMs`, or the gateway's limit for one call, was over. */
export class DeadlineExceededError extends InferenceError {}

/** The call was cancelled. By a signal: `name` is "AbortError" and `cause` is the signal's reason. */
export class CancelledError extends InferenceError {
  readonly #aborted: boolean;

  constructor(message: string, facts: ErrorFacts, aborted = false) {
    super(message, facts);
    this.#aborted = aborted;
  }

  override get name(): string {
    return this.#aborted ? "AbortError" : "CancelledError";
  }
}

/** Gateway or backend cannot do what was asked. */
export class UnimplementedError extends InferenceError {}

/** A fault of the gateway, its configuration, or something between that does not speak gRPC. */
export class InternalError extends InferenceError {}

/** The client was closed before or during the call. */
export class ClientClosedError extends InferenceError {}
