import * as z from "zod";
import type { ReportPart } from "../../requests/migrations/report-pages.ts";
import { inLines } from "../fence.ts";

/** The report of a completed run (docs/report.md) as lines for a model. Together the lists hold all of it. */

const rows = z.object({ source: z.number(), target: z.number() });
const tableSchema = z.object({ source: z.string(), target: z.string(), rows });
const objectSchema = z.object({
  kind: z.string(),
  name: z.string(),
  outcome: z.string(),
  note: z.string().default(""),
  definition: z.string().default(""),
});
const differenceSchema = tableSchema.extend({
  keys: z.array(z.object({ key: z.string(), what: z.string() })),
  differing: z.number().optional(),
});
const madeSchema = z.object({ kind: z.string(), name: z.array(z.string()), id: z.string().optional() });

const element =
  <T>(schema: z.ZodType<T>, linesOf: (one: T) => string[]): ((element: unknown) => string[]) =>
  (found) =>
    linesOf(schema.parse(found)).flatMap(inLines);
const text = (mark: string) => element(z.string(), (words) => [`${mark}: ${words}`]);

const lost = (linesOf: (one: z.output<typeof objectSchema>) => string[]): readonly ReportPart[] => [
  { path: ["inventory"], ofElement: element(objectSchema, (one) => (one.outcome === "reported" ? linesOf(one) : [])) },
];
const because = (note: string): string => (note === "" ? "" : `: ${note}`);

const fieldsBut =
  (lists: readonly string[]) =>
  (name: string, value: unknown): string[] =>
    lists.includes(name) ? [] : inLines(`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);

/** By the name of the list that get-migration-tool takes. */
export const reportLists = {
  report: [{ path: [], ofField: fieldsBut(["tables", "inventory", "warnings", "verification", "made"]) }],
  tables: [
    {
      path: ["tables"],
      ofElement: element(tableSchema, ({ source, target, rows: counted }) => [
        `table ${source} to ${target}: ${counted.source} rows in the source, ${counted.target} in the target`,
      ]),
    },
  ],
  inventory: [
    {
      path: ["inventory"],
      ofElement: element(objectSchema, ({ outcome, kind, name, note }) => [
        `${outcome} ${kind} ${name}${because(note)}`,
      ]),
    },
  ],
  not_copied: lost(({ kind, name, note }) => [`not copied, or changed: ${kind} ${name}${because(note)}`]),
  definitions: lost(({ kind, name, definition }) =>
    definition === "" ? [] : [`definition of ${kind} ${name}:`, ...definition.split(/\r\n|\r|\n/)],
  ),
  warnings: [{ path: ["warnings"], ofElement: text("warning") }],
  verification: [
    { path: ["verification"], ofField: fieldsBut(["differences", "uncompared"]) },
    {
      path: ["verification", "differences"],
      ofElement: element(differenceSchema, ({ source, target, rows: counted, keys, differing }) => [
        `difference in ${source} and ${target}: ${counted.source} rows in the source, ${counted.target} in the target${differing === undefined ? "" : `, ${differing} rows differ`}`,
        ...keys.map(({ key, what }) => `${what} row with the key ${key}`),
      ]),
    },
    { path: ["verification", "uncompared"], ofElement: text("not compared") },
  ],
  made: [
    {
      path: ["made"],
      ofElement: element(madeSchema, ({ kind, name, id }) => [
        `made ${kind} ${name.join(".")}${id === undefined ? "" : `, id ${id}`}`,
      ]),
    },
  ],
} as const satisfies Record<string, readonly ReportPart[]>;

export type ReportList = keyof typeof reportLists;
