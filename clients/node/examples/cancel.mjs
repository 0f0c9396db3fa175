// Three ways to stop a generation: leave the loop, a signal, the deadline. Each stops it at the GPU.
import { CancelledError, Client, DeadlineExceededError } from "@inference-gateway/client";

const client = new Client();

let seen = 0;
for await (const token of client.stream("Tell me everything.", { maxTokens: 1000 })) {
  process.stdout.write(token);
  seen += 1;
  if (seen === 5) {
    break; // cancelled here
  }
}
console.log("\nleft the loop");

const controller = new AbortController();
setTimeout(() => controller.abort("the user went away"), 200);
try {
  await client.stream("Tell me everything.", { maxTokens: 1000, signal: controller.signal }).answer();
} catch (error) {
  if (!(error instanceof CancelledError)) {
    throw error;
  }
  console.log("aborted:", error.cause);
}

try {
  await client.generate("Tell me everything.", { maxTokens: 1000, timeoutMs: 200 });
} catch (error) {
  if (!(error instanceof DeadlineExceededError)) {
    throw error;
  }
  console.log("too late:", error.message);
}

// Or: what there is when the time is over, in place of an error.
const partial = await client.generate("Tell me everything.", { maxTokens: 1000, totalLimitMs: 200, partial: true });
console.log("in time:", partial.text, `(${partial.finishReason})`);

await client.close();
