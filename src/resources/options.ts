import * as z from "zod";

/**
 * How to copy: the Migration's `spec.options`, and with - for _ the flags of the command line. The keys are those of the
 * engine's CopyOptions, beside two CAs; descriptions serve `kubectl explain` and `rowferry copy --help`.
 * Everything is bounded: a Migration is kept in etcd whole.
 */

/** PostgreSQL's names have 63 bytes, MySQL's 64 characters: a schema, a dot and a table, with room for patterns. */
const longestName = 140;
const mostNames = 1000;

/** A rule for the API server and for zod alike, with the sentence that tells the fix. */
const rule = (cel: string, message: string) => ({
  "x-kubernetes-validations": [{ rule: cel, message }],
});

const names = (what: string) =>
  z
    .array(z.string().min(1).max(longestName))
    .max(mostNames)
    .describe(what)
    .meta({ "x-kubernetes-list-type": "atomic" });

const typesWords = "write a column as table.column or schema.table.column";
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
      rule(
        "self.contains('-----BEGIN CERTIFICATE-----') || self.contains('-----BEGIN TRUSTED CERTIFICATE-----')",
        notPem,
      ),
    );

const dateOrWord = /^(null|fail|(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]))$/;

export const optionsSchema = z.object({
  jobs: z
    .int()
    .min(1)
    .max(16)
    .default(2)
    .describe("Number of tables or parts of tables that are copied at the same time."),
  include: names(
    "Tables to copy, and no others: `table` or `schema.table` as the source calls them (in MySQL the schema is the database), `*` for any characters, a name that has a dot in double quotes. A pattern that matches no table is refused. Default: all.",
  ).exactOptional(),
  exclude: names(
    "Tables and views to leave out, written like include and stronger than it. What depends on them (views, foreign keys) is left out too and named in the report. Default: none.",
  ).exactOptional(),
  schemas: z
    .record(z.string().min(1).max(64), z.string().max(64))
    .describe(
      "Source schema (in MySQL the database) to target schema; into MySQL, to a prefix of the tables' names, empty for none. Schemas that are not named keep their names.",
    )
    .meta({ maxProperties: 100 })
    .refine((value) => Object.keys(value).length <= 100, "names at most 100 schemas")
    .exactOptional(),
  content: z
    .enum(["all", "schema", "data"])
    .default("all")
    .describe(
      "What is copied: `all`, the `schema` without rows, or the `data` into tables that are there already and have the same columns. A value that does not fit into a column there fails the run before a row is written.",
    ),
  drop: names(
    "Tables of the target, `table` or `schema.table` exactly as they are called (a name that has a dot in double quotes), that stand in the way and may be dropped with their rows (with content `data`: emptied). A table in the way that is not named here fails the run before anything is written. Default: none.",
  ).exactOptional(),
  verify: z
    .enum(["counts", "checksum"])
    .default("counts")
    .describe(
      "How the copy is verified: `counts` of every table's rows and the inventory of objects, or `checksum`: the values of every row too, which takes about as long as reading both sides once more.",
    ),
  bandwidth: z
    .int()
    .min(1024)
    .max(1_000_000_000_000)
    .describe("Bytes a second that are read from the source at most, over all streams. Default: no limit.")
    .exactOptional(),
  definers: z
    .enum(["keep", "target-user", "invoker"])
    .default("keep")
    .describe(
      "Whose rights views and routines have in a MySQL target: `keep` the source's definer where the target has that account (else the target's user, reported), the `target-user`, or the `invoker`.",
    ),
  zero_dates: z
    .string()
    .max(10)
    .regex(dateOrWord, "is null, fail or a date such as 1970-01-01")
    .default("null")
    .describe(
      "What becomes of MySQL's dates with a zero in them, which PostgreSQL does not have: `null`, `fail` (the run ends and names the column), or a date such as 1970-01-01 that takes their place.",
    )
    .meta(
      rule(
        "self in ['null', 'fail'] || !self.startsWith('0000') && self.matches('^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$')",
        "zero_dates is null, fail or a date such as 1970-01-01",
      ),
    ),
  types: z
    .record(
      z.string().min(3).max(210).meta({ pattern: "\\." }),
      z.string().min(1, "gives a column no type").max(200, "gives a type of more than 200 characters"),
      { error: ({ code }) => (code === "invalid_key" ? typesWords : undefined) },
    )
    .describe(
      "The target's type by column, `table.column` or `schema.table.column` to a type as the target writes it (numeric(20,0), DATETIME(3)); a name that has a dot is in double quotes. A value that does not fit fails the run before a row is written. For copies across engines only.",
    )
    .meta({
      maxProperties: 200,
      ...rule(
        "self.all(column, column.contains('.'))",
        "write a column in types as table.column or schema.table.column",
      ),
    })
    .refine((value) => Object.keys(value).length <= 200, "names at most 200 columns")
    .refine((value) => Object.keys(value).every((column) => column.includes(".")), typesWords)
    .exactOptional(),
  statement_timeout: z
    .int()
    .min(0)
    .max(604_800)
    .default(0)
    .describe("Seconds that one statement may take on either server; 0 for no limit."),
  source_locks: z
    .enum(["auto", "require", "none"])
    .default("auto")
    .describe(
      "How writers of the source are held while the snapshot begins: `auto` for a moment where the rights allow it, else one connection reads instead of several, with a warning; `require` fails where that cannot be; `none` never holds them.",
    ),
  on_object_error: z
    .enum(["report", "fail"])
    .default("report")
    .describe(
      "What happens when the target refuses an index that is not unique, a check, foreign key, view, trigger, rule, statistics, or a materialized view's rows: `report` names it in the report as not copied; `fail` ends the run. Between PostgreSQL servers, a refused key, check or view always ends it.",
    ),
  blocking_timeout: z
    .int()
    .min(1)
    .max(604_800)
    .default(30)
    .describe(
      "Seconds that another session may wait for a lock of the copy on the source (ALTER TABLE, TRUNCATE, a flush of tables), and others behind it. Then the copy releases the lock, if the table is already copied, or ends with `source_changed`; at a flush it first reads again, 3 times.",
    ),
  stall_timeout: z
    .int()
    .min(0)
    .max(604_800)
    .default(600)
    .describe("Seconds without any progress after which the run ends with the cause; 0 for never."),
  source_ca: pem("source").exactOptional(),
  target_ca: pem("target").exactOptional(),
});

/** As stored and as the engine takes them: defaults are filled in. */
export type Options = z.output<typeof optionsSchema>;
