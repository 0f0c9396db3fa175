package inferencegateway.chat;

/**
 * Why a call failed: the closed list behind {@code google.rpc.ErrorInfo.reason}. Names are wire
 * format; README's table of status codes lists them, and a test holds the two together. Code and
 * retry of each are decided in one place, {@code call.Statuses}.
 */
public enum Reason {
  /** Nobody knows whose the call is. */
  UNAUTHENTICATED,
  /** Its caller may not call the method, or not use the model. */
  PERMISSION_DENIED,
  /** A field of the request is out of range, unknown or missing. */
  INVALID_REQUEST,
  /** The request's bytes are not the message they should be. */
  MALFORMED_REQUEST,
  /** Above {@code limits.max-request-bytes} once decompressed. */
  REQUEST_TOO_LARGE,
  /** A unary request came twice or not at all. */
  REQUEST_COUNT,
  CONTEXT_LENGTH,
  MODEL_NOT_FOUND,
  UNIMPLEMENTED_UPSTREAM,
  UNKNOWN_METHOD,
  CONCURRENCY_LIMIT,
  /** The first token cannot be there before the caller's deadline. */
  DEADLINE_UNREACHABLE,
  /** The caller has used up what it may ask for in a minute. */
  QUOTA,
  /** The requests held now leave no room for this one. */
  MEMORY_PRESSURE,
  /** The gateway's process has no file descriptor or port left for a connection to a backend. */
  NO_SOCKETS,
  UPSTREAM_RATE_LIMIT,
  UPSTREAM_QUEUE_FULL,
  RESPONSE_TOO_LARGE,
  UPSTREAM_EVENT_TOO_LARGE,
  UPSTREAM_CONNECT,
  /** The connection ended before any output. */
  UPSTREAM_RESET,
  UPSTREAM_STARTING,
  UPSTREAM_GATEWAY,
  NOT_READY,
  UPSTREAM_ERROR,
  UPSTREAM_ABORTED,
  /** The answer broke off after output. */
  UPSTREAM_TRUNCATED,
  /** The answer broke off while the backend was seen to stop. */
  UPSTREAM_SHUTDOWN,
  /** A complete response without any answer in it. */
  UPSTREAM_EMPTY,
  FIRST_TOKEN_TIMEOUT,
  INTER_TOKEN_TIMEOUT,
  SHUTTING_DOWN,
  /** Somebody ended it through the admin port. */
  CANCELLED_BY_OPERATOR,
  /** The caller's own. */
  CLIENT_DEADLINE,
  MAX_CALL_TIME,
  UPSTREAM_AUTH,
  UPSTREAM_REDIRECT,
  UPSTREAM_PROTOCOL,
  /** A 404 that is about no model: the base URL is wrong. */
  UPSTREAM_NOT_FOUND,
  /** Our own fault. */
  BUG,
  /**
   * Nobody took a byte for {@code slow-caller-stall}. In log and metrics only: no status can pass
   * the queued data.
   */
  SLOW_CONSUMER
}
