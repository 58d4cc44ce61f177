import { type CopyOptions, EngineError } from "../../contract/index.ts";
import { isRealDate } from "../../rows/mysql-to-copy/field-writers.ts";
import type { MysqlToCopyField } from "../../rows/mysql-to-copy/fields.ts";
import { databaseInTarget } from "../../run/renamed-schemas.ts";

/** What the options of a run mean for this direction. Pure. */

/** Errors: `option_invalid` for options that mean nothing together. */
export function refuseTogether({ content, types }: CopyOptions): void {
  if (content !== "data" || types === undefined || Object.keys(types).length === 0) return;
  throw new EngineError(
    "option_invalid",
    "options.types cannot be given with options.content data, since the target's tables have their types already: leave one of them out",
  );
}

/** Errors: `option_invalid` for what is no date of the calendar. */
export function zeroDates({ zero_dates: wish = "null" }: CopyOptions): MysqlToCopyField["zero"] {
  if (wish === "null") return undefined;
  if (wish === "fail") return "fail";
  const text = Buffer.from(wish);
  if (/^\d{4}-\d\d-\d\d$/.test(wish) && isRealDate(text, 0, text.length)) return { text };
  throw new EngineError(
    "option_invalid",
    `options.zero_dates is ${JSON.stringify(wish)}: write null, fail, or a date of the calendar as 1970-01-01`,
  );
}

/** The schema that a database's tables come into. Errors: `option_unmatched` for a database that is not copied. */
export function targetSchema({ schemas }: CopyOptions, database: string): string {
  const schema = databaseInTarget(schemas, database, "postgres");
  if (schema === "" || Buffer.byteLength(schema) > 63 || /^(pg_|information_schema$)/.test(schema))
    throw new EngineError(
      "option_invalid",
      `options.schemas gives ${JSON.stringify(database)} the schema ${JSON.stringify(schema)}, which PostgreSQL does not allow: choose one of 1 to 63 bytes that does not begin with pg_`,
    );
  return schema;
}
