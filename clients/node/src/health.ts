import { HealthCheckResponse_ServingStatus, HealthService } from "./gen/grpc/health/v1/health";
import type { Connection } from "./connection";
import { DeadlineExceededError, InferenceError } from "./errors";
import type { CallOptions } from "./options";

/** What grpc.health.v1 says; SERVICE_UNKNOWN: the gateway knows no service of that name. */
export type HealthStatus = "SERVING" | "NOT_SERVING" | "UNKNOWN" | "SERVICE_UNKNOWN";

/** One look. */
export async function check(connection: Connection, service: string, options: CallOptions): Promise<HealthStatus> {
  const { check: method } = HealthService;
  try {
    const { response } = await connection.unary(method, method.requestSerialize({ service }), options);
    return (HealthCheckResponse_ServingStatus[response.status] as HealthStatus | undefined) ?? "UNKNOWN";
  } catch (error) {
    if (error instanceof InferenceError && error.code === "NOT_FOUND") {
      return "SERVICE_UNKNOWN";
    }
    throw error;
  }
}

/** Looks again and again, between 50 and 500 ms apart, until it is SERVING. */
export async function untilReady(
  connection: Connection,
  service: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  let last: { seen: string; cause?: unknown } = { seen: "nothing" };
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    try {
      // One look that hangs must not take all the time.
      const left = Math.min(Math.max(end - Date.now(), 1), 5_000);
      const seen = await check(connection, service, { timeoutMs: left, signal, waitForReady: false });
      if (seen === "SERVING") {
        return;
      }
      last = { seen };
    } catch (cause) {
      if (!mayPass(cause)) {
        throw cause;
      }
      last = { seen: cause.message, cause };
    }
    if (Date.now() + pauseMs >= end) {
      throw notReady(connection.target, timeoutMs, last);
    }
    await pause(pauseMs, signal);
  }
}

function mayPass(error: unknown): error is InferenceError {
  return error instanceof InferenceError && (error.code === "UNAVAILABLE" || error.code === "DEADLINE_EXCEEDED");
}

function notReady(target: string, timeoutMs: number, last: { seen: string; cause?: unknown }): DeadlineExceededError {
  return new DeadlineExceededError(
    `the gateway at ${target} was not ready within ${timeoutMs} ms; last seen: ${last.seen}`,
    { code: "DEADLINE_EXCEEDED", cause: last.cause },
  );
}

/** Ends early, and without an error, when the signal fires: the next look says so. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
