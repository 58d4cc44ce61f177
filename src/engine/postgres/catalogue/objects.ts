import { type KnownEntry, lostIndex } from "../../contract/known.ts";
import { printable } from "../../contract/text/printable.ts";
import type { Session } from "../driver/connection.ts";
import { relationQueries } from "./object-queries.ts";
import { otherQueries } from "./object-queries-rare.ts";

/** What is not a table: read with the source's own text, so that a person can finish what is not copied. */
export interface SourceObject {
  kind: string;
  name: string;
  definition: string;
  /** The table that it belongs to. */
  owner: number | null;
}

/** Things of extensions come with their extension and are not listed. */
export async function readObjects(session: Session): Promise<SourceObject[]> {
  const parts = [...relationQueries(), ...otherQueries(session.version)];
  return session.query<SourceObject>(
    `SELECT kind, name, COALESCE(definition, '') AS definition, owner FROM (${parts.join(" UNION ALL ")}) things ORDER BY kind, name`,
  );
}

/** Why each kind is not made; what is only the frame of others is said to be converted with them. */
const reasons: Record<string, string> = {
  view: "a view's query is not translated",
  "foreign table": "its rows live on another server and are not copied",
  function: "a routine's code is not translated",
  procedure: "a routine's code is not translated",
  aggregate: "MySQL has no user-defined aggregates in SQL",
  trigger: "a trigger's code is not translated",
  rule: "MySQL has no rules",
  policy: "MySQL has no row-level security: every row is visible to every user who may read the table",
  "row-level security": "MySQL has no row-level security: every row is visible to every user who may read the table",
  grant: "rights are not copied: the roles of the source are not users of the target",
  "default privileges": "rights are not copied: the roles of the source are not users of the target",
  extension: "MySQL has no extensions; columns of its types are converted one by one",
  "event trigger": "MySQL has no event triggers",
  publication: "MySQL has no publications",
  subscription: "subscriptions are not copied",
  statistics: "MySQL has no statistics over several columns",
  "storage parameters": "storage settings are not copied",
  index: "it belongs to one partition, and MySQL's partitions have no indexes of their own",
  constraint: "it belongs to one partition, and MySQL's partitions have no constraints of their own",
  default: "MySQL has no defaults of partitions, views or foreign tables",
  "large object": "MySQL has no large objects: its bytes are not copied, columns that hold its number stay numbers",
  comment: "MySQL has no comment for it",
  server: "MySQL reads no tables of other servers",
  "user mapping": "MySQL reads no tables of other servers; its options, which may hold a password, are not shown",
  cast: "MySQL has no casts of one's own",
  "security label": "MySQL has no security labels",
  "database setting": "settings of a database are not copied",
};

const frames: Record<string, string> = {
  schema: "as a prefix of its tables' names, if not by another option",
  type: "in the columns that use it",
  domain: "in the columns that use it: their base type and its checks",
};

const mostText = 65_536;

export function reportObject({ kind, name, definition }: SourceObject): KnownEntry {
  const unique = kind === "index" && definition.startsWith("CREATE UNIQUE");
  const unproven = kind === "constraint" && definition.startsWith("NOT NULL");
  const words = frames[kind] ?? reasons[kind] ?? `MySQL has no ${kind} of this kind`;
  return {
    kind,
    name: printable(name),
    ...lostIndex(unproven ? "NOT VALID in the source: the column accepts NULL" : words, unique),
    ...(frames[kind] === undefined ? {} : { outcome: "converted" }),
    ...(definition === "" ? {} : { definition: definition.slice(0, mostText) }),
  };
}
