import type { CopyOptions } from "../../../contract/index.ts";
import { readTableDefinitions, type TableDefinition } from "../../../postgres/catalogue/catalogue.ts";
import { readObjects, type SourceObject } from "../../../postgres/catalogue/objects.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { readSequences, type SourceSequence } from "./sequences.ts";
import { readViews, type SourceView } from "./views.ts";

/** The objects of a PostgreSQL source that are planned: all of them, whatever the options choose. */
export interface SourceThings {
  /** With partitions. */
  tables: TableDefinition[];
  objects: SourceObject[];
  sequences: SourceSequence[];
  views: SourceView[];
}

/** Another copy's checkpoint, which is not read. */
interface LeftThings {
  isTable(table: TableDefinition): boolean;
  isSequence(sequence: SourceSequence): boolean;
}

/** A copy reads within its snapshot; an assessment and a verification read what is there now. */
export const readThings = async (session: Session, options: CopyOptions, left: LeftThings): Promise<SourceThings> => ({
  tables: (await readTableDefinitions(session, options)).filter((table) => !left.isTable(table)),
  objects: await readObjects(session),
  sequences: (await readSequences(session)).filter((sequence) => !left.isSequence(sequence)),
  views: await readViews(session),
});
