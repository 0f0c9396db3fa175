import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as esm from "@inference-gateway/client";
import { failure, folder, rig } from "./rig.mjs";

const home = fileURLToPath(new URL("..", import.meta.url));
/** Where the package is used from: a project that has it installed, or this folder, which may import itself. */
const project = process.env.INSTALLED ?? home;
const read = (name) => readFileSync(join(home, name), "utf8");
const require = createRequire(import.meta.url);

describe("the package", () => {
  test("is one copy of every class, imported or required", () => {
    const cjs = require("@inference-gateway/client");
    assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).sort());
    for (const [name, value] of Object.entries(esm)) {
      assert.equal(value, cjs[name], name);
    }
    assert.equal(esm.VERSION, JSON.parse(read("package.json")).version);
  });

  test("has a README whose JavaScript runs, letter by letter", async () => {
    const blocks = [...read("README.md").matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
    assert.ok(blocks.length >= 6);
    const [quick, ...others] = blocks;
    const program = [quick, ...others]
      .join("\n")
      .replace(/^new Client\(.*$/gm, (line) => line.replace(/"(ca|me)\.(pem|key)"/g, "undefined"));
    const imports = new Set(program.match(/^import .*$/gm));
    const body = program.replace(/^import .*$/gm, "");
    const file = join(project, ".readme.mjs");
    writeFileSync(file, `${[...imports].join("\n")}\n${body}\nawait client.close();\n`);
    const { stdout, stderr } = await run(file);
    assert.ok(stdout.length > 20);
    assert.equal(stderr, "");
  });

  test("has a Chinese README with the same code, tables and headings", () => {
    const shape = (text) => ({
      code: text.match(/^```.*?^```$/gms)?.map((block) => block.replace(/\s*\/\/.*$/gm, "").replace(/ {2,}#.*$/gm, "")),
      headings: text.match(/^#+ /gm)?.length,
      rows: text.match(/^\|/gm)?.length,
      settings: text.match(/\| `"[^|]+` \|$/gm),
    });
    assert.deepEqual(shape(read("README.zh-CN.md")), shape(read("README.md")));
  });

  test("says that it is built in the whole checkout, where it is copied out of it", async () => {
    const alone = join(folder, "some", "where", "node");
    cpSync(join(home, "scripts"), join(alone, "scripts"), { recursive: true });
    const { code, stderr } = await failure(run(join(alone, "scripts", "build.mjs")));
    assert.equal(code, 1);
    assert.match(stderr, /^\S+proto is missing: building needs the whole checkout of Inference Gateway[^\n]*\n$/);
  });

  test("has examples that run", async () => {
    for (const [name, shown] of [
      ["quickstart.mjs", /outputTokens/],
      ["cancel.mjs", /left the loop\naborted: the user went away\ntoo late: 200 ms.*\nin time: .*\(time_limit\)/s],
      ...(process.env.INSTALLED ? [["many.js", /^\d+ tokens\n$/]] : []),
      ["errors.cjs", /^sampling\.temperature: must be 0 to 2\n$/],
    ]) {
      const { stdout, stderr } = await run(join(project, "examples", name));
      assert.match(stdout, shown, name);
      assert.equal(stderr, "", name);
    }
  });
});

function run(file) {
  const env = { ...process.env, INFERENCE_GATEWAY_TARGET: rig.target };
  return promisify(execFile)(process.execPath, [file], { env, timeout: 30_000 });
}
