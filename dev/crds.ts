import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { crds } from "../src/resources/crd.ts";

/** `--write` makes crds/*.yaml from src/resources; `--check` fails when they differ. */

const folder = new URL("../crds/", import.meta.url);
const head = "# Generated from src/resources by `npm run crds`. Do not edit.\n";
const text = (name: string) => head + stringify(crds[name]?.(), { lineWidth: 120, aliasDuplicateObjects: false });

function read(name: string): string {
  try {
    return readFileSync(new URL(name, folder), "utf8");
  } catch {
    return "";
  }
}

const names = Object.keys(crds);
if (process.argv.includes("--write")) {
  for (const name of names) writeFileSync(new URL(name, folder), text(name));
  console.log(`wrote ${names.length} to ${fileURLToPath(folder)}`);
} else if (process.argv.includes("--check")) {
  const differing = names.filter((name) => read(name) !== text(name));
  const strange = readdirSync(folder).filter((name) => name.endsWith(".yaml") && !names.includes(name));
  if (differing.length > 0) console.error(`not as src/resources says: ${differing.join(", ")} (mend: npm run crds)`);
  if (strange.length > 0) console.error(`nothing in src/resources makes: ${strange.join(", ")} (mend: delete)`);
  process.exitCode = differing.length + strange.length > 0 ? 1 : 0;
} else {
  console.error("usage: crds.ts --write | --check");
  process.exitCode = 2;
}
