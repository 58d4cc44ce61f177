import { optionFlags } from "../../src/cli/flags/index.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { code, generatedFrom, markdownTable } from "./table.ts";

type Key = keyof typeof optionsSchema.shape;

const ca = "-----BEGIN CERTIFICATE-----\n…";

/** Each option below its purpose, with a value as an example. */
const groups: Record<string, Partial<Record<Key, unknown>>> = {
  "Choose what is copied": {
    include: ["orders", "customer*"],
    exclude: ["audit_log"],
    content: "schema",
    schemas: { sales: "public" },
    drop: ["orders"],
  },
  "Choose how values are converted": {
    types: { "orders.total": "numeric(20,4)" },
    zero_dates: "1970-01-01",
    definers: "invoker",
  },
  "Verify the copy": { verify: "checksum", on_object_error: "fail" },
  "Set the speed": { jobs: 4, bandwidth: 20_000_000 },
  "Limit locks and waiting": {
    source_locks: "require",
    blocking_timeout: 120,
    statement_timeout: 3600,
    stall_timeout: 1800,
  },
  "Verify the servers' certificates": { source_ca: ca, target_ca: ca },
};

const flags = new Map(Object.keys(optionsSchema.shape).map((key, at) => [key, optionFlags[at]]));

/** Throws where an option stands in no group or in two, or an example is not valid. */
export function examplesOf(): Record<string, unknown> {
  const all = Object.values(groups).flatMap((group) => Object.entries(group));
  const names = all.map(([key]) => key).sort();
  const wanted = Object.keys(optionsSchema.shape).sort();
  if (names.join() !== wanted.join())
    throw new Error(`the page of options has ${names.join(", ")}, and the schema ${wanted.join(", ")}`);
  const examples = Object.fromEntries(all);
  optionsSchema.parse(examples);
  return examples;
}

const quoted = (word: string) => (/^[\w.=,-]+$/.test(word) ? word : `'${word}'`);

/** The example as flags. */
function flagsOf(key: string, value: unknown): string {
  const { name = "", kind } = flags.get(key) ?? {};
  const words =
    kind === "file"
      ? ["ca.pem"]
      : Array.isArray(value)
        ? value.map(String)
        : typeof value === "object" && value !== null
          ? Object.entries(value).map(([from, to]) => `${from}=${String(to)}`)
          : [kind === "bytes" ? "20M" : String(value)];
  return words.map((word) => `--${name} ${quoted(word)}`).join(" ");
}

/** What the help says last, as `Default: 2.`, has a column of its own. */
const byDefault = / ?Default: ([^.]+)\.$/;

const helpOf = (key: string): string =>
  (flags.get(key)?.help ?? "")
    .replace(" May be given several times.", "")
    .replace(
      ": 20000000, 20M, 20MB or 20MiB.",
      ". JSON takes a number; the command line also takes 20M, 20MB or 20MiB.",
    );
const defaultOf = (key: string): string => byDefault.exec(helpOf(key))?.[1] ?? "";
const anchor = (heading: string): string => heading.toLowerCase().replaceAll("'", "").replaceAll(" ", "-");

function section(key: string, value: unknown): string {
  const { name, value: takes = "", kind } = flags.get(key) ?? {};
  const often = kind === "list" || kind === "map" ? ", once for each" : "";
  const standard = defaultOf(key) === "" ? "" : ` Default: ${kind === "list" ? defaultOf(key) : code(defaultOf(key))}.`;
  const inFull = kind === "file" ? " REST, MCP and `kubectl` take the PEM itself." : "";
  const words = helpOf(key).replace(byDefault, "") + inFull;
  return `### ${key}

${words}

Flag: ${code(`--${name} ${takes}`)}${often}.${standard} Example: ${code(JSON.stringify({ [key]: value }))}, or
${code(flagsOf(key, value))}.`;
}

/** docs/options.md */
export function optionsPage(): string {
  const examples = examplesOf();
  const overview = Object.entries(groups).map(([heading, group]) => [
    `[${heading}](#${anchor(heading)})`,
    Object.keys(group)
      .map((key) => `[${key}](#${key})`)
      .join(", "),
  ]);
  const sections = Object.entries(groups).map(
    ([heading, group]) =>
      `## ${heading}\n\n${Object.keys(group)
        .map((key) => section(key, examples[key]))
        .join("\n\n")}`,
  );
  return `${generatedFrom("src/resources/options.ts")}

# Options of a copy

Every option of a copy, with its values and an example. For everyone who starts a copy. REST, MCP, \`kubectl\` and the command line take the same options, and none is required:

| where | how to set one |
| --- | --- |
| REST, MCP | the field \`options\`: \`{"options": {"jobs": 4}}\` |
| \`kubectl\` | \`spec.options\` of a Migration |
| command line | a flag, with \`-\` in place of \`_\`; repeat it for each name of a list or map |

\`kubectl explain migration.spec.options\` and \`rowferry copy --help\` say the same as this page.

${markdownTable(["to", "options"], overview)}

${sections.join("\n\n")}
`;
}
