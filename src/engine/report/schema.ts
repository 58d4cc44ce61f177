import * as z from "zod";
import type { CopyReport } from "../contract/index.ts";
import { serverEngines } from "../contract/text/engine-name.ts";

/** The shape of a report, as JSON; `docs/report.schema.json` is made from it. New fields may be added, none change their meaning. */

const whole = z.int().min(0);
const server = (which: string) =>
  z
    .object({ engine: z.enum(serverEngines).describe("The engine."), version: z.string() })
    .describe(`The ${which}'s server.`);
const pair = z.object({ source: whole, target: whole });

const inventoryEntrySchema = z.object({
  kind: z.string().describe("Kind of object, in lower case: table, index, view, routine…"),
  name: z.string().describe("Qualified name in the source."),
  outcome: z
    .enum(["copied", "converted", "reported", "not_applicable"])
    .describe(
      "`copied` unchanged; `converted` to an equivalent; `reported`: not copied or changed; `not_applicable`: skipped by an option, or computed by the target. `note` has the reason.",
    ),
  note: z.string().exactOptional().describe("How it was converted, or why it was not copied or was changed."),
  definition: z
    .string()
    .exactOptional()
    .describe("The source's own text of an object that was not copied, so that a person can finish it."),
});

const differenceSchema = z.object({
  source: z.string().describe("The table in the source."),
  target: z.string().describe("The table in the target."),
  rows: pair.describe("Rows on both sides."),
  keys: z
    .array(z.object({ key: z.string(), what: z.enum(["missing", "extra", "different"]) }))
    .describe("The keys of at most 20 rows that differ, as JSON texts; never values of other columns."),
  differing: whole.exactOptional().describe("Rows that differ, where all were looked at."),
});

const verificationSchema = z.object({
  level: z.enum(["counts", "checksum"]).describe("The comparison: numbers of rows, or every value."),
  rows: whole.describe("Rows compared."),
  tables: whole.describe("Tables compared."),
  differences: z.array(differenceSchema).describe("Tables whose values differ."),
  uncompared: z.array(z.string()).describe("Columns that could not be compared: `schema.table.column: reason`."),
});

const madeSchema = z.object({
  kind: z.string(),
  name: z.array(z.string()).describe("Names from outside in, unquoted; of `large objects`, ranges of oids."),
  id: z
    .string()
    .exactOptional()
    .describe("Identity in the target; nothing is dropped that has not this one. Large objects have their oids alone."),
});

const snapshotSchema = z
  .object({
    connections: whole.describe("How many connections read it. All see the same state."),
    binlog: z
      .object({ file: z.string(), offset: whole })
      .exactOptional()
      .describe("MySQL and MariaDB: position of the binary log after it."),
    gtid: z
      .string()
      .exactOptional()
      .describe("MySQL: the set of GTIDs in it. MariaDB: the last GTID of each domain in it."),
    lsn: z.string().exactOptional().describe("PostgreSQL: the write-ahead log's position shortly before it."),
    transactions: z
      .string()
      .exactOptional()
      .describe("PostgreSQL: which transactions are in it, as `xmin:xmax:xip,…` of txid_current_snapshot()."),
  })
  .describe(
    "The state of the source that was copied. A field is absent if the server or the user's rights do not show it.",
  );

export const reportSchema = z
  .object({
    type: z.enum(["transfer", "conversion"]).describe("Between servers of one engine, or across engines."),
    source: server("source"),
    target: server("target")
      .extend({
        database: z.string().exactOptional().describe("Where it was made; a reset drops nothing elsewhere."),
        address: z.string().exactOptional().describe("`host:port`, as the target's URL named it."),
        identity: z
          .string()
          .exactOptional()
          .describe("Identifies the server, or the database in it. Compare it, but do not parse it."),
      })
      .describe("The target's server and database; a reset drops nothing where one of these is another."),
    started_at: z.iso.datetime(),
    finished_at: z.iso.datetime(),
    size: whole.describe("Size of the source in bytes."),
    snapshot: snapshotSchema.exactOptional(),
    tables: z
      .array(z.object({ source: z.string(), target: z.string(), rows: pair }))
      .describe("Every table that was copied, with the rows counted on both sides."),
    inventory: z.array(inventoryEntrySchema).describe("Every object of the source and what became of it."),
    warnings: z.array(z.string()).describe("Warnings for a person, in sentences."),
    changed_columns: whole
      .exactOptional()
      .describe(
        "Number of columns in which the copy changed values to fit the target, such as NUL bytes removed or zero dates set to NULL. Warnings name each. 0 if absent.",
      ),
    made: z
      .array(madeSchema)
      .describe("Objects that the run made in the target, in order; a reset drops these and nothing else."),
    content: z
      .enum(["schema", "data"])
      .exactOptional()
      .describe(
        "The requested part of the copy, unless it was everything. With `schema` no rows were read or counted.",
      ),
    verification: verificationSchema
      .exactOptional()
      .describe("Result of the comparison of values, if it was requested."),
    resumed: z
      .object({ kept: z.array(z.string()), copied_again: z.array(z.string()) })
      .exactOptional()
      .describe(
        "Tables that an earlier attempt had finished: kept, since they were verified as equal, or copied again.",
      ),
  })
  .describe("Result of a copy, with the outcome of every object of the source.");

/** The schema as draft 2020-12, for docs/ and for other programs. */
export const reportJsonSchema = (): object => ({
  title: "Rowferry report",
  ...z.toJSONSchema(reportSchema, { target: "draft-2020-12", io: "input" }),
});

/** Names of fields before version 0.1.0 had all of them in snake_case, and of engines before all directions had one. */
const renamed = (text: string): string =>
  text
    .replace(
      /"(startedAt|finishedAt|copiedAgain)":/g,
      (_, name: string) => `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}":`,
    )
    .replace(/"engine":\s*"(?:MySQL|MariaDB|PostgreSQL)"/g, (found) =>
      found.toLowerCase().replace("postgresql", "postgres"),
    );

/** A report from a file or an archive, also of an earlier version. Undefined when it is none. */
export function readReport(text: string): CopyReport | undefined {
  try {
    const json = JSON.parse(renamed(text)) as { report?: unknown };
    // A run's archive, and what `--json` prints, hold the report beside other things.
    return reportSchema.parse(json.report ?? json);
  } catch {
    return undefined;
  }
}
