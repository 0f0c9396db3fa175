import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { answer, startFake } from "./fake.mjs";
import { eventually, folder, mark, rig } from "./rig.mjs";

const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));

describe("the command", () => {
  test("prints the answer to standard output and its figures to standard error", async () => {
    for (const flags of [
      [],
      ["--no-stream"],
      ["--contract", "inference"],
      ["--contract", "inference", "--no-stream"],
    ]) {
      const text = mark();
      const { code, out, err } = await command(
        ...flags,
        "--max-tokens",
        "6",
        "--temperature",
        "0",
        "--system",
        "Be short.",
        text,
      );
      assert.equal(code, 0);
      assert.match(out, /^[^\n]+\n$/);
      assert.match(err, /^\[\d+ tokens in, 6 out, .*total \d+\.\d\d s, finish: length.*\]\n$/);
      const [{ body }] = rig.wire.with(text);
      assert.equal(body.temperature, 0);
      assert.equal(body.messages[0].content, "Be short.");
    }
  });

  test("prints messages as JSON, one a line, with the names of the contract", async () => {
    const { out } = await command("--json", "--max-tokens", "3", "hi");
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(lines.length, 4);
    assert.equal(lines.at(-1).usage.output_tokens, 3);
    const { queue, first_token: first, total } = lines.at(-1).timing;
    for (const duration of [queue, first, total]) {
      assert.match(duration, /^\d+(?:\.(?:\d{3}){1,3})?s$/, "as Protocol Buffers write it");
    }
    const { timing } = JSON.parse((await command("--json", "--no-stream", "--max-tokens", "3", "hi")).out);
    assert.match(timing.total, /^\d+(?:\.(?:\d{3}){1,3})?s$/);
    const whole = JSON.parse(
      (await command("--json", "--no-stream", "--contract", "inference", "--max-tokens", "3", "hi")).out,
    );
    assert.equal(whole.finish_reason, "length");
  });

  test("prints reasoning to standard error, on a line of its own", async () => {
    for (const flags of [[], ["--no-stream"]]) {
      const { out, err } = await command(...flags, "--max-tokens", "6", "[[sim:reasoning=3]] think");
      assert.match(err, /^\[reasoning\] \S[^\n]*\n\[\d+ tokens in/);
      assert.match(out, /^[^\n]+\n$/);
    }
  });

  test("reads the prompt from standard input for -", async () => {
    const text = mark();
    const run = start("--max-tokens", "1", "-");
    run.child.stdin.end(text);
    assert.equal((await run.ended).code, 0);
    assert.equal(rig.wire.with(text).length, 1);
  });

  test("ends with an exit code that says how", async () => {
    const cases = [
      [
        ["--temperature", "9", "--max-tokens", "0", "hi"],
        13,
        /INVALID_ARGUMENT \(INVALID_REQUEST\).*\n(.*\n)*  sampling\.temperature: must be 0 to 2\n  request id: /,
      ],
      [["--deadline", "150ms", "[[sim:stall-after=2]] hi"], 14, /DEADLINE_EXCEEDED/],
      [["--model", "nothing", "hi"], 15, /MODEL_NOT_FOUND/],
      [["[[sim:status=429;retry-after=7]] hi"], 18, /retry: after 7000 ms/],
      [["[[sim:status=401]] hi"], 23, /UPSTREAM_AUTH/],
      [["[[sim:drop-after=2]] hi"], 24, /UPSTREAM_TRUNCATED/],
      [["--target", "localhost:1", "hi"], 24, /is it running there/],
      [["--target", "http://localhost", "hi"], 2, /a target is no URL/],
      [["--no-such-flag", "hi"], 2, /Try --help/],
      [["--deadline", "soon", "hi"], 2, /500ms, 30s, 5m or 1h/],
      [["--contract", "other", "hi"], 2, /inference or llm/],
      [["--max-tokens", "many", "hi"], 2, /--max-tokens takes a number/],
      [["--max-tokens", "99999999999999999999", "hi"], 2, /--max-tokens takes a whole number of 32 bits, not "9{20}"/],
      [["--max-tokens", "1.5", "hi"], 2, /--max-tokens takes a whole number/],
      [["--token-file", "/no/such/file", "hi"], 2, /--token-file cannot be read/],
      [["--token-file", folder, "hi"], 2, /--token-file cannot be read/],
      [["--token-file", holding(" \n"), "hi"], 2, /--token-file is empty/],
      [["--token-file", holding("s3cret\ntwo"), "hi"], 2, /--token-file must hold one token of visible ASCII/],
      [["--token-file", holding(Buffer.from("s3cret", "utf16le")), "hi"], 2, /--token-file must hold one token/],
      [[], 2, /What is the prompt/],
      [["two", "words"], 2, /One prompt, please/],
    ];
    const check = async ([args, wanted, said]) => {
      const { code, err } = await command(...args);
      assert.equal(code, wanted, `${args.join(" ")}: ${err}`);
      assert.match(err, said);
      assert.ok(!/^    at /m.test(err), "no stack");
      assert.ok(!/s3cret/.test(err), "no token");
    };
    await Promise.all(cases.map(check));
    assert.match((await command("--help")).out, /^Usage: /);
    assert.match((await command("--version")).out, /^0\.1\.0/);
  });

  test("cancels the generation on Ctrl-C, and when nobody reads", async () => {
    const long = ["--max-tokens", "5000"];
    const interrupted = mark();
    const run = start(...long, `[[sim:inter-token=20ms]] ${interrupted}`);
    await eventually("tokens come", () => run.out().length > 0);
    run.child.kill("SIGINT");
    assert.deepEqual({ code: (await run.ended).code }, { code: 130 });
    await eventually("the backend is left", () => rig.wire.with(interrupted)[0].endedAt !== undefined);

    const unread = mark();
    const other = start(...long, `[[sim:inter-token=20ms;big-answer=100000000]] ${unread}`);
    await eventually("tokens come", () => other.out().length > 0);
    other.child.stdout.destroy();
    const { code, err } = await other.ended;
    assert.equal(code, 1);
    assert.equal(err, "");
    await eventually("the backend is left", () => rig.wire.with(unread)[0].endedAt !== undefined);
  });

  test("sends the token of a file", async () => {
    const server = await startFake({ complete: (_call, callback) => callback(null, answer("hi")) });
    const file = join(folder, "token");
    for (const written of ["from-a-file\n", "\ufefffrom-a-file\r\n"]) {
      writeFileSync(file, written);
      await command("--target", server.target, "--token-file", file, "--no-stream", "hi");
    }
    assert.deepEqual(
      server.seen.map(({ metadata }) => metadata.get("authorization")[0]),
      ["Bearer from-a-file", "Bearer from-a-file"],
    );
    server.close();
  });

  test("says which variable of the environment is wrong, and not its value where that is a token", async () => {
    for (const [env, wanted] of [
      [{ INFERENCE_GATEWAY_TOKEN: "s3cret\n" }, /^INFERENCE_GATEWAY_TOKEN must be a string of visible ASCII/],
      [{ INFERENCE_GATEWAY_TARGET: "http://gateway" }, /^INFERENCE_GATEWAY_TARGET: target "http:\/\/gateway" cannot/],
    ]) {
      const { code, err } = await start({ env }, "hi").ended;
      assert.equal(code, 2);
      assert.match(err, wanted);
      assert.ok(!err.includes("s3cret"));
    }
  });

  test("ends quietly on Ctrl-C while it reads the prompt", async () => {
    const run = start("-");
    // More than a pipe holds: once it is written, somebody reads.
    await new Promise((resolve) => run.child.stdin.write("half a prompt ".repeat(1e6), resolve));
    run.child.kill("SIGINT");
    assert.deepEqual(await run.ended, { code: 130, out: "", err: "" });
  });

  test("says what standard input is, where it holds no text", async () => {
    const run = start("-");
    run.child.stdin.end(Buffer.from([0x61, 0xff, 0x62]));
    const { code, err } = await run.ended;
    assert.equal(code, 2);
    assert.match(err, /^the prompt cannot be read from standard input: .*utf-8/);
    const directory = openSync(folder, "r");
    const other = await start({ stdio: [directory, "pipe", "pipe"] }, "-").ended;
    closeSync(directory);
    assert.equal(other.code, 2);
    assert.match(other.err, /standard input: it is a directory/);
  });

  test("refuses a prompt that is empty or no text, and takes every one that is", async () => {
    const nothing = openSync("/dev/null", "r");
    const closed = spawnSync("sh", ["-c", `"$0" "$1" - <&-`, process.execPath, bin], { encoding: "utf8" });
    const broken = spawnSync("sh", ["-c", `"$0" "$1" "$(printf 'a\\377b')"`, process.execPath, bin], {
      encoding: "utf8",
    });
    const inSystem = ["-c", `"$0" "$1" --system "$(printf 'a\\377b')" hi`, process.execPath, bin];
    for (const [{ code, status = code, err, stderr = err }, said] of [
      [await start({ stdio: [nothing, "pipe", "pipe"] }, "-").ended, /^standard input is empty or closed/],
      [closed, /^standard input is empty or closed/],
      [await command(""), /^the prompt is empty/],
      [broken, /^the prompt, --system and --model must be UTF-8/],
      [spawnSync("sh", inSystem, { encoding: "utf8" }), /^the prompt, --system and --model must be UTF-8/],
    ]) {
      assert.equal(status, 2);
      assert.match(stderr, said);
    }
    closeSync(nothing);
    const text = `${mark()} \ufffd \u{1f600}`;
    assert.equal((await command("--max-tokens", "1", text)).code, 0);
    assert.equal(rig.wire.with(text).length, 1);
  });

  test("says that standard output cannot be written, and is quiet where nobody reads it", async () => {
    const file = openSync(holding("not for writing"), "r");
    const all = [["--help"], ["hi"], ["--no-stream", "hi"]];
    const written = await Promise.all(all.map((args) => start({ stdio: ["ignore", file, "pipe"] }, ...args).ended));
    closeSync(file);
    for (const { code, err } of written) {
      assert.equal(code, 1);
      assert.match(err, /^standard output cannot be written: E\w+: .*\n$/);
    }
    const unread = await Promise.all(
      all.map((args) => {
        const { child, ended } = start(...args);
        child.stdout.destroy();
        return ended;
      }),
    );
    assert.deepEqual(unread, Array(3).fill({ code: 1, out: "", err: "" }));
    const unheard = start("--max-tokens", "3", "hi");
    unheard.child.stderr.destroy();
    assert.equal((await unheard.ended).code, 0);
  });
});

let files = 0;

/** A file of that content. */
function holding(content) {
  const file = join(folder, `file-${(files += 1)}`);
  writeFileSync(file, content);
  return file;
}

function command(...args) {
  const run = start(...args);
  run.child.stdin.end();
  return run.ended;
}

/** @param args the command's; its environment and streams may come first */
function start(...args) {
  const { env, ...streams } = typeof args[0] === "object" ? args.shift() : {};
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...process.env, INFERENCE_GATEWAY_TARGET: rig.target, ...env },
    ...streams,
  });
  let out = "";
  let err = "";
  child.stdout?.on("data", (data) => (out += data));
  child.stderr?.on("data", (data) => (err += data));
  const ended = new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
  return { child, ended, out: () => out };
}
