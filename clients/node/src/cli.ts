import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { status } from "@grpc/grpc-js";
import type { Answer } from "./answer";
import { Client, InferenceClient } from "./client";
import type { ChatMessage } from "./contract";
import { CancelledError, InferenceError } from "./errors";
import * as inference from "./gen/inference";
import * as llm from "./gen/llm";
import { VERSION } from "./gen/version";
import type { CallOptions, ClientOptions } from "./options";

const HELP = `Usage: inference-gateway-client [options] PROMPT

Asks a running gateway and prints the answer as it comes.

The answer goes to standard output; reasoning, one line of figures and errors go to standard error.
Ctrl-C cancels the call, and with it the generation.

  PROMPT                      What to ask; - reads it from standard input

  --target HOST:PORT          The gateway. Default: INFERENCE_GATEWAY_TARGET, else localhost:50051
  --model NAME                Which model. Default: the gateway's
  --max-tokens NUMBER         Longest answer. Default: the contract's
  --temperature NUMBER        0 to 2; 0 is greedy. Default: the contract's
  --system TEXT               What the model is told before the prompt
  --deadline DURATION         Longest time for the whole call: 500ms, 30s, 5m, 1h. Default: 60s
  --contract inference|llm    Which of the two contracts to speak. Default: llm
  --no-stream                 Ask for the whole answer in one piece
  --json                      Print the answer's messages as JSON, one a line, in place of the text
  --tls                       Speak TLS, trusting the authorities that Node trusts
  --tls-ca FILE               Speak TLS, trusting these authorities (PEM)
  --tls-cert FILE             Speak TLS, showing this certificate chain (PEM)
  --tls-key FILE              The private key of --tls-cert (PEM)
  --token-file FILE           A bearer token. Default: INFERENCE_GATEWAY_TOKEN, else none
  -h, --help                  Show this help
  -V, --version               Print the version

Exit codes:
  0        the answer is whole
  1        an unexpected fault, or nobody reads the output
  2        the command line is wrong
  10 + n   the call ended with gRPC status n: 11 cancelled, 13 invalid argument, 14 deadline exceeded, 15 not found,
           18 resource exhausted, 22 unimplemented, 23 internal, 24 unavailable, 26 unauthenticated
  130      Ctrl-C
`;

const FAILED = 1;
const USAGE = 2;
const STATUS = 10;
const INTERRUPTED = 130;

/** Runs the command, and returns its exit code. */
export async function main(args: string[]): Promise<number> {
  try {
    const asked = readArguments(args);
    if (typeof asked === "string") {
      process.stdout.write(asked);
      return 0;
    }
    return await run(asked);
  } catch (error) {
    if (error instanceof TypeError || error instanceof UsageError) {
      say(`${error.message}\nTry --help.`);
      return USAGE;
    }
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return FAILED;
  }
}

class UsageError extends Error {}

interface Asked {
  readonly prompt: string;
  readonly system: string | undefined;
  readonly small: boolean;
  readonly whole: boolean;
  readonly json: boolean;
  readonly client: ClientOptions;
  readonly parameters: Pick<llm.CompleteRequest, "maxTokens"> & { temperature?: number | undefined };
}

function readArguments(args: string[]): Asked | string {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      target: text,
      model: text,
      "max-tokens": text,
      temperature: text,
      system: text,
      deadline: text,
      contract: text,
      "no-stream": flag,
      json: flag,
      tls: flag,
      "tls-ca": text,
      "tls-cert": text,
      "tls-key": text,
      "token-file": text,
      help: { ...flag, short: "h" },
      version: { ...flag, short: "V" },
    },
  });
  if (values.help) {
    return HELP;
  }
  if (values.version) {
    return `${VERSION}\n`;
  }
  const [prompt, surplus] = positionals;
  if (prompt === undefined || surplus !== undefined) {
    throw new UsageError(prompt === undefined ? "What is the prompt?" : "One prompt, please: put it in quotes.");
  }
  const { contract = "llm", "tls-ca": ca, "tls-cert": cert, "tls-key": key, "token-file": tokenFile } = values;
  if (contract !== "llm" && contract !== "inference") {
    throw new UsageError(`--contract is inference or llm, not ${contract}`);
  }
  return {
    prompt,
    system: values.system,
    small: contract === "inference",
    whole: values["no-stream"] ?? false,
    json: values.json ?? false,
    client: {
      ...(values.target !== undefined && { target: values.target }),
      ...(tokenFile !== undefined && { token: tokenIn(tokenFile) }),
      model: values.model,
      timeoutMs: milliseconds(values.deadline ?? "60s"),
      tls: [ca, cert, key].some((file) => file !== undefined) ? { ca, cert, key } : (values.tls ?? false),
    },
    parameters: {
      maxTokens: number(values["max-tokens"], "--max-tokens"),
      temperature: number(values.temperature, "--temperature"),
    },
  };
}

function number(written: string | undefined, flag: string): number | undefined {
  if (written !== undefined && (written.trim() === "" || Number.isNaN(Number(written)))) {
    throw new UsageError(`${flag} takes a number, not "${written}"`);
  }
  return written === undefined ? undefined : Number(written);
}

function milliseconds(written: string): number {
  const [, amount, unit] = /^(\d+)(ms|s|m|h)$/.exec(written) ?? [];
  const ms = Number(amount) * { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[(unit ?? "ms") as "ms" | "s" | "m" | "h"];
  if (!(ms > 0)) {
    throw new UsageError(`--deadline is written 500ms, 30s, 5m or 1h and above 0, was "${written}"`);
  }
  return ms;
}

function tokenIn(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UsageError(`--token-file cannot be read: ${(error as Error).message}`);
  }
}

async function run(asked: Asked): Promise<number> {
  const content = asked.prompt === "-" ? await readAll(process.stdin) : asked.prompt;
  const messages: ChatMessage[] = [{ role: "user", content }];
  if (asked.system !== undefined) {
    messages.unshift({ role: "system", content: asked.system });
  }
  const client = asked.small ? new InferenceClient(asked.client) : new Client(asked.client);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(INTERRUPTED);
  const unread = (): void => stop.abort(FAILED);
  process.once("SIGINT", interrupt);
  process.stdout.once("error", unread).on("error", () => {});
  try {
    await print(client, messages, asked, { signal: stop.signal });
    return stop.signal.aborted ? FAILED : 0;
  } catch (error) {
    if (!(error instanceof InferenceError)) {
      throw error;
    }
    return ending(error);
  } finally {
    process.off("SIGINT", interrupt);
    await client.close();
  }
}

function ending(error: InferenceError): number {
  if (error instanceof CancelledError && error.name === "AbortError") {
    if (error.cause === INTERRUPTED) {
      say("cancelled");
    }
    return error.cause as number;
  }
  tell(error);
  return STATUS + status[error.code];
}

function tell(error: InferenceError): void {
  say(`error: ${error.code}${error.reason === undefined ? "" : ` (${error.reason})`}: ${error.message}`);
  for (const { field, description } of error.violations) {
    if (!error.message.includes(`${field}: ${description}`)) {
      say(`  ${field}: ${description}`);
    }
  }
  if (error.requestId !== undefined) {
    say(`  request id: ${error.requestId}`);
  }
  if (error.retryAfterMs !== undefined) {
    say(`  retry: after ${error.retryAfterMs} ms`);
  }
}

/** Writes the answer as it comes, at the reader's pace, and what it cost when it is over. */
async function print(
  client: Client | InferenceClient,
  messages: ChatMessage[],
  asked: Asked,
  options: CallOptions,
): Promise<void> {
  const begun = performance.now();
  const given = { ...asked.parameters, ...options };
  if (asked.whole) {
    const answer = await client.generate(messages, given);
    await write(asked.json ? `${JSON.stringify(messageOf(answer.message, asked.small))}\n` : onLine(answer.text));
    summary(answer, begun, undefined);
    return;
  }
  const stream = client.stream(messages, given);
  let first: number | undefined;
  let reasoned = 0;
  try {
    for await (const chunk of stream.chunks()) {
      if (stream.text !== "" || stream.reasoning !== "") {
        first ??= performance.now();
      }
      if (asked.json) {
        await write(`${JSON.stringify(chunkOf(chunk, asked.small))}\n`);
        continue;
      }
      if (stream.reasoning.length > reasoned) {
        process.stderr.write((reasoned === 0 ? "[reasoning] " : "") + stream.reasoning.slice(reasoned));
        reasoned = stream.reasoning.length;
      }
      const { token } = chunk;
      if (token !== "") {
        await write((stream.text === token && reasoned > 0 && process.stdout.isTTY ? "\n" : "") + token);
      }
    }
  } finally {
    if (!asked.json && stream.text !== "" && !stream.text.endsWith("\n")) {
      await write("\n");
    } else if (reasoned > 0 && stream.text === "") {
      say("");
    }
  }
  summary(await stream.answer(), begun, first);
}

function onLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** With the names of the .proto files, as the gateway's own command prints them. */
function messageOf(message: unknown, small: boolean): unknown {
  return small
    ? inference.GenerateResponse.toJSON(message as inference.GenerateResponse)
    : llm.CompleteResponse.toJSON(message as llm.CompleteResponse);
}

function chunkOf(chunk: unknown, small: boolean): unknown {
  return small
    ? inference.TokenResponse.toJSON(chunk as inference.TokenResponse)
    : llm.TokenChunk.toJSON(chunk as llm.TokenChunk);
}

/** Resolves once there is room for more. */
function write(text: string): Promise<void> {
  const { stdout } = process;
  return new Promise((resolve) => {
    if (stdout.destroyed || stdout.write(text)) {
      resolve();
      return;
    }
    const done = (): void => {
      stdout.off("drain", done).off("error", done).off("close", done);
      resolve();
    };
    stdout.on("drain", done).on("error", done).on("close", done);
  });
}

function summary({ usage, finishReason, model, timing }: Answer, begun: number, first: number | undefined): void {
  const now = performance.now();
  const figures = [`${usage?.inputTokens ?? 0} tokens in, ${usage?.outputTokens ?? 0} out`];
  const firstMs = timing?.firstTokenMs ?? (first === undefined ? undefined : first - begun);
  if (firstMs !== undefined) {
    figures.push(`first token ${firstMs.toFixed(0)} ms`);
  }
  const tokens = usage?.outputTokens ?? 0;
  if (first !== undefined && tokens > 1 && now - first >= 100) {
    figures.push(`${(((tokens - 1) * 1000) / (now - first)).toFixed(1)} tokens/s`);
  }
  figures.push(`total ${((now - begun) / 1000).toFixed(2)} s`, `finish: ${finishReason || "unknown"}`);
  if (model !== undefined) {
    figures.push(`model: ${model}`);
  }
  say(`[${figures.join(", ")}]`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
