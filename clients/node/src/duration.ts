import type { Duration } from "./gen/google/protobuf/duration";

const NANOS = 1_000_000_000n;

/** Undefined stays undefined: not told. */
export function milliseconds(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : Number(duration.seconds) * 1000 + duration.nanos / 1e6;
}

/** Of a finite number of milliseconds; undefined stays undefined: not sent. */
export function duration(ms: number | undefined): Duration | undefined {
  if (ms === undefined) {
    return undefined;
  }
  const nanos = BigInt(Math.round(ms * 1e6));
  return { seconds: nanos / NANOS, nanos: Number(nanos % NANOS) };
}
