import type { SourceCode } from "../../mysql/definitions/code-source.ts";
import { nearestCollation } from "../../mysql/definitions/collations.ts";
import type { Traits } from "../../mysql/definitions/dialect.ts";
import { literal } from "../../mysql/driver/names.ts";
import type { Row, Session } from "../../mysql/driver/session.ts";
import type { Particular } from "../same-engine.ts";

/** What information_schema tells alike in MySQL and MariaDB, whose SHOW CREATE differ: of tables, routines and events. */
export interface Beyond {
  ofTable(name: string): Particular[];
  ofCode(code: SourceCode): Particular[];
}

/** `toward`: the target, where the session is the source's. */
export async function readBeyond(session: Session, database: string, toward: Traits | undefined): Promise<Beyond> {
  const schema = literal(database);
  const tables = byKey(
    await session.query(
      `SELECT '', TABLE_NAME, TABLE_COLLATION FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${schema}`,
    ),
  );
  const routines = byKey(
    await session.query(
      `SELECT LOWER(ROUTINE_TYPE), ROUTINE_NAME, IS_DETERMINISTIC, SQL_DATA_ACCESS, ROUTINE_COMMENT
         FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${schema}`,
    ),
  );
  const parameters = byKey(
    await session.query(
      `SELECT LOWER(ROUTINE_TYPE), SPECIFIC_NAME, PARAMETER_MODE, PARAMETER_NAME, DTD_IDENTIFIER, CHARACTER_SET_NAME
         FROM information_schema.PARAMETERS WHERE SPECIFIC_SCHEMA = ${schema} ORDER BY SPECIFIC_NAME, ORDINAL_POSITION`,
    ),
  );
  const events = byKey(
    await session.query(
      `SELECT 'event', EVENT_NAME, EXECUTE_AT, INTERVAL_VALUE, INTERVAL_FIELD, STARTS, ENDS, ON_COMPLETION, STATUS, EVENT_COMMENT
         FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ${schema}`,
    ),
  );
  return {
    ofTable(name) {
      const collation = tables.get(`\0${name}`)?.[0]?.[0] ?? "";
      const near = toward && nearestCollation(collation, (one) => toward.collations.has(one));
      return [{ aspect: "collation", value: near ?? collation, settled: true, shown: true }];
    },
    ofCode({ kind, name, context }) {
      const modes: Particular[] =
        kind === "view" ? [] : [{ aspect: "sql_mode", value: commonModes(context.sqlMode), shown: true }];
      const [routine] = routines.get(`${kind}\0${name}`) ?? [];
      const [event] = events.get(`${kind}\0${name}`) ?? [];
      return [
        ...modes,
        ...(routine === undefined ? [] : ofRoutine(routine, parameters.get(`${kind}\0${name}`) ?? [])),
        ...(event === undefined ? [] : ofEvent(event)),
      ];
    },
  };
}

const settled = (aspect: string, value: string): Particular => ({ aspect, value, settled: true, shown: true });

function ofRoutine([deterministic, access, comment]: Row, parameters: readonly Row[]): Particular[] {
  return [
    settled(
      "list of parameters",
      parameters.map(([mode, name]) => `${mode ?? "RETURNS"} ${name ?? ""}`.trim()).join(", "),
    ),
    // JSON is a text in MariaDB.
    {
      aspect: "types of parameters",
      value: parameters
        .map(([, , type, set]) => `${typeOf(type ?? "")} ${set ?? ""}`.trim().replace(/\butf8$/, "utf8mb3"))
        .join(", "),
      shown: true,
    },
    settled("determinism", deterministic === "YES" ? "DETERMINISTIC" : "NOT DETERMINISTIC"),
    settled("access to data", access ?? ""),
    { aspect: "comment", value: comment ?? "", settled: true },
  ];
}

/** MySQL shows no widths of integers. */
const typeOf = (type: string): string =>
  type
    .toLowerCase()
    .replace(/\b(tinyint|smallint|mediumint|int|bigint|year)\(\d+\)/, "$1")
    .replace(/ (?:character set|charset|collate) \w+/g, "");

function ofEvent([at, every, field, starts, ends, completion, status, comment]: Row): Particular[] {
  const schedule = at == null ? `EVERY ${every} ${field} STARTS ${starts} ENDS ${ends}` : `AT ${at}`;
  return [
    settled("schedule", schedule),
    settled("end", completion ?? ""),
    settled(
      "status",
      /^(?:SLAVESIDE|REPLICA_SIDE)_DISABLED$/.test(status ?? "") ? "disabled on replicas" : (status ?? ""),
    ),
    { aspect: "comment", value: comment ?? "", settled: true },
  ];
}

const modes = new Set(
  "ANSI_QUOTES,ERROR_FOR_DIVISION_BY_ZERO,HIGH_NOT_PRECEDENCE,IGNORE_SPACE,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,NO_DIR_IN_CREATE,NO_ENGINE_SUBSTITUTION,NO_UNSIGNED_SUBTRACTION,NO_ZERO_DATE,NO_ZERO_IN_DATE,ONLY_FULL_GROUP_BY,PAD_CHAR_TO_FULL_LENGTH,PIPES_AS_CONCAT,REAL_AS_FLOAT,STRICT_ALL_TABLES,STRICT_TRANS_TABLES".split(
    ",",
  ),
);

/** Those that both kinds of servers have. */
const commonModes = (list: string): string =>
  list
    .split(",")
    .filter((mode) => modes.has(mode))
    .sort()
    .join(",");

/** By the first two cells; without them. */
function byKey(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const [kind, name, ...rest] of rows) {
    const key = `${kind ?? ""}\0${name ?? ""}`;
    found.set(key, [...(found.get(key) ?? []), rest]);
  }
  return found;
}
