import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { lexer, walkTokens } from "marked";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { describeApi } from "../../dev/pages/api-description.ts";
import { dataTypeOf, samplesFromMysql } from "../../dev/pages/types-from-mysql.ts";
import { samplesFromPostgres } from "../../dev/pages/types-from-postgres.ts";
import { longestLine, wrapped } from "../../dev/pages/wrap.ts";
import { contents } from "../../src/api/docs/contents.ts";
import { readPages } from "../../src/api/docs/pages.ts";
import { createSlugs, plainOf } from "../../src/api/docs/render.ts";
import { createSite } from "../../src/api/docs/site.ts";
import { commands } from "../../src/cli/command.ts";
import { runCodeGroups } from "../../src/engine/contract/codes/index.ts";
import type { RunCodeEntry } from "../../src/engine/contract/codes/types.ts";
import { problems } from "../../src/requests/errors.ts";
import { sourceFiles } from "./imports.ts";

const root = resolve(import.meta.dirname, "../..");
const pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "charts/rowferry/README.md"].concat(
  readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
);
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The anchors of a page's headings. */
const anchorsIn = (page: string): Set<string> => {
  const slugs = createSlugs();
  const headings = lexer(read(page)).flatMap((token) =>
    token.type === "heading" ? [plainOf(token.tokens ?? [])] : [],
  );
  return new Set(headings.map(slugs));
};

it("each test that SECURITY.md and docs/operations.md name is there", () => {
  const named = ["SECURITY.md", "docs/operations.md"].flatMap((page) => read(page).match(/`test\/[^`]+`/g) ?? []);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(root, path.slice(1, -1))))).toEqual([]);
});

it("each line of what a stolen credential can do names a test that is there, by file and title", () => {
  const [, section = ""] = read("docs/operations.md").split("### Stolen credentials\n");
  const [table = ""] = section.split("\n### ");
  const rows = table.split("\n").filter((line) => /^\| (?!credential|-)/.test(line));
  expect(rows.length).toBeGreaterThan(15);
  const lacking = rows.filter((row) => {
    const [, can, path = "", title = ""] = /\| (yes|no) +\| `(test\/[^`]+)`: "(.+)" +\|$/.exec(row) ?? [];
    // As it is written in the source: in quotes of its own.
    return can === undefined || !existsSync(join(root, path)) || !read(path).includes(`"${title}"`);
  });
  expect(lacking).toEqual([]);
});

it("On this page of the endpoints has every endpoint", () => {
  const site = createSite(readPages(join(root, "docs")), "https://rowferry.example");
  const html = site.documents.get("/docs/endpoints")?.text() ?? "";
  const [list = ""] = /<nav class="here"[\s\S]*?<\/nav>/.exec(html) ?? [];
  const { paths } = describeApi() as { paths: Record<string, Record<string, { summary: string }>> };
  const summaries = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ summary }) => summary));
  expect(summaries.length).toBeGreaterThan(40);
  expect(summaries.filter((summary) => !list.includes(`>${summary.replace(/'/g, "&#39;")}</a>`))).toEqual([]);
});

const mostInCell = 200;
describe("a table's cell has one fact: longer text is below the table", () => {
  it.each(pages)("in %s", (page) => {
    const rows = read(page)
      .split("\n")
      .filter((line) => /^\| (?!-)/.test(line));
    const cells = rows.flatMap((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
    expect(cells.filter((cell) => cell.length > mostInCell)).toEqual([]);
  });
});

describe("a link between pages leads somewhere, to a heading that is there", () => {
  it.each(pages)("in %s", (page) => {
    const targets = [...read(page).matchAll(/\]\(([^)#:]*)(#[^)]*)?\)/g)];
    const broken = targets.filter(([, file = "", anchor = ""]) => {
      const path = file === "" ? page : join(dirname(page), file);
      if (!existsSync(join(root, path))) return true;
      return anchor !== "" && path.endsWith(".md") && !anchorsIn(path).has(anchor.slice(1));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

it("every page of docs/ is among those that the API serves", () => {
  const listed = contents.flatMap(({ entries }) => entries.map(({ name }) => `docs/${name}.md`));
  expect(listed.toSorted()).toEqual(pages.filter((page) => page.startsWith("docs/")).sort());
});

describe(`lines of prose wrap at ${longestLine} characters (npm run docs does it in docs/)`, () => {
  it.each(pages)("in %s", (page) => {
    const lines = new Set(read(page).split("\n"));
    const tooLong = wrapped(read(page))
      .split("\n")
      .filter((line) => !lines.has(line));
    expect(tooLong).toEqual([]);
  });
});

describe("a paragraph has at most five lines", () => {
  const written = pages.filter((page) => page.startsWith("docs/") && !read(page).startsWith("<!-- Generated"));
  it.each(written)("in %s", (page) => {
    const long: string[] = [];
    void walkTokens(lexer(read(page)), (token) => {
      const { type, raw } = token;
      if ((type === "paragraph" || type === "text") && raw.trimEnd().split("\n").length > 5) long.push(raw);
    });
    expect([...new Set(long)]).toEqual([]);
  });
});

it("the first paragraph of every page names its readers", () => {
  const readers =
    /\bfor (?:\w+ )?(?:administrators|contributors|developers|engineers|everyone|people|readers|teams|users)\b/i;
  const listed = readPages(join(root, "docs")).sections.flatMap(({ pages }) => pages);
  const headless = listed.filter(({ name }) => {
    const [, head = ""] = /^# .+\n\n((?:.+\n)+)/m.exec(read(`docs/${name}.md`)) ?? [];
    return !readers.test(head.replaceAll("\n", " "));
  });
  expect(headless.map(({ name }) => name)).toEqual([]);
});

it("no page has a placeholder whose text is still missing", () => {
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  expect(pages.length).toBeGreaterThan(20);
  const placeholder = /@@\w+@@|\b(?:TODO|FIXME|TBD)\b/;
  expect(pages.filter((name) => placeholder.test(read(`docs/${name}`)))).toEqual([]);
});

it("every Deployment that a page names is the chart's", () => {
  const folder = "charts/rowferry/templates";
  const templates = readdirSync(join(root, folder)).map((name) => read(`${folder}/${name}`));
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/\bdeploy(?:ment)?\/([a-z-]+)/g)].map(([, name = ""]) => name),
  );
  expect(named.length).toBeGreaterThan(3);
  const known = (name: string) => templates.some((text) => new RegExp(`^(?: {2}name: )?${name}$`, "m").test(text));
  expect([...new Set(named)].filter((name) => !known(name))).toEqual([]);
});

it("every npm script that a page names exists", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run ([a-z][a-z:-]*)/g)].map((match) => match[1] ?? ""),
  );
  expect([...new Set(named)].filter((name) => scripts[name] === undefined)).toEqual([]);
});

it("every reason that the conditions of a Migration or a backup can have is explained", () => {
  const rooms = ["jobs", "migration", "backup-run", "backup-schedule"].map((room) => `controllers/${room}`);
  const found = sourceFiles(root, rooms)
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ text }) => [...text.matchAll(/reason: "([A-Za-z]+)", ?\n? *message/g)].map((match) => match[1] ?? ""));
  expect(found.length).toBeGreaterThan(10);
  const ofTeams = [...read("controllers/team/decide.ts").matchAll(/\bsay\(\s*"([A-Za-z]+)"/g)].map(
    (match) => match[1] ?? "",
  );
  expect(ofTeams).toContain("NamespaceTaken");
  found.push(...ofTeams);
  const operations = read("docs/operations.md");
  expect([...new Set(found)].filter((reason) => !operations.includes(`\`${reason}\``))).toEqual([]);
});

it("every code that a run can end with is explained under a heading of its own, and its earlier names too", () => {
  const page = read("docs/run-errors.md");
  const headings = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  const groups: readonly Record<string, RunCodeEntry>[] = Object.values(runCodeGroups);
  const entries = groups.flatMap((group) => Object.entries(group));
  expect(entries.length).toBeGreaterThan(70);
  expect(headings).toEqual(entries.map(([code]) => code));
  const earlier = entries.flatMap(([, { formerly = [] }]) => formerly);
  expect(earlier).toContain("count_mismatch");
  expect(earlier.filter((code) => !page.includes(`\`${code}\``) || headings.includes(code))).toEqual([]);
});

it("every code of the registry is one that something ends a run with", () => {
  const texts = sourceFiles(root, ["src", "controllers"])
    .filter(({ path }) => !path.endsWith(".test.ts") && !path.startsWith("src/engine/contract/codes/"))
    .map(({ text }) => text);
  const codes = Object.values(runCodeGroups).flatMap((group) => Object.keys(group));
  expect(codes.filter((code) => !texts.some((text) => text.includes(`"${code}"`)))).toEqual([]);
});

it("every type that the engine knows across engines is in the tables of types", () => {
  const casesOf = (path: string) => [...read(path).matchAll(/case "(\w+)":/g)].map(([, name = ""]) => name);
  const keysOf = (path: string) =>
    [...read(path).matchAll(/^ {2}(\w+): (?:\d+|\[".*\]),$/gm)].map(([, name = ""]) => name);
  const ofMysql = casesOf("src/engine/plan/mysql-postgres/columns/types.ts");
  const postgres = "src/engine/plan/postgres-mysql/columns/types.ts";
  const ofPostgres = [...casesOf(postgres), ...keysOf(postgres)];
  expect([ofMysql.length, ofPostgres.length].every((count) => count > 25)).toBe(true);
  const shownOfMysql = new Set(samplesFromMysql.map(dataTypeOf));
  const shownOfPostgres = new Set(samplesFromPostgres.map(({ written, type = written }) => type));
  expect(ofMysql.filter((name) => !shownOfMysql.has(name) && name !== "geometrycollection")).toEqual([]);
  expect(ofPostgres.filter((name) => !shownOfPostgres.has(name))).toEqual([]);
});

it("every command is on the command line's page, with its words", () => {
  const page = read("docs/cli.md");
  const missing = commands.filter(({ name, words }) => !page.includes(`\`rowferry ${name} ${words.join(" ")}\``));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

it("the days after which URLs are removed are the chart's, wherever they are told", () => {
  const [, days] = /^sealedUrls:\n(?: .*\n)*? {2}keptDays: (\d+)$/m.exec(read("charts/rowferry/values.yaml")) ?? [];
  expect(Number(days)).toBeGreaterThan(0);
  const flat = (path: string) => read(path).replace(/\s+/g, " ");
  expect(flat("docs/rest.md")).toContain(`removes a migration's URLs ${days} days after it ended`);
  expect(flat("docs/operations.md")).toContain(`the word \`expired\` ${days} days after the run ended`);
  expect(flat("docs/endpoints.md")).toContain(`the installation's, which is ${days} unless`);
});

it("every metric is explained to whoever runs it", () => {
  const found = sourceFiles(root, ["src", "controllers"])
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ text }) => [...text.matchAll(/"(rowferry_[a-z_]+|process_[a-z_]+)"/g)].map(([, name = ""]) => name));
  expect(found.length).toBeGreaterThan(10);
  const page = read("docs/install.md");
  expect([...new Set(found)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

/** The names in the first column of the table whose head begins with `head`. */
const namesInTable = (page: string, head: string): string[] => {
  const [table = ""] = (read(page).split(`\n| ${head}`)[1] ?? "").split("\n\n");
  return table
    .split("\n")
    .slice(2)
    .flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
};

it("the page of the report has every field of its schema, and every outcome", () => {
  interface Schema {
    properties: Record<string, Schema>;
    items: Schema;
    enum: string[];
  }
  const { properties } = JSON.parse(read("docs/report.schema.json")) as Schema;
  expect(namesInTable("docs/report.md", "field  ").toSorted()).toEqual(Object.keys(properties).sort());
  const outcomes = properties.inventory?.items.properties.outcome?.enum;
  expect(namesInTable("docs/report.md", "outcome").toSorted()).toEqual(outcomes?.toSorted());
});

describe("the page of the Migration", () => {
  interface Schema {
    properties?: Record<string, Schema>;
    enum?: string[];
  }
  const { spec } = parse(read("crds/migrations.rowferry.dev.yaml")) as {
    spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
  };
  const schema = spec.versions[0]?.schema.openAPIV3Schema;

  it("has every state", () => {
    const states = schema?.properties?.status?.properties?.state?.enum;
    expect(namesInTable("docs/migration.md", "`status.state`").toSorted()).toEqual(states?.toSorted());
  });

  it("names no field that the resource lacks", () => {
    const named = [...read("docs/migration.md").matchAll(/`((?:spec|status)(?:\.\w+)+)[`:]/g)].map(
      ([, path = ""]) => path,
    );
    expect(named.length).toBeGreaterThan(8);
    const exists = (path: string) =>
      path.split(".").reduce<Schema | undefined>((at, name) => at?.properties?.[name], schema) !== undefined;
    expect(named.filter((path) => !exists(path))).toEqual([]);
  });
});

it("every code of an error of REST is explained", () => {
  const headings = [...read("docs/errors.md").matchAll(/^## (\w+)$/gm)].map((match) => match[1]);
  expect(headings.toSorted()).toEqual(Object.keys(problems).sort());
});

it("no file of the source is larger than a reader takes in at once", () => {
  const large = sourceFiles(root, ["src", "controllers", "dev"]).filter(({ text }) => text.length > 14 * 1024);
  expect(large.map(({ path }) => path)).toEqual([]);
});
