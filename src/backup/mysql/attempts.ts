import { type Catalogue, readCatalogue } from "../../engine/mysql/catalogue/catalogue.ts";
import { identifier, literal } from "../../engine/mysql/driver/names.ts";
import type { Session } from "../../engine/mysql/driver/session.ts";
import { printable } from "../../engine/text/printable.ts";
import { isLeftover, isMark, markName, markText } from "../leftovers.ts";
import type { Unpacking } from "../work.ts";
import { databaseInventory } from "./inventory.ts";

/** The mark of a restore that began in an empty database: a table whose comment names the restore. */

type There = Pick<Catalogue, "tables" | "others">;

/** What the target has, without what an earlier attempt of this restore left there, which is dropped. An empty target is marked. */
export async function beginAttempt(session: Session, work: Unpacking): Promise<There> {
  const { target, attempt, manifest, log } = work;
  const found = await readCatalogue(session, target.database);
  const mark = await markOf(session);
  const there = withoutMark(found, mark);
  if (isEmpty(there)) {
    if (isMark(mark)) await session.run(`DROP TABLE ${identifier(markName)}`);
    if (attempt !== undefined)
      await session.run(
        `CREATE TABLE ${identifier(markName)} (id INT PRIMARY KEY) COMMENT = ${literal(markText(attempt))}`,
      );
    return there;
  }
  if (attempt === undefined || mark !== markText(attempt) || !isLeftover(manifest, databaseInventory(there)))
    return there;
  log("info", `Dropping what an earlier attempt left in ${printable(target.database)}`);
  for (const statement of drops(there)) await session.run(statement);
  return withoutMark(await readCatalogue(session, target.database), mark);
}

/** The restore is complete: nothing is left to be dropped. */
export async function endAttempt(session: Session, { attempt }: Unpacking): Promise<void> {
  if (attempt !== undefined && (await markOf(session)) === markText(attempt))
    await session.run(`DROP TABLE ${identifier(markName)}`);
}

async function markOf(session: Session): Promise<string | undefined> {
  const [[comment] = []] = await session.query(
    `SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ${literal(markName)}`,
  );
  return comment ?? undefined;
}

/** A table of others may have the mark's name. */
const withoutMark = ({ tables, others }: There, mark: string | undefined): There => ({
  tables: isMark(mark) ? tables.filter(({ name }) => name !== markName) : tables,
  others,
});

const isEmpty = ({ tables, others }: There) => tables.length === 0 && others.length === 0;

/** Triggers go with their tables, and foreign keys are not checked in a target's session. */
const drops = ({ tables, others }: There): string[] => [
  ...others
    .filter(({ kind }) => kind !== "trigger")
    .map(({ kind, name }) => `DROP ${kind.toUpperCase()} IF EXISTS ${identifier(name)}`),
  ...tables.map(({ name }) => `DROP TABLE IF EXISTS ${identifier(name)}`),
];
