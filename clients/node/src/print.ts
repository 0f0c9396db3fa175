import type { Answer } from "./answer";
import type { Duration } from "./gen/google/protobuf/duration";
import * as inference from "./gen/inference";
import * as llm from "./gen/llm";
import type { TokenStream } from "./stream";

/** How an answer is printed. */
export interface Format {
  /** Messages as JSON in place of their text. */
  readonly json: boolean;
  /** Whether they are the small contract's. */
  readonly small: boolean;
}

/** Tokens that came within less, in milliseconds, came together: they have no rate. */
const SHORTEST_RATED_MS = 100;

/** Prints an answer once it is there, and what it cost. */
export async function printWhole(coming: Promise<Answer>, { json, small }: Format): Promise<void> {
  const begun = performance.now();
  const answer = await coming;
  if (json) {
    const message = small
      ? inference.GenerateResponse.toJSON(answer.message as inference.GenerateResponse)
      : llm.CompleteResponse.toJSON(answer.message as llm.CompleteResponse);
    await write(line(message, (answer.message as Partial<llm.CompleteResponse>).timing));
  } else {
    if (answer.reasoning !== "") {
      say(`[reasoning] ${answer.reasoning}`);
    }
    await write(answer.text.endsWith("\n") ? answer.text : `${answer.text}\n`);
  }
  summary(answer, begun, undefined);
}

/** Prints an answer as it comes, at the pace of whoever reads it, and what it cost. */
export async function printStream(
  stream: TokenStream<llm.TokenChunk> | TokenStream<inference.TokenResponse>,
  { json, small }: Format,
): Promise<void> {
  const begun = performance.now();
  const lines = new Lines();
  let first: number | undefined;
  let reasoned = 0;
  try {
    for await (const chunk of stream.chunks()) {
      if (stream.text !== "" || stream.reasoning !== "") {
        first ??= performance.now();
      }
      if (json) {
        const message = small
          ? inference.TokenResponse.toJSON(chunk as inference.TokenResponse)
          : llm.TokenChunk.toJSON(chunk as llm.TokenChunk);
        await write(line(message, (chunk as Partial<llm.TokenChunk>).timing));
      } else {
        lines.reasoning(stream.reasoning.slice(reasoned));
        reasoned = stream.reasoning.length;
        await lines.text(chunk.token);
      }
    }
  } finally {
    await lines.end();
  }
  summary(await stream.answer(), begun, first);
}

/** A message in the JSON of Protocol Buffers, as all its libraries write it: the generated code has durations of its own. */
function line(json: unknown, timing: llm.Timing | undefined): string {
  const times = timing && {
    timing: { queue: written(timing.queue), first_token: written(timing.firstToken), total: written(timing.total) },
  };
  return `${JSON.stringify({ ...(json as object), ...times })}\n`;
}

/** Seconds with 0, 3, 6 or 9 decimals. */
function written(duration: Duration | undefined): string | undefined {
  if (duration === undefined) {
    return undefined;
  }
  const decimals = String(duration.nanos)
    .padStart(9, "0")
    .replace(/(?:000){1,3}$/, "");
  return `${duration.seconds}${decimals && "."}${decimals}s`;
}

/** Keeps text and reasoning on lines of their own. */
class Lines {
  #reasoning = false;
  #text = false;

  reasoning(piece: string): void {
    if (piece !== "") {
      process.stderr.write(this.#reasoning ? piece : `[reasoning] ${piece}`);
      this.#reasoning = true;
    }
  }

  async text(piece: string): Promise<void> {
    if (piece !== "") {
      this.#endReasoning();
      this.#text = !piece.endsWith("\n");
      await write(piece);
    }
  }

  async end(): Promise<void> {
    this.#endReasoning();
    if (this.#text) {
      this.#text = false;
      await write("\n");
    }
  }

  #endReasoning(): void {
    if (this.#reasoning) {
      this.#reasoning = false;
      say("");
    }
  }
}

/** Standard output cannot be written to. */
export class OutputError extends Error {
  /** Whether it is only that nobody reads it any more, as in `| head -1`. */
  readonly unread: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(`standard output cannot be written: ${cause.message}`, { cause });
    this.unread = cause.code === "EPIPE" || cause.code === "ERR_STREAM_DESTROYED";
  }
}

/** Without a listener an error of either stream would end the program with a stack; `write` tells those that matter. */
export function watchOutput(): void {
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
}

/** Resolves once it is written. @throws OutputError */
export function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(new OutputError(error)) : resolve()));
  });
}

function summary({ usage, finishReason, model, timing }: Answer, begun: number, first: number | undefined): void {
  const now = performance.now();
  const tokens = usage?.outputTokens ?? 0;
  const figures = [`${usage?.inputTokens ?? 0} tokens in, ${tokens} out`];
  const firstMs = timing?.firstTokenMs ?? (first === undefined ? undefined : first - begun);
  if (firstMs !== undefined) {
    figures.push(`first token ${firstMs.toFixed(0)} ms`);
  }
  if (first !== undefined && tokens > 1 && now - first >= SHORTEST_RATED_MS) {
    figures.push(`${(((tokens - 1) * 1000) / (now - first)).toFixed(1)} tokens/s`);
  }
  figures.push(`total ${((now - begun) / 1000).toFixed(2)} s`, `finish: ${finishReason || "unknown"}`);
  if (model !== undefined) {
    figures.push(`model: ${model}`);
  }
  say(`[${figures.join(", ")}]`);
}

/** Writes a line for people. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
