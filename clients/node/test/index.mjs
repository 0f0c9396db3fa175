// All tests in one process, so that they share one gateway and can count what reaches its backend.
import { readdirSync } from "node:fs";

const folder = new URL(".", import.meta.url);
const only = process.env.ONLY ?? "";
for (const file of readdirSync(folder).sort()) {
  if (file.endsWith(".test.mjs") && file.includes(only)) {
    await import(new URL(file, folder));
  }
}
