import { type Catalogue, readCatalogue } from "../../engine/mysql/catalogue/catalogue.ts";
import { identifier, literal } from "../../engine/mysql/driver/names.ts";
import type { Session } from "../../engine/mysql/driver/session.ts";
import { isMark, type MarkedTarget, markName } from "../attempts.ts";
import { databaseInventory } from "./inventory.ts";

type Objects = Pick<Catalogue, "tables" | "others">;

/** The mark is a table whose comment names the restore. */
export const markedTarget = (session: Session, database: string): MarkedTarget<Objects> => ({
  async mark() {
    const [[comment] = []] = await session.query(
      `SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ${literal(markName)}`,
    );
    return comment;
  },
  async setMark(text) {
    await session.run(`CREATE TABLE ${identifier(markName)} (id INT PRIMARY KEY) COMMENT = ${literal(text)}`);
  },
  async dropMark() {
    await session.run(`DROP TABLE ${identifier(markName)}`);
  },
  async read(mark) {
    const { tables, others } = await readCatalogue(session, database);
    // A table of others may have the mark's name.
    return { tables: isMark(mark) ? tables.filter(({ name }) => name !== markName) : tables, others };
  },
  objects: databaseInventory,
  async drop(found) {
    for (const statement of drops(found)) await session.run(statement);
  },
});

/** Triggers go with their tables, and foreign keys are not checked in a target's session. */
const drops = ({ tables, others }: Objects): string[] => [
  ...others
    .filter(({ kind }) => kind !== "trigger")
    .map(({ kind, name }) => `DROP ${kind.toUpperCase()} IF EXISTS ${identifier(name)}`),
  ...tables.map(({ name }) => `DROP TABLE IF EXISTS ${identifier(name)}`),
];
