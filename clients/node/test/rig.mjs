// The real gateway in front of its simulator, shared by all tests, and a wire between the two that shows what passes.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const jar = process.env.GATEWAY_JAR;
if (!jar) {
  throw new Error("GATEWAY_JAR must be the path of inference-gateway.jar");
}

/** A folder that goes away with the tests. */
export const folder = mkdtempSync(join(tmpdir(), "inference-gateway-client-"));

const children = new Set();

/** Runs the jar until a line matches; the match's first group is the port. */
export async function startJar(args, portIn) {
  const child = spawn("java", ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar", jar, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  const exited = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  let output = "";
  const port = await new Promise((resolve, reject) => {
    const read = (data) => {
      output += data;
      const found = portIn.exec(output);
      if (found) {
        resolve(Number(found[1]));
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    exited.then((code) => reject(new Error(`java ${args.join(" ")} ended with ${code}: ${output}`)));
  });
  return {
    port,
    target: `127.0.0.1:${port}`,
    signal: (name) => child.kill(name),
    exited,
    async stop() {
      child.kill("SIGKILL");
      await exited;
      children.delete(child);
    },
  };
}

export function startGateway(...args) {
  const listen = args.includes("--listen") ? [] : ["--listen", "127.0.0.1:0"];
  return startJar(["serve", ...listen, "--backend", rig.backend, ...args], /gateway started.* port=(\d+)/);
}

/** Polls until it holds. */
export async function eventually(what, holds, withinMs = 5000) {
  const end = Date.now() + withinMs;
  for (;;) {
    const seen = await holds();
    if (seen) {
      return seen;
    }
    if (Date.now() > end) {
      throw new Error(`not within ${withinMs} ms: ${what}`);
    }
    await sleep(5);
  }
}

/** Passes bytes on as they are, and keeps the requests' bodies and when each connection ended. */
class Wire {
  /**
   * { head, text, body, startedAt, endedAt, received } of every chat request; endedAt once its connection is closed by the
   * gateway, received in bytes since the request.
   */
  requests = [];

  async start(port) {
    this.server = createServer((near) => {
      const far = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      const calls = [];
      let pending = Buffer.alloc(0);
      near.on("data", (data) => {
        pending = this.#sniff(Buffer.concat([pending, data]), calls);
        far.write(data);
      });
      far.on("data", (data) => {
        calls.forEach((call) => (call.received += data.length));
        return near.write(data) || far.pause();
      });
      near.on("drain", () => far.resume());
      near.on("close", () => {
        calls.forEach((call) => (call.endedAt ??= performance.now()));
        far.destroy();
      });
      far.on("end", () => near.end());
      far.on("error", () => near.resetAndDestroy());
      far.on("close", () => near.destroy());
      near.on("error", () => {});
    });
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return this.server.address().port;
  }

  #sniff(bytes, calls) {
    for (;;) {
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) {
        return bytes;
      }
      const head = bytes.toString("latin1", 0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (bytes.length < end + 4 + length) {
        return bytes;
      }
      if (head.startsWith("POST")) {
        const call = {
          head,
          text: bytes.toString("utf8", end + 4, end + 4 + length),
          body: JSON.parse(bytes.toString("utf8", end + 4, end + 4 + length)),
          startedAt: performance.now(),
          endedAt: undefined,
          received: 0,
        };
        calls.push(call);
        this.requests.push(call);
      }
      bytes = bytes.subarray(end + 4 + length);
    }
  }

  /** The requests whose last message holds the mark. */
  with(mark) {
    return this.requests.filter(({ body }) => body.messages?.at(-1)?.content.includes(mark));
  }
}

export const rig = { wire: new Wire(), backend: "", target: "", gateway: undefined, simulator: "" };

/** The simulator's counters by name, over all labels; a finish reason is part of the name. */
export async function counters() {
  const text = await (await fetch(`${rig.simulator}/metrics`)).text();
  const sums = {};
  for (const [, name, labels, value] of text.matchAll(/^vllm:(\w+)\{([^}]*)\} (\S+)$/gm)) {
    const reason = /finished_reason="(\w+)"/.exec(labels)?.[1];
    const key = reason === undefined ? name : `${name}:${reason}`;
    sums[key] = (sums[key] ?? 0) + Number(value);
  }
  return sums;
}

/** Gives a client to the body and closes it. */
export async function using(client, body) {
  try {
    return await body(client);
  } finally {
    await client.close();
  }
}

/** What a call, or its promise, fails with. */
export async function failure(call) {
  let value;
  try {
    value = await (typeof call === "function" ? call() : call);
  } catch (error) {
    return error;
  }
  return assert.fail(`it did not fail: ${JSON.stringify(value)}`);
}

let marks = 0;

/** A text that no other test uses. */
export function mark() {
  return `<mark ${(marks += 1)}>`;
}

/**
 * Certificates for TLS tests: an authority, a server's for localhost and a client's, both expired too; an authority of somebody
 * else, and the client's by it.
 */
export function certificates() {
  const ssl = (...args) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const authority = (name) =>
    ssl(
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.pem`,
    );
  const issued = (request, name, by, days) =>
    ssl(
      "x509",
      "-req",
      "-days",
      days,
      "-in",
      `${request}.csr`,
      "-CA",
      `${by}.pem`,
      "-CAkey",
      `${by}.key`,
      "-copy_extensions",
      "copy",
      "-out",
      `${name}.pem`,
    );
  const signed = (name, extension) => {
    ssl(
      "req",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-subj",
      `/CN=${name}`,
      "-addext",
      extension,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.csr`,
    );
    issued(name, name, "authority", "2");
    issued(name, `expired-${name}`, "authority", "-1");
  };
  authority("authority");
  authority("stranger");
  signed("server", "subjectAltName=DNS:localhost,DNS:gateway.internal,IP:127.0.0.1");
  signed("client", "subjectAltName=DNS:caller");
  issued("client", "foreign", "stranger", "2");
  return (name) => join(folder, name);
}

before(async () => {
  const simulator = await startJar(
    ["simulate", "--port", "0", "--ttft", "20ms", "--inter-token", "5ms", "--jitter", "0", "--slots", "3000"],
    /http:\/\/127\.0\.0\.1:(\d+)/,
  );
  rig.simulator = `http://127.0.0.1:${simulator.port}`;
  rig.backend = `http://127.0.0.1:${await rig.wire.start(simulator.port)}/v1`;
  // The wire accepts in this process, which a thousand streams keep busy.
  const patient = ["--connect-timeout", "10s"];
  rig.gateway = await startGateway("--admission-running", "2000", "--admission-adaptive", "false", ...patient);
  rig.target = rig.gateway.target;
});

after(async () => {
  for (const child of children) {
    child.kill("SIGKILL");
  }
  rig.wire.server?.close();
  rmSync(folder, { recursive: true, force: true });
});
