/** What a parameter takes; only what has no place on the wire is refused here, the gateway judges the rest. */
const KINDS = {
  text: { says: "a string", holds: isText },
  texts: {
    says: "a string or an array of strings",
    holds: (value: unknown) => isText(value) || isArrayOf(value, isText),
  },
  flag: { says: "true or false", holds: (value: unknown) => typeof value === "boolean" },
  number: { says: "a number", holds: isNumber },
  int: { says: "a whole number of 32 bits", holds: isInt32 },
  ints: { says: "an array of whole numbers of 32 bits", holds: (value: unknown) => isArrayOf(value, isInt32) },
  long: { says: "a whole number (a bigint beyond 2^53)", holds: isInt64 },
  bias: { says: "an object or Map of token ids to numbers", holds: isBias },
  ms: { says: "a finite number of milliseconds", holds: (value: unknown) => isNumber(value) && Math.abs(value) < 1e14 },
} as const;

/** The parameters that a contract takes. */
export type Kinds<P> = { readonly [name in keyof P]-?: keyof typeof KINDS };

/**
 * Copies the parameters that are set.
 *
 * @throws TypeError for an unknown name or a value of the wrong kind
 */
export function readParameters<P>(given: object, kinds: Kinds<P>, hint: string): P {
  const read: Partial<Record<string, unknown>> = {};
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, name) ? KINDS[kinds[name as keyof P]] : undefined;
    if (kind === undefined) {
      throw new TypeError(`unknown parameter "${name}"; ${hint} ${Object.keys(kinds).join(", ")}`);
    }
    if (value !== undefined) {
      if (!kind.holds(value)) {
        throw new TypeError(`${name} must be ${kind.says}`);
      }
      read[name] = value;
    }
  }
  return read as P;
}

/** Whether it is an object that holds named values: no array, Map, Date or the like. */
export function isObject(given: unknown): given is object {
  return Object.prototype.toString.call(given) === "[object Object]";
}

/** @throws TypeError where anything is left */
export function refuseUnknown(left: object, hint: string): void {
  const [name] = Object.keys(left);
  if (name !== undefined) {
    throw new TypeError(`unknown parameter "${name}"; ${hint}`);
  }
}

/** @throws TypeError for no object, and for a key that the message does not have; the generated code would drop it without a word */
export function refuseUnknownFields(given: unknown, message: object, where: string): void {
  if (!isObject(given)) {
    throw new TypeError(`${where} must be an object`);
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(message, name));
  if (unknown !== undefined) {
    throw new TypeError(`unknown field "${unknown}" in ${where}; it has ${Object.keys(message).join(", ")}`);
  }
}

const HALF_CHARACTER = /\p{Surrogate}/u;

/** @throws TypeError where a string holds half a character: UTF-8 has none, it would be sent as another */
export function refuseHalfCharacters(value: unknown, where: string): void {
  if (typeof value === "string") {
    if (HALF_CHARACTER.test(value)) {
      throw new TypeError(`${where} holds a lone surrogate (half a character), which is no text`);
    }
  } else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
    for (const [name, inner] of Object.entries(value)) {
      refuseHalfCharacters(inner, Array.isArray(value) ? `${where}[${name}]` : name);
    }
  }
}

/** Undefined where nothing is set, so that an empty group is not sent. */
export function group<G extends object>(fields: G): G | undefined {
  return Object.values(fields).some((value) => value !== undefined) ? fields : undefined;
}

export function list<T>(value: T | readonly T[] | undefined): T[] | undefined {
  return value === undefined ? undefined : Array.isArray(value) ? [...(value as readonly T[])] : [value as T];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isInt32(value: unknown): boolean {
  return isNumber(value) && Number.isInteger(value) && value === (value | 0);
}

function isInt64(value: unknown): boolean {
  return typeof value === "bigint" ? value === BigInt.asIntN(64, value) : Number.isSafeInteger(value);
}

function isBias(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return false;
  }
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return entries.every(([id, bias]) => isInt32(Number(id)) && isNumber(bias));
}

function isArrayOf(value: unknown, each: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(each);
}
