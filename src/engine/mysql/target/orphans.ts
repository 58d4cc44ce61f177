import { EngineError } from "../../contract/index.ts";
import { MysqlError } from "../driver/errors.ts";
import { identifier, literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { errorNumber, isDenied } from "../driver/write-session.ts";
import { tellsCase } from "../fence/taken-names.ts";

/** The statement was ended from outside. */
const interrupted = 1317;

/** Why a key could not be looked at; the rows are there all the same. Errors: those that end the session or may pass. */
function unchecked(error: unknown, parent: string): string {
  if (isDenied(error)) return `the user may not read ${parent}`;
  const number = errorNumber(error);
  if (!(error instanceof EngineError) || error.retryable || number === undefined || number === interrupted) throw error;
  return error.cause instanceof MysqlError ? error.cause.message : error.message;
}

/** Words for each foreign key of the tables, as they were there, that rows break: they were put in without looking. */
export async function orphansOf(session: Session, database: string, names: ReadonlySet<string>): Promise<string[]> {
  const rows = await session.query(
    `SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
       FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = ${literal(database)} AND REFERENCED_TABLE_NAME IS NOT NULL
      ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`,
  );
  const exact = await tellsCase(session);
  const folded = (name: string) => (exact ? name : name.toLowerCase());
  const wanted = new Set([...names].map(folded));
  const keys = new Map<string, string[][]>();
  for (const row of rows.map((one) => one.map((value) => value ?? ""))) {
    const [table = "", name = ""] = row;
    if (wanted.has(folded(table))) keys.set(`${table}\0${name}`, [...(keys.get(`${table}\0${name}`) ?? []), row]);
  }
  const found: string[] = [];
  for (const columns of keys.values()) {
    const [table = "", name = "", , schema = "", parent = ""] = columns[0] ?? [];
    const match = columns.map((row) => `p.${identifier(row[5] ?? "")} = c.${identifier(row[2] ?? "")}`);
    const filled = columns.map((row) => `c.${identifier(row[2] ?? "")} IS NOT NULL`);
    const counting = `SELECT COUNT(*) FROM ${qualified(database, table)} c WHERE ${filled.join(" AND ")}
          AND NOT EXISTS (SELECT 1 FROM ${qualified(schema, parent)} p WHERE ${match.join(" AND ")})`;
    try {
      const [[orphans] = []] = await session.query(counting);
      if (orphans !== "0")
        found.push(
          `${orphans} rows of table ${table} have no parent in ${parent}, which its foreign key ${name} asks for`,
        );
    } catch (error) {
      found.push(`foreign key ${name} of table ${table} was not checked: ${unchecked(error, `${schema}.${parent}`)}`);
    }
  }
  return found;
}
