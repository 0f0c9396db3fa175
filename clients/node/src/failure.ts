import { constants } from "node:http2";
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
  readonly tls: Tls;
  /** Messages of a stream that its reader has; undefined for a call that is none. */
  readonly received: number | undefined;
}

/** What a client says to the other side of TLS. */
export interface Tls {
  readonly spoken: boolean;
  /** Whether it shows a certificate of its own. */
  readonly certificate: boolean;
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

/**
 * The error of a call that ended with a status other than OK.
 *
 * @param lastError what kept it from having a connection, where it waited for one
 */
export function errorOf(
  ended: StatusObject,
  call: CallFacts,
  cause: unknown,
  lastError?: string | undefined,
): InferenceError {
  const details = detailsOf(ended.metadata);
  const code = codeOf(ended, call);
  const facts = { ...factsOf(details, ended.metadata), code, cause };
  facts.requestId ??= call.requestId;
  if (details.info !== undefined) {
    const known = BY_REASON[details.info.reason] ?? BY_CODE[code] ?? InternalError;
    // The same words for a deadline, whoever saw it first.
    const late = details.info.reason === "CLIENT_DEADLINE";
    return new known(late ? timeOver("", call, lastError) : ended.details || code, facts);
  }
  return withoutDetails(ended.details, call, { ...facts, ...progress(call) }, lastError);
}

/** How far a stream was that the gateway did not end itself. */
export function progress({ received }: CallFacts): Pick<ErrorFacts, "phase" | "tokensSent"> {
  return { tokensSent: received, phase: received ? "decode" : undefined };
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
function withoutDetails(
  words: string,
  call: CallFacts,
  facts: ErrorFacts,
  lastError: string | undefined,
): InferenceError {
  const { target } = call;
  switch (facts.code) {
    case "DEADLINE_EXCEEDED":
      return new DeadlineExceededError(timeOver(words, call, lastError), facts);
    case "CANCELLED":
      return new CancelledError(
        `the gateway at ${target} ended the call; a stream that is read too slowly ends so (slow-caller-stall)`,
        facts,
      );
    case "UNAVAILABLE":
      return new UnavailableError(unavailable(words, call), facts);
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
    case "UNKNOWN":
      if (/^Received HTTP status code 431$/.test(words)) {
        const message =
          "the call's metadata is above what the gateway takes (limits.metadata-soft, limits.metadata-hard)";
        return new RequestTooLargeError(message, { ...facts, code: "RESOURCE_EXHAUSTED" });
      }
      break;
    case "INTERNAL":
      return new InternalError(resetInWords(words, target) || facts.code, facts);
  }
  return new (BY_CODE[facts.code] ?? InternalError)(words || facts.code, facts);
}

/** Such as PROTOCOL_ERROR, where something else on the connection broke the rules. */
function resetInWords(words: string, target: string): string {
  const [, code] = /^Received RST_STREAM with code (\d+)/.exec(words) ?? [];
  if (code === undefined) {
    return words;
  }
  const name = Object.entries(constants).find(([key, value]) => HTTP2_ERROR.test(key) && value === Number(code))?.[0];
  return `the gateway at ${target} reset the call: HTTP/2 ${name?.replace("NGHTTP2_", "") ?? `error ${code}`}`;
}

const HTTP2_ERROR =
  /^NGHTTP2_(?:(?:NO|PROTOCOL|INTERNAL|FLOW_CONTROL|FRAME_SIZE|COMPRESSION|CONNECT)_ERROR|SETTINGS_TIMEOUT|STREAM_CLOSED|ENHANCE_YOUR_CALM|INADEQUATE_SECURITY|HTTP_1_1_REQUIRED)$/;

const WAITING = /waiting for (?:LB pick|name resolution|metadata filters)/i;

/** Whether a call's time was over while it waited for a connection. */
export function waitedForConnection({ code, details }: StatusObject): boolean {
  return code === status.DEADLINE_EXCEEDED && WAITING.test(details);
}

function timeOver(words: string, call: CallFacts, lastError: string | undefined): string {
  const { target, timeoutMs } = call;
  if (!WAITING.test(words)) {
    return `${timeoutMs} ms were over before the answer was whole`;
  }
  const last = lastError === undefined ? "" : `; last seen: ${withAdvice(lastError, call)}`;
  return `${timeoutMs} ms were over before there was a connection to ${target}${last}`;
}

const NO_CONNECTION = /^(?:round_robin: )?No connection established|^Name resolution failed/;

function unavailable(words: string, call: CallFacts): string {
  return NO_CONNECTION.test(words)
    ? `no connection to a gateway at ${call.target}: ${withAdvice(words, call)}`
    : `the connection to the gateway at ${call.target} broke: ${broken(words, call)}`;
}

function withAdvice(words: string, { tls }: CallFacts): string {
  const why = essence(words);
  return `${why}; ${advice(why, tls)}`;
}

/** With TLS 1.3 the other side looks at a client's certificate only once there is a connection. */
function broken(words: string, call: CallFacts): string {
  return /\balert\b/.test(words) ? withAdvice(words, call) : essence(words);
}

/** Balancers wrap each other's words, and OpenSSL adds what is for its own developers. */
function essence(words: string): string {
  return words
    .replace(/^.*Last error: /s, "")
    .replace(/\s*(?:\(\d{4}-\d\d-\d\dT[^)]*\))?(?:\. Resolution note:.*)?$/s, "")
    .replace(/^(.*?)(?:write E\w+ )?[0-9A-F]+:error:[0-9A-F]+:([^:]*):[^:]*:([^:]*):.*$/s, "$1$2: $3")
    .replace(/^Error(?: \[\w+\])?: /, "");
}

/** What to do about a connection that cannot be had; the first that fits. */
const ADVICE: readonly (readonly [words: RegExp, advice: string | ((tls: Tls) => string)])[] = [
  [/ECONNREFUSED|ENOENT/, "is it running there? The client tries again every second"],
  [/resolution|resolve|ENOTFOUND|EAI_AGAIN/i, "is the name right?"],
  // An alert is what the other side says of this one.
  [/alert (?:\w+ )*protocol version|unsupported protocol/i, "the two speak no common version of TLS"],
  [/alert unrecognized name/i, "tls.serverName must be a name that it serves"],
  [/alert certificate expired/i, "this client's certificate (tls.cert) has expired: it needs a new one"],
  [/alert certificate revoked/i, "this client's certificate (tls.cert) was revoked: it needs a new one"],
  [/alert/i, ({ certificate }) => (certificate ? FOREIGN_CERTIFICATE : NO_CERTIFICATE)],
  // All else is what this side says of the other.
  [/has expired/i, "the gateway needs a new certificate, or this machine's clock is wrong"],
  [/not yet valid/i, "this machine's clock may be wrong, else the gateway's certificate is for later"],
  [/altname|host ?name/i, "tls.serverName must be a name in its certificate"],
  [/self.signed|issuer|verify|signature|authority|certificate/i, "tls.ca must hold the authority of its certificate"],
  [/wrong version|packet length|unknown protocol|record|http request/i, "what is there speaks no TLS: leave `tls` out"],
];

const NO_CERTIFICATE = "it asks for a client's certificate: set tls.cert and tls.key";
const FOREIGN_CERTIFICATE = "it does not take this client's certificate (tls.cert): another authority must sign it";

function advice(why: string, tls: Tls): string {
  const found = ADVICE.find(([words]) => words.test(why))?.[1];
  if (found !== undefined) {
    return typeof found === "string" ? found : found(tls);
  }
  return tls.spoken
    ? "does it speak TLS, and does it ask for a client's certificate (tls.cert)?"
    : "does it speak TLS? Then set `tls`";
}
