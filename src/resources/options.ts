import * as z from "zod";
import { rules } from "./schema.ts";

/**
 * How to copy: the Migration's `spec.options`, and with - for _ the flags of the command line. The keys are those of the
 * engine's CopyOptions, beside two CAs; descriptions serve `kubectl explain` and `rowferry copy --help`.
 * Everything is bounded: a Migration is kept in etcd whole.
 */

/** PostgreSQL's names have 63 bytes, MySQL's 64 characters: a schema, a dot and a table, with room for patterns. */
const longestName = 140;
const mostNames = 1000;

const names = (what: string) =>
  z
    .array(z.string().min(1).max(longestName))
    .max(mostNames)
    .describe(what)
    .meta({ "x-kubernetes-list-type": "atomic" });

const typesDescription = "write a column as table.column or schema.table.column";
const notPem = "a CA is PEM: it begins with -----BEGIN CERTIFICATE-----";

const pem = (whose: string) =>
  z
    .string()
    .max(16_384)
    .regex(/-----BEGIN (TRUSTED )?CERTIFICATE-----/, notPem)
    .describe(
      `PEM of the CA that signed the ${whose}'s certificate, instead of the key ca.crt beside the URL in the Secret. The certificate is then verified in full unless the URL's sslmode says otherwise. The clouds' public CAs are known without it.`,
    )
    .meta(
      rules([
        "self.contains('-----BEGIN CERTIFICATE-----') || self.contains('-----BEGIN TRUSTED CERTIFICATE-----')",
        notPem,
      ]),
    );

// No lookahead: readers of the documents that are made from it have none.
const dateOrWord =
  /^(null|fail|([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]))$/;

export const optionsSchema = z.object({
  jobs: z
    .int()
    .min(1)
    .max(16)
    .default(2)
    .describe("Number of tables or parts of tables that are copied at the same time."),
  include: names(
    "Copy these tables and no others. Write `table` or `schema.table` with the source's names (in MySQL the schema is the database). `*` matches any characters; put a name with a dot in double quotes. A pattern that matches no table is refused. Between PostgreSQL servers, a table that cannot exist without a table that is not included (a partition, an inheriting table) is refused as well. Default: all.",
  ).exactOptional(),
  exclude: names(
    "Skip these tables and views. Patterns are written as in `include`, and win over it. Objects that depend on them (views, foreign keys) are skipped too, and the report names them. Between PostgreSQL servers, a warning names each table that is skipped with them. Default: none.",
  ).exactOptional(),
  schemas: z
    .record(z.string().min(1).max(64), z.string().max(64))
    .describe(
      "Rename schemas: source schema (in MySQL the database) to target schema. In a MySQL target the value is a prefix of the tables' names; empty for none. Other schemas keep their names. Between PostgreSQL servers it is refused.",
    )
    .meta({ maxProperties: 100 })
    .refine((value) => Object.keys(value).length <= 100, "names at most 100 schemas")
    .exactOptional(),
  content: z
    .enum(["all", "schema", "data"])
    .default("all")
    .describe(
      "Copy `all`, the `schema` without rows, or the `data` into existing tables with the same columns. With `data`, a value that does not fit into a column fails the run before a row is written.",
    ),
  drop: names(
    "Existing tables of the target that the copy may drop with their rows (with `content: data`: empty). If another object depends on one of them, no table is dropped. Write `table` or `schema.table` with the exact names; put a name with a dot in double quotes. If another table of the copy exists in the target, the run fails before anything is written. Default: none.",
  ).exactOptional(),
  verify: z
    .enum(["counts", "checksum"])
    .default("counts")
    .describe(
      "Verify the copy by `counts`: every table's row count and the inventory of objects. `checksum` also compares the values of every row, which takes about as long as another read of both sides.",
    ),
  bandwidth: z
    .int()
    .min(1024)
    .max(1_000_000_000_000)
    .describe("Read at most this many bytes a second from the source, over all connections. Default: no limit.")
    .exactOptional(),
  definers: z
    .enum(["keep", "target-user", "invoker"])
    .default("keep")
    .describe(
      "Definer of views and routines in a MySQL target: `keep`, `target-user` or `invoker`. `keep` sets the source's definer if the target has that account, else the target's user, and the report names it.",
    ),
  zero_dates: z
    .string()
    .max(10)
    .regex(dateOrWord, "is null, fail or a date such as 1970-01-01")
    .default("null")
    .describe(
      "Convert MySQL's dates with a zero, such as 0000-00-00, which PostgreSQL does not have. Use `null`, a date such as 1970-01-01, or `fail`, which fails the run and names the column.",
    )
    .meta(
      rules([
        "self in ['null', 'fail'] || !self.startsWith('0000') && self.matches('^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$')",
        "zero_dates is null, fail or a date such as 1970-01-01",
      ]),
    ),
  types: z
    .record(
      z.string().min(3).max(210).meta({ pattern: "\\." }),
      z.string().min(1, "gives a column no type").max(200, "gives a type of more than 200 characters"),
      { error: ({ code }) => (code === "invalid_key" ? typesDescription : undefined) },
    )
    .describe(
      "Choose the target's type of a column: `table.column` or `schema.table.column` to a type as the target writes it, such as numeric(20,0) or DATETIME(3). Put a name with a dot in double quotes. A value that does not fit fails the run before a row is written. Only for copies across engines.",
    )
    .meta({
      maxProperties: 200,
      ...rules([
        "self.all(column, column.contains('.'))",
        "write a column in types as table.column or schema.table.column",
      ]),
    })
    .refine((value) => Object.keys(value).length <= 200, "names at most 200 columns")
    .refine((value) => Object.keys(value).every((column) => column.includes(".")), typesDescription)
    .exactOptional(),
  statement_timeout: z
    .int()
    .min(0)
    .max(604_800)
    .default(0)
    .describe("End a statement that takes longer than this on either server, in seconds; 0 for no limit."),
  source_locks: z
    .enum(["auto", "require", "none"])
    .default("auto")
    .describe(
      "Lock the source's tables for a moment at the start of the snapshot. `auto` locks if the rights allow it and the lock is free within three tries of 2 seconds. Otherwise one connection reads instead of several, with a warning. `require` fails without the lock; `none` never locks.",
    ),
  on_object_error: z
    .enum(["report", "fail"])
    .default("report")
    .describe(
      "If the target refuses an object, `report` lists it as not copied and `fail` ends the run. This applies to non-unique indexes, checks, foreign keys, views, triggers, rules, policies, statistics and rows of materialized views. Between PostgreSQL servers, a refused key, check, view or restrictive policy always ends it.",
    ),
  blocking_timeout: z
    .int()
    .min(1)
    .max(604_800)
    .default(30)
    .describe(
      "Seconds that another session (ALTER TABLE, TRUNCATE, a flush of tables) may wait for a lock of the copy on the source. Then a copy from PostgreSQL releases the lock of a table that is copied and is not read again. Tables with generated columns are read again, and with `verify: checksum` all. Otherwise the run ends with `source_changed`. MySQL and MariaDB keep their locks until all rows are copied; at a flush the copy first reads the table again, up to 3 times.",
    ),
  stall_timeout: z
    .int()
    .min(0)
    .max(604_800)
    .default(600)
    .describe("End the run after this many seconds without any progress, and name the cause; 0 for never."),
  source_ca: pem("source").exactOptional(),
  target_ca: pem("target").exactOptional(),
});

/** As stored and as the engine takes them: defaults are filled in. */
export type Options = z.output<typeof optionsSchema>;
