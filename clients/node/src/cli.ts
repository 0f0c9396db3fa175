import { isUtf8 } from "node:buffer";
import { fstatSync, readFileSync } from "node:fs";
import { addAbortSignal } from "node:stream";
import { buffer as readAll } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { status } from "@grpc/grpc-js";
import { Client, InferenceClient } from "./client";
import type { ChatMessage } from "./contract";
import { CancelledError, InferenceError } from "./errors";
import { VERSION } from "./gen/version";
import type { ClientOptions } from "./options";
import { OutputError, printStream, printWhole, say, watchOutput, write } from "./print";

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
  1        an unexpected fault, or the output cannot be written or has no reader
           (Node opens /dev/null in the place of a closed one, so that >&- is as >/dev/null)
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
  watchOutput();
  try {
    const asked = readArguments(args);
    if (typeof asked === "string") {
      await write(asked);
      return 0;
    }
    return await run(asked);
  } catch (error) {
    if (error instanceof OutputError) {
      error.unread || say(error.message);
      return FAILED;
    }
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
  readonly parameters: { maxTokens: number | undefined; temperature: number | undefined };
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
  if ([...positionals, values.system, values.model].some((text) => text?.includes("\ufffd")) && !argumentsAreText()) {
    throw new UsageError("the prompt, --system and --model must be UTF-8");
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
      maxTokens: wholeNumber(values["max-tokens"], "--max-tokens"),
      temperature: number(values.temperature, "--temperature"),
    },
  };
}

/** Node puts U+FFFD in the place of bytes that are no UTF-8. Linux alone shows what stood there. */
function argumentsAreText(): boolean {
  let bytes: Buffer;
  try {
    bytes = readFileSync("/proc/self/cmdline");
  } catch {
    return true;
  }
  return isUtf8(bytes);
}

function number(written: string | undefined, flag: string): number | undefined {
  if (written !== undefined && (written.trim() === "" || Number.isNaN(Number(written)))) {
    throw new UsageError(`${flag} takes a number, not "${written}"`);
  }
  return written === undefined ? undefined : Number(written);
}

/** As far as the contract can carry it; the gateway judges the rest. */
function wholeNumber(written: string | undefined, flag: string): number | undefined {
  const read = number(written, flag);
  if (read !== undefined && read !== (read | 0)) {
    throw new UsageError(`${flag} takes a whole number of 32 bits, not "${written}"`);
  }
  return read;
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
  let token: string;
  try {
    token = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UsageError(`--token-file cannot be read: ${(error as Error).message}`);
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const wrong = token === "" ? "is empty" : "must hold one token of visible ASCII characters, and nothing else";
    throw new UsageError(`--token-file ${wrong}: ${file}`);
  }
  return token;
}

async function run(asked: Asked): Promise<number> {
  const client = asked.small ? new InferenceClient(asked.client) : new Client(asked.client);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  try {
    const content = asked.prompt === "-" ? await readPrompt(stop.signal) : asked.prompt;
    if (stop.signal.aborted) {
      return INTERRUPTED;
    }
    if (content === "") {
      throw new UsageError(asked.prompt === "-" ? "standard input is empty or closed" : "the prompt is empty");
    }
    const messages: ChatMessage[] = [{ role: "user", content }];
    if (asked.system !== undefined) {
      messages.unshift({ role: "system", content: asked.system });
    }
    const given = { ...asked.parameters, signal: stop.signal };
    if (asked.whole) {
      await printWhole(client.generate(messages, given), asked);
    } else {
      await printStream(client.stream(messages, given), asked);
    }
    return 0;
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

/** What standard input holds; "" where the signal fires before its end. */
async function readPrompt(signal: AbortSignal): Promise<string> {
  try {
    if (fstatSync(0).isDirectory()) {
      throw new Error("it is a directory");
    }
    const bytes = await readAll(addAbortSignal(signal, process.stdin));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (signal.aborted) {
      return "";
    }
    throw new UsageError(`the prompt cannot be read from standard input: ${(error as Error).message}`);
  }
}

function ending(error: InferenceError): number {
  if (error instanceof CancelledError && error.name === "AbortError") {
    say("cancelled");
    return INTERRUPTED;
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
