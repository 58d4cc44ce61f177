import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { crds } from "../src/resources/crd/index.ts";

/**
 * `--write` makes the CRDs' YAML from src/resources; `--check` fails when they differ. Helm packs no file from outside its
 * chart, so that the chart has a copy.
 */

const folders = ["crds", "charts/rowferry/files/crds"];
const pathOf = (folder: string, name = "") => new URL(`../${folder}/${name}`, import.meta.url);
const head = "# Generated from src/resources by `npm run crds`. Do not edit.\n";
const text = (name: string) => head + stringify(crds[name]?.(), { lineWidth: 120, aliasDuplicateObjects: false });

function read(folder: string, name: string): string {
  try {
    return readFileSync(pathOf(folder, name), "utf8");
  } catch {
    return "";
  }
}

const names = Object.keys(crds);
if (process.argv.includes("--write")) {
  for (const folder of folders) for (const name of names) writeFileSync(pathOf(folder, name), text(name));
  console.log(`wrote ${names.length} to ${folders.join(" and ")}`);
} else if (process.argv.includes("--check")) {
  for (const folder of folders) {
    const differing = names.filter((name) => read(folder, name) !== text(name));
    const strange = readdirSync(pathOf(folder)).filter((name) => name.endsWith(".yaml") && !names.includes(name));
    if (differing.length > 0)
      console.error(`${folder}: differs from src/resources: ${differing.join(", ")}. Fix: npm run crds`);
    if (strange.length > 0)
      console.error(`${folder}: not made from src/resources: ${strange.join(", ")}. Fix: delete the file`);
    if (differing.length + strange.length > 0) process.exitCode = 1;
  }
} else {
  console.error("usage: crds.ts --write | --check");
  process.exitCode = 2;
}
