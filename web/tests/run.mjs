// Bundles every *.test.ts of this folder and runs it by Node's own runner.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));
const names = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
const out = mkdtempSync(join(tmpdir(), "closedchain-web-"));
try {
  const input = Object.fromEntries(names.map((name) => [name.replace(".ts", ""), join(here, name)]));
  const made = await rolldown({ input, platform: "node", external: /^node:/ });
  await made.write({ dir: out, format: "esm", entryFileNames: "[name].mjs" });
  const files = Object.keys(input).map((name) => join(out, `${name}.mjs`));
  process.exitCode = spawnSync(process.execPath, ["--test", "--test-reporter=dot", ...files], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(out, { recursive: true });
}
