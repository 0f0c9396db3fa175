import { randomBytes } from "node:crypto";
import type { ChannelOptions } from "@grpc/grpc-js";
import { isObject } from "./parameters";
import type { TlsOptions } from "./tls";

/** Metadata of a call. Keys that end in `-bin` take bytes. */
export type CallMetadata = Readonly<Record<string, string | Uint8Array | readonly (string | Uint8Array)[]>>;

/** A bearer token, or what gives one; it is asked before every call. */
export type Token = string | (() => string | Promise<string>);

/** How a client reaches its gateway, and what its calls have in common. */
export interface ClientOptions {
  /** Where the gateway is. Default: `INFERENCE_GATEWAY_TARGET`, else "localhost:50051". */
  target?: string | undefined;
  /** Model of calls that name none. Default: the gateway's. */
  model?: string | undefined;
  /** Longest time of a call, in milliseconds; Infinity: only the gateway's own limit holds. Default: 60000. */
  timeoutMs?: number | undefined;
  /** Sent as `authorization: Bearer ...` with every call. Default: `INFERENCE_GATEWAY_TOKEN`, else none. */
  token?: Token | undefined;
  /** true: TLS with the authorities that Node trusts. Default: plaintext. */
  tls?: boolean | TlsOptions | undefined;
  /** How often a unary call that the gateway turned away is sent again, 0 to 4; streams never are. Default: 2. */
  retries?: number | undefined;
  /** Whether calls wait for a connection, up to their deadline, in place of failing at once. Default: false. */
  waitForReady?: boolean | undefined;
  /** Put before the client's own user agent. */
  userAgent?: string | undefined;
  /** Largest message sent or received. Default: 67108864 (64 MiB). */
  maxMessageBytes?: number | undefined;
  /** Sent with every call. */
  metadata?: CallMetadata | undefined;
  /** Whether `grpc_proxy`, `https_proxy` and `http_proxy` are heeded; never for loopback and unix. Default: true. */
  proxy?: boolean | undefined;
  /** Options of grpc-js that override this client's. */
  channelOptions?: ChannelOptions | undefined;
}

/** What one call may have of its own. */
export interface CallOptions {
  /** Longest time of the call, in milliseconds; Infinity: only the gateway's own limit holds. Default: the client's. */
  timeoutMs?: number | undefined;
  /** Cancels the call, and so the generation. */
  signal?: AbortSignal | undefined;
  /** Names the call in the gateway's log: 1 to 128 letters, digits, `.`, `_`, `-`. Default: one is made up. */
  requestId?: string | undefined;
  /** Sent with this call; replaces the client's values of the same key. */
  metadata?: CallMetadata | undefined;
  /** Default: the client's. */
  waitForReady?: boolean | undefined;
}

const CLIENT_OPTIONS: Readonly<Record<keyof ClientOptions, string>> = {
  target: "string",
  model: "string",
  timeoutMs: "number",
  token: "string|function",
  tls: "boolean|object",
  retries: "number",
  waitForReady: "boolean",
  userAgent: "string",
  maxMessageBytes: "number",
  metadata: "object",
  proxy: "boolean",
  channelOptions: "object",
};

const CALL_OPTIONS: Readonly<Record<keyof CallOptions, string>> = {
  timeoutMs: "number",
  signal: "signal",
  requestId: "string",
  metadata: "object",
  waitForReady: "boolean",
};

/** @throws TypeError for an unknown option or one of the wrong type */
export function checkClientOptions(options: ClientOptions): void {
  demand(isObject(options), "a client takes a target (a string), or an object of options");
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(CLIENT_OPTIONS, name));
  if (unknown !== undefined) {
    throw new TypeError(`unknown option "${unknown}"; a client takes ${Object.keys(CLIENT_OPTIONS).join(", ")}`);
  }
  checkTypes(options, CLIENT_OPTIONS);
  const { retries, maxMessageBytes, userAgent, channelOptions = {} } = options;
  for (const [name, value] of Object.entries(channelOptions as Record<string, unknown>)) {
    demand(/^grpc[.-]/.test(name), `channelOptions "${name}" is no option of grpc-js: they begin with grpc`);
    demand(["string", "number"].includes(typeof value), `channelOptions "${name}" must be a string or a number`);
  }
  demand(userAgent === undefined || /^[\x20-\x7e]*$/.test(userAgent), "userAgent must be visible ASCII characters");
  demand(
    retries === undefined || (Number.isInteger(retries) && retries >= 0 && retries <= 4),
    "retries must be 0 to 4",
  );
  demand(
    maxMessageBytes === undefined || (Number.isInteger(maxMessageBytes) && maxMessageBytes > 0),
    "maxMessageBytes must be a whole number above 0",
  );
}

/** Tells call options from generation parameters. */
export function splitCallOptions<P extends object>(given: P & CallOptions): [options: CallOptions, parameters: P] {
  demand(isObject(given), "parameters and options of a call go in an object");
  const options: Record<string, unknown> = {};
  const parameters: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    (Object.hasOwn(CALL_OPTIONS, name) ? options : parameters)[name] = value;
  }
  checkTypes(options, CALL_OPTIONS);
  const { requestId = randomBytes(16).toString("hex") } = options as CallOptions;
  demand(/^[A-Za-z0-9._-]{1,128}$/.test(requestId), "requestId must be 1 to 128 letters, digits, '.', '_' or '-'");
  return [{ ...options, requestId }, parameters as P];
}

function checkTypes(given: object, types: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(given)) {
    const type = types[name] ?? "";
    demand(value === undefined || type.split("|").includes(kindOf(value)), `${name} must be ${said(type)}`);
  }
  const { timeoutMs } = given as CallOptions;
  demand(timeoutMs === undefined || timeoutMs >= 0, "timeoutMs must be 0 or more milliseconds");
}

/** What is an object to JavaScript alone, as null, an array or a Map, is of no kind. */
function kindOf(value: unknown): string {
  if (typeof value !== "object") {
    return typeof value;
  }
  if (typeof (value as AbortSignal | null)?.addEventListener === "function") {
    return "signal";
  }
  return isObject(value) ? "object" : "none";
}

function said(type: string): string {
  return type
    .split("|")
    .map((one) => ({ object: "an object", signal: "an AbortSignal" })[one] ?? `a ${one}`)
    .join(" or ");
}

function demand(holds: boolean, problem: string): void {
  if (!holds) {
    throw new TypeError(problem);
  }
}
