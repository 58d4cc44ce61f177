import { type Endpoint, EngineError } from "../contract/index.ts";
import { fullName } from "../contract/text/full-name.ts";
import type { Session } from "../postgres/driver/connection.ts";
import { tableGrant } from "../postgres/source/table-grant.ts";
import { readUnreadableSequences, sequenceGrant, sequenceNames } from "../postgres/source/unreadable-sequences.ts";
import type { TableName } from "./checksum/rows.ts";
import type { Paired } from "./pairs.ts";
import type { ComparedObject } from "./same-engine.ts";
import type { OpenedSide } from "./sides.ts";

/** Tables whose rows the user may not read: those that are compared need the right, the others are named. */

interface Side {
  role: "source" | "target";
  endpoint: Endpoint;
  opened: OpenedSide;
}

/** A table of the target that is compared with none, in words for the report. Errors: `permission_denied`. */
export function refuseUnreadable(source: Side, target: Side, { pairs, extra }: Paired): string[] {
  const lacking = [
    ...lackingIn(
      source,
      pairs.map((pair) => pair.source),
    ),
    ...lackingIn(
      target,
      pairs.map((pair) => pair.target),
    ),
  ];
  if (lacking.length > 0)
    throw new EngineError("permission_denied", lacking.map(({ words, grant }) => `${words}: ${grant}`).join("; "));
  return lackingIn(target, extra).map(({ words, grant }) => `not compared, and not in the source: ${words}: ${grant}`);
}

const mostNamed = 10;

function lackingIn({ role, endpoint, opened }: Side, names: readonly TableName[]): { words: string; grant: string }[] {
  const wanted = new Set(names.map(keyOf));
  const tables = opened.tables.flatMap(({ name: [schema, name], unreadable }) =>
    unreadable === true && wanted.has(keyOf([schema, name])) ? [{ schema, name }] : [],
  );
  if (tables.length === 0) return [];
  const some = tables.slice(0, mostNamed).map(({ schema, name }) => `${schema}.${name}`);
  const more = tables.length > mostNamed ? ` and ${tables.length - mostNamed} more` : "";
  const words = `user "${endpoint.user}" may not read ${tables.length === 1 ? "table" : "tables"} ${some.join(", ")}${more} of the ${role} database`;
  return [{ words, grant: tableGrant(tables, endpoint.user) }];
}

/** Sequences of both sides whose state the user of one may not read. Errors: `permission_denied`. */
export async function refuseUnreadableSequences(
  session: Session,
  role: Side["role"],
  ours: readonly ComparedObject[],
  theirs: readonly ComparedObject[],
): Promise<void> {
  const unread = await readUnreadableSequences(session);
  if (unread.length === 0) return;
  const namesIn = (some: readonly ComparedObject[]) =>
    new Set(some.flatMap(({ kind, name }) => (kind === "sequence" ? [name] : [])));
  const [one, other] = [namesIn(ours), namesIn(theirs)];
  const compared = unread.map(({ schema, name }) => ({ schema, name, full: fullName(schema, name) }));
  const refused = compared.filter(({ full }) => one.has(full) && other.has(full));
  if (refused.length === 0) return;
  const { user } = session.place.endpoint;
  throw new EngineError(
    "permission_denied",
    `user "${user}" may not read ${refused.length === 1 ? "sequence" : "sequences"} ${sequenceNames(refused)} of the ${role} database: ${sequenceGrant(refused, user)}`,
  );
}

const keyOf = ([schema, table]: TableName) => `${schema}\0${table}`;
