import type { CopyOptions } from "../../../contract/index.ts";
import type { Catalogue } from "../../../mysql/catalogue/catalogue.ts";
import { readCode, type SourceCode } from "../../../mysql/definitions/code-source.ts";
import {
  noTextCollations,
  readTextCollations,
  type TextCollations,
} from "../../../mysql/definitions/routine-collations.ts";
import { qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { readGrants, type SourceGrant } from "../../../mysql/source/grants.ts";
import { readSequences, type Sequence } from "./sequences.ts";

/** What the catalogue does not tell of the source: its own texts. Read before the sessions are set to give bytes. */
export interface SourceTexts {
  /** SHOW CREATE TABLE by name. */
  shown: ReadonlyMap<string, string>;
  codes: SourceCode[];
  textCollations: TextCollations;
  sequences: Sequence[];
  grants: SourceGrant[];
  /** The database's default. */
  collation: string;
}

/** `did` hears of each table. */
export async function readSource(
  reader: Session,
  database: string,
  { tables, others }: Catalogue,
  content: NonNullable<CopyOptions["content"]>,
  did: () => void,
): Promise<SourceTexts> {
  const shown = new Map<string, string>();
  // In the bytes that they are stored in: the servers' own three bytes a character would lose the fourth.
  await reader.run("SET SESSION character_set_results = NULL");
  for (const { name } of tables) {
    const [[, text] = []] = await reader.query(`SHOW CREATE TABLE ${qualified(database, name)}`);
    shown.set(name, text ?? "");
    did();
  }
  await reader.run("SET SESSION character_set_results = utf8mb4");
  const [[collation] = []] = await reader.query("SELECT @@collation_database");
  const names = others.flatMap(({ kind, name }) => (kind === "sequence" ? [name] : []));
  const sequences = await readSequences(reader, database, names);
  const rowsAlone = content === "data";
  const known = new Set(others.map(({ kind, name }) => `${kind} ${name}`));
  const selected = ({ kind, name }: SourceCode) => known.has(`${kind === "package body" ? "package" : kind} ${name}`);
  return {
    shown,
    codes: rowsAlone ? [] : (await readCode(reader, database)).filter(selected),
    textCollations: rowsAlone ? noTextCollations : await readTextCollations(reader, database),
    sequences,
    grants: rowsAlone ? [] : await readGrants(reader, database),
    collation: collation ?? "",
  };
}
