import { describe, expect, expectTypeOf, it } from "vitest";
import type * as z from "zod";
import type { CopyReport } from "../contract/index.ts";
import { reportPage } from "./page.ts";
import { readReport, reportJsonSchema, reportSchema } from "./schema.ts";
import { reportMarkdown, reportSummary } from "./text.ts";

const hostile = `<img src=x onerror=alert(1)>&"'\`|*[x](y)\u0007\u001b[31m\u202e\n]]>-->`;

const report: CopyReport = {
  type: "conversion",
  source: { engine: "mysql", version: "9.7.1" },
  target: { engine: "postgres", version: "18.6" },
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:03:20.000Z",
  size: 823_000_000,
  snapshot: {
    connections: 4,
    binlog: { file: "binlog.000012", offset: 4711 },
    gtid: "0-1-99",
    lsn: "0/16B3748",
    transactions: "10:12:10",
  },
  tables: [
    { source: "shop.orders", target: "public.orders", rows: { source: 1_234_567, target: 1_234_567 } },
    { source: hostile, target: hostile, rows: { source: 0, target: 0 } },
  ],
  inventory: [
    { kind: "table", name: "shop.orders", outcome: "copied" },
    { kind: "index", name: "shop.orders.by_day", outcome: "converted", note: "left(day, 10)" },
    {
      kind: "event",
      name: hostile,
      outcome: "reported",
      note: hostile,
      definition: `CREATE EVENT\n\t${hostile}\n\`\`\`\``,
    },
    { kind: "grant", name: "root", outcome: "not_applicable", note: "no such role" },
  ],
  warnings: [hostile],
  changed_columns: 0,
  made: [{ kind: "table", name: ["public", hostile], id: "1259:1" }],
  verification: { level: "checksum", rows: 1_234_567, tables: 2, differences: [], uncompared: [hostile] },
  resumed: { kept: ["a"], copied_again: [] },
};

const differing: CopyReport = {
  ...report,
  inventory: [],
  verification: {
    level: "checksum",
    rows: 10,
    tables: 1,
    uncompared: [],
    differences: [
      {
        source: "a",
        target: hostile,
        rows: { source: 5, target: 5 },
        keys: [{ key: `[${JSON.stringify(hostile)}]`, what: "different" }],
        differing: 1,
      },
    ],
  },
};

const withoutRows: CopyReport = {
  ...report,
  content: "schema",
  tables: [{ source: "shop.orders", target: "public.orders", rows: { source: 0, target: 0 } }],
};

it("a report of a copy without rows says nothing of their number", () => {
  const texts = [reportPage(withoutRows), reportMarkdown(withoutRows), reportSummary(withoutRows)];
  for (const text of texts) {
    expect(text).toContain("Made 1 table without rows, as requested.");
    expect(text).not.toMatch(/were counted|rows read|rows there|0 rows/i);
  }
});

describe("the schema", () => {
  it("is the contract's, and takes a report with everything in it", () => {
    expectTypeOf<z.output<typeof reportSchema>>().toExtend<CopyReport>();
    expectTypeOf<keyof z.output<typeof reportSchema>>().toEqualTypeOf<keyof CopyReport>();
    for (const one of [report, differing, withoutRows]) expect(reportSchema.parse(one)).toEqual(one);
    expect(JSON.stringify(reportJsonSchema())).toContain("2020-12");
  });

  it("reads a report alone, in an archive, and nothing else", () => {
    expect(readReport(JSON.stringify(report))).toEqual(report);
    expect(readReport(JSON.stringify({ report, log: [] }))).toEqual(report);
    const earlier = JSON.stringify(report, null, 2).replace('"mysql"', '"MySQL"').replace('"postgres"', '"PostgreSQL"');
    expect(readReport(earlier)).toEqual(report);
    for (const text of ["", "{}", "null", '{"report":{}}', "[1]"]) expect(readReport(text)).toBeUndefined();
  });
});

describe.each([
  ["a whole report", report],
  ["one with differences", differing],
])("the page of %s", (_name, one) => {
  const page = reportPage(one, hostile);

  it("takes no text from a database for HTML, and shows what is not seen", () => {
    expect(page).not.toMatch(/<img|<script|onerror=alert\(1\)>|javascript:/);
    expect(page).toContain("&lt;img src=x onerror=alert(1)&gt;&amp;&quot;&#39;");
    expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202e]/);
    expect(page).toContain("\\u001b[31m\\u202e");
  });

  it("closes every element that it opens, in order, and uses no id twice", () => {
    const open: string[] = [];
    for (const [, close, tag = ""] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (tag === "meta") continue;
      if (close === "") open.push(tag);
      else expect(open.pop()).toBe(tag);
    }
    expect(open).toEqual([]);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  it("loads nothing", () => {
    expect(page).not.toMatch(/\b(src|href)="(?!#)|url\(|@import/);
    expect(page).toContain("default-src 'none'");
  });
});

it("every field is in snake_case; a report of an earlier version is read too", () => {
  const names = [
    ...JSON.stringify(reportJsonSchema()).matchAll(/"([A-Za-z_]+)":\{"(?:type|description|anyOf|items)"/g),
  ];
  expect(names.length).toBeGreaterThan(20);
  expect(names.map(([, name = ""]) => name).filter((name) => /[A-Z]/.test(name))).toEqual([]);
  const earlier = JSON.stringify(report)
    .replace('"started_at":', '"startedAt":')
    .replace('"finished_at":', '"finishedAt":')
    .replace('"copied_again":', '"copiedAgain":');
  expect(earlier).toContain("startedAt");
  expect(readReport(earlier)).toEqual(report);
});

it("the page and the text say what was not copied, with the source's own words", () => {
  expect(reportPage(report)).toContain("CREATE EVENT\n\t&lt;img");
  const text = reportMarkdown(report);
  expect(text).toContain("`````sql\nCREATE EVENT\n\t<img");
  expect(text).toContain(
    "Copied and verified 2 tables with 1,234,567 rows: every value was compared. 1 source object was not copied or was changed: 1 event.",
  );
  expect(text).toContain("- Took: 3m20s");
});

it("values that were changed are not called equal", () => {
  const said =
    "every value was compared, after values in 2 columns were changed to fit the target (see the warnings). ";
  for (const text of [reportPage, reportMarkdown, reportSummary].map((make) => make({ ...report, changed_columns: 2 })))
    expect(text).toContain(said);
});

it("text for a terminal has nothing that it would obey", () => {
  for (const text of [reportMarkdown(report), reportMarkdown(differing), reportSummary(report)])
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(reportSummary(report).split("\n")).toHaveLength(18);
});

it("the summary lists warnings, and first the objects that an application would miss first", () => {
  const lost = ["grants", "comment", "trigger", "view", "constraint"].map((kind) => ({
    ...{ kind, name: "n", outcome: "reported" as const },
  }));
  const text = reportSummary({ ...report, inventory: lost, warnings: ["a is weaker", "b is lost"] }, { most: 4 });
  expect(text).toContain("\nWarnings:\n  a is weaker\n  b is lost\n");
  expect(text.split("Not copied, or changed:\n")[1]).toBe(
    "  view n\n  trigger n\n  constraint n\n  comment n\n  and 1 more, in the report (--report FILE)",
  );
  expect(reportSummary({ ...report, inventory: lost }, { most: 4, stored: true })).toMatch(
    /and 1 more, in the report$/,
  );
  expect(text).toContain("1 grant,");
});

it("Markdown keeps a hostile name within its code span, and its table's cell", () => {
  const row = reportMarkdown(report)
    .split("\n")
    .find((line) => line.startsWith("| ``"));
  expect(row?.replace(/\\\|/g, "").split("|")).toHaveLength(6);
});

it("says which tables differ, with the keys of the rows", () => {
  for (const text of [reportPage(differing), reportMarkdown(differing), reportSummary(differing)])
    expect(text).toContain("1 table of the target differs from the source.");
  expect(reportMarkdown(differing)).toContain("differ (1 row)");
});

it("thousands of objects make one page", () => {
  const many = Array.from({ length: 20_000 }, (_, i) => ({
    kind: "column",
    name: `t.c${i}`,
    outcome: "copied" as const,
  }));
  expect(reportPage({ ...report, inventory: many }).length).toBeGreaterThan(20_000);
});

it("the summary writes the same reason once, without the draft of a view", () => {
  const one = (kind: string, name: string, note: string) => ({ kind, name, note, outcome: "reported" as const });
  const inventory = [
    ...["a", "b", "c", "d", "e", "f"].map((name) => one("trigger", name, "its code is not translated")),
    one("view", "v", "not translated: why; draft: SELECT 1"),
  ];
  expect(reportSummary({ ...report, inventory }, { stored: true }).split("Not copied, or changed:\n")[1]).toBe(
    "  view v: not translated: why (a draft is in the report)\n  trigger a, b, c, d, e and 1 more: its code is not translated",
  );
});
