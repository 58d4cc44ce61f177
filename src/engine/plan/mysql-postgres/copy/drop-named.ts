import { EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import { serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import type { Fence } from "../../../run/fence/fence.ts";

/** What DROP calls the kinds of relations; the kinds that others read from come last. */
export const relations: Record<string, string> = {
  v: "VIEW",
  m: "MATERIALIZED VIEW",
  r: "TABLE",
  p: "TABLE",
  f: "FOREIGN TABLE",
  S: "SEQUENCE",
};

interface Named {
  name: string;
  /** What DROP calls it. */
  relation: string;
}

/**
 * Drops what options.drop names in one transaction: all, or nothing where something else depends on one of them.
 * Errors: `dependents_exist`.
 */
export async function dropNamed(
  session: Writer,
  fence: Fence<Writer>,
  schema: string,
  named: readonly Named[],
  log: (message: string) => void,
): Promise<void> {
  if (named.length === 0) return;
  await fenced(session, fence, async () => {
    // They may need each other in any order, and a statement drops one kind: what is refused is tried again without the rest.
    let left = named;
    while (left.length > 0) {
      const together = await dropSome(session, schema, groups(left));
      let held = together.held.flat();
      if (held.length === left.length) {
        const alone = left.map((one) => [one]);
        held = (await dropSome(session, schema, alone)).held.flat();
      }
      // What the server says of all the tables names none of them.
      if (held.length === left.length) throw dependentsExist(schema, held, together.refused);
      left = held;
    }
  });
  for (const { name, relation } of named)
    log(`${relation.toLowerCase()} ${qualified(schema, name)} of the target was dropped, as options.drop says`);
}

function groups(named: readonly Named[]): Named[][] {
  const kinds = [...new Set(Object.values(relations))];
  return kinds.map((kind) => named.filter(({ relation }) => relation === kind)).filter(({ length }) => length > 0);
}

/** Those that the server refuses, and why it refuses the first of them. */
async function dropSome(session: Writer, schema: string, all: readonly Named[][]) {
  const held: Named[][] = [];
  let refused: unknown;
  for (const some of all)
    try {
      await dropTogether(session, schema, some);
    } catch (error) {
      if (sqlState(error) !== "2BP01") throw error;
      held.push(some);
      refused ??= error;
    }
  return { held, refused };
}

async function dropTogether(session: Writer, schema: string, some: readonly Named[]): Promise<void> {
  await session.run("SAVEPOINT dropping");
  try {
    await session.run(`DROP ${some[0]?.relation} ${some.map(({ name }) => qualified(schema, name)).join(", ")}`);
  } catch (error) {
    if (sqlState(error) === "2BP01") await session.run("ROLLBACK TO SAVEPOINT dropping");
    throw error;
  }
  await session.run("RELEASE SAVEPOINT dropping");
}

function dependentsExist(schema: string, held: readonly Named[], cause: unknown): EngineError {
  const words = held.slice(0, 5).map(({ name }) => printable(qualified(schema, name)));
  return new EngineError(
    "dependents_exist",
    `options.drop names ${words.join(", ")}${held.length > 5 ? ` and ${held.length - 5} more` : ""}, but something else in the target depends on ${held.length === 1 ? "it" : "them"} (${serverMessage(cause)}): drop that first, or name it too where it is a table of the copy; nothing was dropped`,
    { cause },
  );
}
