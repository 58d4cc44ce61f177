import { counted } from "../../../guard/text.ts";
import type { MadeObject } from "../../contract/index.ts";
import { isNamed } from "../../run/fence/drop-option.ts";
import type { Fence } from "../../run/fence/fence.ts";
import { type FinishedMark, finishedOf } from "../../run/fence/finished-marks.ts";
import { refuseTouched, type TouchedTable } from "../../run/fence/others-work.ts";
import { identifier, literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import type { MysqlFence } from "./fence.ts";
import { digest, shapeText, shownTable } from "./identity.ts";

/**
 * Before a second attempt drops tables that an earlier one made: what others did on them meanwhile, which would go with
 * them. The triggers are compared with the run's list, columns and indexes with what the table was made as, and rows with
 * the marks of the transactions that put them there, by number. A row that others changed is not found.
 */

const shapePrefix = "shape:";
const rowsPrefix = "in:";

/** The mark of a part of the rows of a table of the target. */
export const partOf = (table: string, part: string): string => `${rowsPrefix}${JSON.stringify([table, part])}`;

/** What a table was made as: digests of its lines, and names of indexes that are added later. */
type Shape = readonly [table: string, lines: readonly string[], later: readonly string[]];

const linesOf = (shown: string): string[] =>
  shapeText(shown)
    .split("\n")
    .slice(1)
    // The run itself takes a check out of force (broken-checks.ts).
    .map((line) =>
      line
        .trim()
        .replace(/,$/, "")
        .replace(/ \/\*!\d+ NOT ENFORCED \*\/$/, ""),
    )
    .filter((line) => line !== "");

const short = (line: string) => digest(line).slice(0, 12);

/** Indexes in the words of CREATE TABLE, or expressions over names. */
const nameIn = (text: string): string => /`((?:[^`]|``)*)`/.exec(text)?.[0] ?? "";

/** Marks what tables were made as. `later`: what ALTER TABLE adds. */
export async function markShapes(
  session: Session,
  fence: Pick<Fence<Session>, "partDone">,
  database: string,
  tables: readonly { name: string; later: readonly string[] }[],
): Promise<void> {
  for (const { name, later } of tables) {
    const lines = linesOf((await shownTable(session, [database, name])) ?? "").map(short);
    const shape: Shape = [name, lines, later.map(nameIn)];
    await fence.partDone(session, `${shapePrefix}${JSON.stringify(shape)}`, 0);
  }
}

/** Whether a mark tells of a table for which `has` holds what it was made as. */
export const isShapeMark = (part: string, has: (table: string) => boolean): boolean =>
  part.startsWith(shapePrefix) && has((JSON.parse(part.slice(shapePrefix.length)) as Shape)[0]);

/** Errors: `target_changed`, which names what is not the run's. `drop`: options.drop, whose tables go whatever stands on them. */
export async function refuseOthersWork(
  session: Session,
  fence: Pick<MysqlFence, "parts" | "othersConstraints">,
  database: string,
  made: readonly MadeObject[],
  drop: readonly string[],
): Promise<void> {
  const tables = made.flatMap(({ kind, name: [of, name = ""] }) =>
    kind === "table" && of === database && !isNamed(drop, database, name) ? [name] : [],
  );
  if (tables.length === 0) return;
  const known = await marksOf(fence);
  const own = new Set(made.flatMap(({ kind, name: [, name] }) => (kind === "trigger" ? [name] : [])));
  const triggers = await triggersOf(session, database);
  const touched: TouchedTable[] = [];
  for (const name of new Set(tables)) {
    const text = await shownTable(session, [database, name]);
    if (text === undefined || !text.startsWith("CREATE TABLE")) continue;
    const keys = [...(await fence.othersConstraints(foreignKeysIn(text)))];
    const others = [
      ...(triggers.get(name) ?? [])
        .filter((trigger) => !own.has(trigger))
        .sort()
        .map((trigger) => `trigger ${trigger}`),
      ...keys.map((key) => `foreign key ${key}`),
      ...(known.shapes.has(name)
        ? othersLines(text, known.shapes.get(name) ?? [])
        : othersShape(text, known.finished.get(name))),
      ...(await othersRows(session, database, name, text, known.rows.get(name) ?? 0)),
    ];
    touched.push({ name, others });
  }
  refuseTouched(touched);
}

async function marksOf(fence: Pick<Fence<Session>, "parts">) {
  const shapes = new Map<string, Shape[]>();
  const rows = new Map<string, number>();
  /** By shapeOf (identity.ts), of small tables. */
  const finished = new Map<string, string>();
  for (const { part, rows: number } of await fence.parts()) {
    if (part.startsWith(shapePrefix)) {
      const shape = JSON.parse(part.slice(shapePrefix.length)) as Shape;
      shapes.set(shape[0], [...(shapes.get(shape[0]) ?? []), shape]);
    } else if (part.startsWith(rowsPrefix)) {
      const [table] = JSON.parse(part.slice(rowsPrefix.length)) as [string];
      rows.set(table, (rows.get(table) ?? 0) + number);
    } else {
      const { name: table, shape } = finishedOf<FinishedMark & { shape?: string }>(part) ?? {};
      if (table === undefined) continue;
      rows.set(table, Math.max(rows.get(table) ?? 0, number));
      if (shape !== undefined) finished.set(table, shape);
    }
  }
  return { shapes, rows, finished };
}

/** Triggers of a database in the order of their action, by table. `which`: a condition. */
export async function triggersOf(session: Session, database: string, which = "TRUE"): Promise<Map<string, string[]>> {
  const rows = await session.query(
    `SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME FROM information_schema.TRIGGERS
      WHERE EVENT_OBJECT_SCHEMA = ${literal(database)} AND ${which} ORDER BY EVENT_OBJECT_TABLE, ACTION_ORDER`,
  );
  const triggers = new Map<string, string[]>();
  for (const [table, name] of rows) triggers.set(table ?? "", [...(triggers.get(table ?? "") ?? []), name ?? ""]);
  return triggers;
}

/** A killed attempt may have left the table before it was marked. */
const othersShape = (text: string, shape: string | undefined): string[] =>
  shape === undefined || digest(shapeText(text)) === shape ? [] : ["its columns, indexes or checks"];

/** Columns, indexes and checks that the table was not made with. */
function othersLines(text: string, shapes: readonly Shape[]): string[] {
  const own = new Set(shapes.flatMap(([, lines]) => lines));
  // A foreign key brings an index of its name, where its columns have none.
  const later = new Set([...shapes.flatMap(([, , names]) => names), ...foreignKeysIn(text).map(identifier)]);
  return linesOf(text).flatMap((line) => {
    if (own.has(short(line))) return [];
    const index = /^(?:UNIQUE |FULLTEXT |SPATIAL )?(?:KEY|INDEX) (`(?:[^`]|``)*`)/.exec(line)?.[1];
    if (index !== undefined) return later.has(index) ? [] : [`index ${plainName(index)}`];
    // It may be one that is made with the rows.
    if (line.startsWith("PRIMARY KEY")) return [];
    const check = /^CONSTRAINT (`(?:[^`]|``)*`)/.exec(line)?.[1];
    if (check !== undefined) return [`constraint ${plainName(check)}`];
    const column = /^(`(?:[^`]|``)*`)/.exec(line)?.[1];
    return [column === undefined ? line : `column ${plainName(column)}`];
  });
}

const foreignKeysIn = (text: string): string[] =>
  [...text.matchAll(/\n {2}CONSTRAINT (`(?:[^`]|``)*`) FOREIGN KEY/g)].map(([, name = ""]) => plainName(name));

const plainName = (quoted: string) => quoted.slice(1, -1).replaceAll("``", "`");

/** More rows than the run's transactions put there. Other engines than InnoDB keep those of a transaction that was cut. */
async function othersRows(
  session: Session,
  database: string,
  name: string,
  text: string,
  own: number,
): Promise<string[]> {
  if (!/\n\) ENGINE=InnoDB\b/.test(text)) return [];
  const versioned = /\bWITH SYSTEM VERSIONING\b/.test(text.slice(text.lastIndexOf("\n) ENGINE=")))
    ? " FOR SYSTEM_TIME ALL"
    : "";
  const [[count] = []] = await session.query(`SELECT COUNT(*) FROM ${qualified(database, name)}${versioned}`);
  const more = Number(count ?? 0) - own;
  return more > 0 ? [counted(more, "row")] : [];
}
