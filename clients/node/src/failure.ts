import { status, type Metadata, type StatusObject } from "@grpc/grpc-js";
import { BadRequest, ErrorInfo, RetryInfo } from "./gen/google/rpc/error_details";
import { Status as RichStatus } from "./gen/google/rpc/status";
import { milliseconds } from "./duration";
import {
  AuthenticationError,
  CancelledError,
  ContextLengthError,
  DeadlineExceededError,
  InferenceError,
  InternalError,
  InvalidRequestError,
  ModelNotFoundError,
  OverloadedError,
  PermissionDeniedError,
  RequestTooLargeError,
  ResponseTooLargeError,
  UnavailableError,
  UnimplementedError,
  type ErrorFacts,
  type StatusName,
} from "./errors";

/** What the client knows of a call, to word an error that the gateway did not word. */
export interface CallFacts {
  /** As people know it. */
  readonly target: string;
  readonly timeoutMs: number;
  /** When the call's time is over, in milliseconds since the epoch; Infinity: never. */
  readonly deadline: number;
  readonly requestId: string | undefined;
}

type ErrorClass = new (message: string, facts: ErrorFacts) => InferenceError;

const BY_REASON: Readonly<Record<string, ErrorClass>> = {
  CONTEXT_LENGTH: ContextLengthError,
  MODEL_NOT_FOUND: ModelNotFoundError,
  REQUEST_TOO_LARGE: RequestTooLargeError,
  RESPONSE_TOO_LARGE: ResponseTooLargeError,
  UPSTREAM_EVENT_TOO_LARGE: ResponseTooLargeError,
};

/** Also for reasons of a newer gateway. What is not here is an InternalError. */
const BY_CODE: Partial<Record<StatusName, ErrorClass>> = {
  INVALID_ARGUMENT: InvalidRequestError,
  FAILED_PRECONDITION: InvalidRequestError,
  OUT_OF_RANGE: InvalidRequestError,
  NOT_FOUND: ModelNotFoundError,
  UNAUTHENTICATED: AuthenticationError,
  PERMISSION_DENIED: PermissionDeniedError,
  RESOURCE_EXHAUSTED: OverloadedError,
  UNAVAILABLE: UnavailableError,
  ABORTED: UnavailableError,
  DEADLINE_EXCEEDED: DeadlineExceededError,
  CANCELLED: CancelledError,
  UNIMPLEMENTED: UnimplementedError,
};

/** The error of a call that ended with a status other than OK. */
export function errorOf(ended: StatusObject, call: CallFacts, cause: unknown): InferenceError {
  const details = detailsOf(ended.metadata);
  const code = codeOf(ended, call);
  const facts = { ...factsOf(details, ended.metadata), code, cause };
  facts.requestId ??= call.requestId;
  if (details.info !== undefined) {
    const known = BY_REASON[details.info.reason] ?? BY_CODE[code] ?? InternalError;
    return new known(ended.details || code, facts);
  }
  return withoutDetails(ended.details, call, facts);
}

interface Details {
  info?: ErrorInfo;
  retry?: RetryInfo;
  bad?: BadRequest;
}

/** A newer gateway, or a proxy, may send what this version cannot read: then the code alone speaks. */
function detailsOf(trailers: Metadata): Details {
  const found: Details = {};
  try {
    const [bytes] = trailers.get("grpc-status-details-bin");
    for (const { typeUrl, value } of Buffer.isBuffer(bytes) ? RichStatus.decode(bytes).details : []) {
      switch (typeUrl.slice(typeUrl.lastIndexOf("/") + 1)) {
        case "google.rpc.ErrorInfo":
          found.info = ErrorInfo.decode(value);
          break;
        case "google.rpc.RetryInfo":
          found.retry = RetryInfo.decode(value);
          break;
        case "google.rpc.BadRequest":
          found.bad = BadRequest.decode(value);
          break;
      }
    }
  } catch {
    // What was read before the garbage stands.
  }
  return found;
}

function factsOf({ info, retry, bad }: Details, trailers: Metadata): Omit<ErrorFacts, "code"> {
  const told = info?.metadata ?? {};
  const retryAfterMs = retry === undefined ? pushback(trailers) : (milliseconds(retry.retryDelay) ?? 0);
  return {
    reason: info?.reason || undefined,
    requestId: textOf(trailers, "x-request-id") ?? told["request_id"],
    phase: told["phase"],
    tokensSent: wholeNumber(told["tokens_sent"]),
    retryAfterMs,
    retryable: retryAfterMs !== undefined,
    violations: bad?.fieldViolations.map(({ field, description }) => ({ field, description })),
    upstreamType: told["upstream_type"],
    upstreamParam: told["upstream_param"],
    upstreamCode: told["upstream_code"],
  };
}

/** Undefined: none, or -1, which forbids. */
function pushback(trailers: Metadata): number | undefined {
  return wholeNumber(textOf(trailers, "grpc-retry-pushback-ms"));
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The first value of a metadata key that holds text. */
export function textOf(metadata: Metadata, key: string): string | undefined {
  const [value] = metadata.get(key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The server's reset at the deadline may be read before the client's own timer runs: it is the deadline all the same. */
function codeOf({ code }: StatusObject, { deadline }: CallFacts): StatusName {
  if (code === status.CANCELLED && Date.now() >= deadline) {
    return "DEADLINE_EXCEEDED";
  }
  const name = status[code] as StatusName | undefined;
  return name ?? "UNKNOWN";
}

/** A status that a gRPC library made, here or over there, in words for people. */
function withoutDetails(words: string, call: CallFacts, facts: ErrorFacts): InferenceError {
  const { target } = call;
  switch (facts.code) {
    case "DEADLINE_EXCEEDED":
      return new DeadlineExceededError(timeOver(words, call), facts);
    case "CANCELLED":
      return new CancelledError(
        `the gateway at ${target} ended the call; a stream that is read too slowly ends so (slow-caller-stall)`,
        facts,
      );
    case "UNAVAILABLE":
      return new UnavailableError(unavailable(words, target), facts);
    case "UNIMPLEMENTED":
      return new UnimplementedError(
        `what answers at ${target} is no Inference Gateway, or an older one: ${words}`,
        facts,
      );
    case "RESOURCE_EXHAUSTED":
      if (/^Received message/.test(words)) {
        return new ResponseTooLargeError(`the answer is above maxMessageBytes: ${words}`, facts);
      }
      if (/^Attempted to send message/.test(words)) {
        return new RequestTooLargeError(`the request is above maxMessageBytes: ${words}`, facts);
      }
      if (/exceeds maximum size/.test(words)) {
        return new RequestTooLargeError(`the request is above the gateway's limits.max-request-bytes: ${words}`, facts);
      }
      break;
  }
  return new (BY_CODE[facts.code] ?? InternalError)(words || facts.code, facts);
}

function timeOver(words: string, { target, timeoutMs }: CallFacts): string {
  const waiting = /waiting for (?:LB pick|name resolution|metadata filters)/i.test(words);
  return waiting
    ? `${timeoutMs} ms were over before there was a connection to ${target}`
    : `${timeoutMs} ms were over before the answer was whole`;
}

const NO_CONNECTION = /^(?:round_robin: )?No connection established|^Name resolution failed/;

function unavailable(words: string, target: string): string {
  const why = essence(words);
  return NO_CONNECTION.test(words)
    ? `no connection to a gateway at ${target}: ${why}; ${advice(why)}`
    : `the connection to the gateway at ${target} broke: ${why}`;
}

/** Balancers wrap each other's words, and OpenSSL adds what is for its own developers. */
function essence(words: string): string {
  return words
    .replace(/^.*Last error: /s, "")
    .replace(/\s*(?:\(\d{4}-\d\d-\d\dT[^)]*\))?(?:\. Resolution note:.*)?$/s, "")
    .replace(/^(?:Error: )?[0-9A-F]+:error:[0-9A-F]+:([^:]*):[^:]*:([^:]*):.*$/s, "$1: $2")
    .replace(/^Error: /, "");
}

function advice(why: string): string {
  if (/certificate|self.signed|altname|issuer/i.test(why)) {
    return "tls.ca must hold the authority of its certificate, tls.serverName the name in it";
  }
  return /refused|ENOENT|ENOTFOUND|resolution/i.test(why)
    ? "is it running there?"
    : "does `tls` say what it speaks, and does it ask for a client certificate?";
}
