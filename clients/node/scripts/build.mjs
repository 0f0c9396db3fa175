// Makes dist: CommonJS, and beside it ES modules that only re-export it. There is one copy of every class, whichever way a
// program loads the package, so `instanceof` holds across both.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(home, "dist");
const require = createRequire(import.meta.url);

await import("./generate.mjs");
rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [join(home, "node_modules", "typescript", "bin", "tsc"), "-p", home], {
  stdio: "inherit",
});

for (const entry of ["index", "proto"]) {
  const names = Object.keys(require(join(dist, `${entry}.js`))).sort();
  writeFileSync(
    join(dist, `${entry}.mjs`),
    `import all from "./${entry}.js";\nexport const { ${names.join(", ")} } = all;\n`,
  );
  writeFileSync(join(dist, `${entry}.d.mts`), `export * from "./${entry}.js";\n`);
}
chmodSync(join(dist, "bin.js"), 0o755);
cpSync(join(home, "..", "..", "LICENSE"), join(home, "LICENSE"));
