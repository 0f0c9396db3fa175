import { HealthCheckResponse_ServingStatus, HealthService } from "./gen/grpc/health/v1/health";
import { listen, unlisten } from "./call";
import type { Connection } from "./connection";
import { DeadlineExceededError, InferenceError } from "./errors";
import type { CallOptions } from "./options";

/** One look that hangs must not take all the time. */
const LOOK_MS = 5_000;

/** The last look begins so long before the end. */
const LAST_LOOK_MS = 50;

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

/** What a wait has in common with a call. */
type WaitFacts = Pick<CallOptions, "signal" | "requestId"> & { timeoutMs: number };

/** Looks again and again, between 50 and 500 ms apart, until it is SERVING. */
export function untilReady(connection: Connection, service: string, wait: WaitFacts): Promise<void> {
  return connection.during(() => lookUntilReady(connection, service, wait));
}

async function lookUntilReady(connection: Connection, service: string, wait: WaitFacts): Promise<void> {
  const { timeoutMs, signal } = wait;
  const end = Date.now() + timeoutMs;
  let last: Seen | undefined;
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    const lookMs = Math.min(Math.max(end - Date.now(), 1), LOOK_MS);
    try {
      const seen = await check(connection, service, { ...wait, timeoutMs: lookMs, waitForReady: false });
      if (seen === "SERVING") {
        return;
      }
      last = { seen };
    } catch (cause) {
      if (!mayPass(cause)) {
        throw cause;
      }
      if (last === undefined || lookMs === LOOK_MS || cause.code !== "DEADLINE_EXCEEDED") {
        last = { seen: cause.message, cause };
      }
    }
    const leftMs = end - Date.now();
    if (leftMs <= 0) {
      throw notReady(connection.target, wait, last);
    }
    await pause(leftMs > LAST_LOOK_MS ? Math.min(pauseMs, leftMs - LAST_LOOK_MS) : leftMs, signal);
  }
}

function mayPass(error: unknown): error is InferenceError {
  return error instanceof InferenceError && (error.code === "UNAVAILABLE" || error.code === "DEADLINE_EXCEEDED");
}

interface Seen {
  readonly seen: string;
  readonly cause?: unknown;
}

function notReady(target: string, { timeoutMs, requestId }: WaitFacts, { seen, cause }: Seen): DeadlineExceededError {
  return new DeadlineExceededError(
    `the gateway at ${target} was not ready within ${timeoutMs} ms; last seen: ${seen}`,
    { code: "DEADLINE_EXCEEDED", requestId, cause },
  );
}

/** Ends early, and without an error, when the signal fires: the next look says so. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      if (signal !== undefined) {
        unlisten(signal, done);
      }
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal !== undefined) {
      listen(signal, done);
    }
  });
}
