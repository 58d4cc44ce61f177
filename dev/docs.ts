import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { reportJsonSchema } from "../src/engine/report/schema.ts";
import { endpointsPage } from "./pages/endpoints.ts";
import { optionsPage } from "./pages/options.ts";
import { withParts } from "./pages/parts.ts";
import { runErrorsPage } from "./pages/run-errors.ts";
import { typesPage } from "./pages/types.ts";
import { wrapped } from "./pages/wrap.ts";

/**
 * What in docs/ follows from the source, complete pages and parts of others, and where lines of prose end:
 * `--write` makes it, `--check` fails when it differs.
 */

const made: Record<string, () => string> = {
  "endpoints.md": endpointsPage,
  "options.md": optionsPage,
  "run-errors.md": runErrorsPage,
  "report.schema.json": () => `${JSON.stringify(reportJsonSchema(), null, 2)}\n`,
  "types.md": typesPage,
};

const folder = new URL("../docs/", import.meta.url);
const names = [...new Set([...Object.keys(made), ...readdirSync(folder).filter((name) => name.endsWith(".md"))])];

function read(name: string): string {
  try {
    return readFileSync(new URL(name, folder), "utf8");
  } catch {
    return "";
  }
}

function shouldBe(name: string): string {
  const text = made[name]?.() ?? withParts(read(name));
  return name.endsWith(".md") ? wrapped(text) : text;
}
const differing = names.filter((name) => read(name) !== shouldBe(name));

if (process.argv.includes("--write")) {
  for (const name of differing) writeFileSync(new URL(name, folder), shouldBe(name));
} else if (process.argv.includes("--check")) {
  if (differing.length > 0) {
    console.error(`Differs from the source: ${differing.map((name) => `docs/${name}`).join(", ")}. Fix: npm run docs`);
    process.exitCode = 1;
  }
} else {
  console.error("usage: docs.ts --write | --check");
  process.exitCode = 2;
}
