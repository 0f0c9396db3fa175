// Runs the tests: GATEWAY_JAR=/path/to/inference-gateway.jar npm test. ONLY=stream runs the file of that name alone.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const { status } = spawnSync(
  process.execPath,
  ["--expose-gc", "--test-reporter=spec", join(home, "test", "index.mjs")],
  { cwd: home, stdio: "inherit" },
);
process.exit(status ?? 1);
