import { readFileSync, writeFileSync } from "node:fs";
import { optionFlags } from "../src/cli/flags.ts";
import { reportJsonSchema } from "../src/engine/report/schema.ts";
import { optionsSchema } from "../src/resources/options.ts";

/** The pages of docs/ that follow from the source: `--write` makes them, `--check` fails when they differ. */

const cell = (text: string) => text.replaceAll("|", "\\|");

function options(): string {
  const rows = Object.keys(optionsSchema.shape).map((key, at) => {
    const flag = optionFlags[at];
    const value = flag?.value ?? "";
    const help = (flag?.help ?? "").replace(" May be given several times.", "");
    return `| \`${key}\` | \`--${flag?.name} ${cell(value)}\` | ${cell(help)} |`;
  });
  return `<!-- Generated from src/resources/options.ts by \`npm run docs\`. Do not edit. -->

# Options of a copy

The same options stand in a Migration's \`spec.options\` and, with \`-\` for \`_\`, on the command line. There a list or a map is given by
repeating the flag (\`--include a --include b\`, \`--schemas sales=public --schemas crm=crm\`), and \`source_ca\` and \`target_ca\` name a file
where the Migration holds the PEM itself. \`kubectl explain migration.spec.options\` and \`rowferry copy --help\` say the same.

| option | flag | what it does |
| --- | --- | --- |
${rows.join("\n")}
`;
}

const pages: Record<string, () => string> = {
  "docs/options.md": options,
  "docs/report.schema.json": () => `${JSON.stringify(reportJsonSchema(), null, 2)}\n`,
};

const pathOf = (name: string) => new URL(`../${name}`, import.meta.url);

function read(name: string): string {
  try {
    return readFileSync(pathOf(name), "utf8");
  } catch {
    return "";
  }
}

if (process.argv.includes("--write")) {
  for (const [name, make] of Object.entries(pages)) writeFileSync(pathOf(name), make());
} else if (process.argv.includes("--check")) {
  const differing = Object.entries(pages).flatMap(([name, make]) => (read(name) === make() ? [] : [name]));
  if (differing.length > 0) {
    console.error(`not as the source says: ${differing.join(", ")} (mend: npm run docs)`);
    process.exitCode = 1;
  }
} else {
  console.error("usage: docs.ts --write | --check");
  process.exitCode = 2;
}
