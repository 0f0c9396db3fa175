// Makes src/gen from the .proto files: message types, encoders, service definitions, and the package's version.
//
// buf and its compiler come inside the npm package; nothing is fetched. The inputs are three folders, since each is the
// root of its own import paths.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const require = createRequire(import.meta.url);
const sources = join(home, "proto");
const generated = join(home, "src", "gen");

const contracts = join(home, "..", "..", "proto");
const standard = join(home, "..", "proto");
for (const folder of [contracts, standard]) {
  if (!existsSync(folder)) {
    console.error(
      `${folder} is missing: building needs the whole checkout of Inference Gateway, not this folder alone`,
    );
    process.exit(1);
  }
}

// The tarball ships what it was made from.
rmSync(sources, { recursive: true, force: true });
rmSync(generated, { recursive: true, force: true });
mkdirSync(sources);
for (const name of ["inference.proto", "llm.proto"]) {
  cpSync(join(contracts, name), join(sources, name));
}
for (const name of ["google", "grpc"]) {
  cpSync(join(standard, name), join(sources, name), { recursive: true });
}

const template = {
  version: "v2",
  plugins: [
    {
      local: [process.execPath, require.resolve("ts-proto/protoc-gen-ts_proto")],
      out: generated,
      opt: [
        "env=node",
        "esModuleInterop=true",
        "outputServices=grpc-js",
        "forceLong=bigint",
        "oneof=unions-value",
        "unrecognizedEnum=true",
        "useExactTypes=false",
        "removeEnumPrefix=true",
        // Camel case in code, the names of the .proto files in JSON.
        "snakeToCamel=keys",
        "protoJsonFormat=false",
        "exportCommonSymbols=false",
      ],
      // Any, Duration and the like are messages of the contracts' own for ts-proto.
      include_imports: true,
      include_wkt: true,
    },
  ],
};
const buf = require.resolve("@bufbuild/buf/bin/buf");
execFileSync(process.execPath, [buf, "generate", sources, "--template", JSON.stringify(template)], {
  cwd: home,
  stdio: "inherit",
});

const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
writeFileSync(join(generated, "version.ts"), `export const VERSION = ${JSON.stringify(version)};\n`);
