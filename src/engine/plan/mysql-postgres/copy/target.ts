import { type CopyOptions, EngineError, type MadeObject } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import { engineError, sqlState } from "../../../postgres/driver/errors.ts";
import { identifier, qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { isNamed, refuseUnknownDrops, TargetNotEmptyError } from "../../../run/fence/drop-option.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { giveBack } from "../../../run/fence/give-back.ts";
import type { TargetTraits } from "../columns/column-plan.ts";
import type { Shared } from "../columns/folding.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { dropNamed, relations } from "./drop-named.ts";

/** The target before the first write: what this owner made earlier is dropped, what others made is respected. */
export interface TargetDatabase {
  versionText: string;
  traits: TargetTraits;
  /** Names of relations, types and functions that are in the schema already. */
  taken: string[];
}

interface WantedTarget {
  schema: string;
  /** Names that relations are to have. */
  names: readonly string[];
  drop: CopyOptions["drop"];
  /** Marks of the fence that stay. */
  keep(part: string): boolean;
  /** Hears of each table that was dropped. */
  log(message: string): void;
}

/**
 * Errors: `target_not_empty` names the tables that stand in the way and may not be dropped; `target_encoding`;
 * `dependents_exist`. Until something was made, the fence is taken away again with the error.
 */
export async function prepareTarget(
  session: Writer,
  fence: Fence<Writer>,
  made: readonly MadeObject[],
  { schema, names, drop = [], keep, log }: WantedTarget,
): Promise<void> {
  // Also the parts and the result of an earlier attempt: what is not kept begins from nothing.
  await fence.clean(made, keep);
  try {
    const wanted = new Set(names);
    const there = await readNames(session, schema);
    refuseUnknownDrops(
      drop,
      [...there.map(({ name }) => name), ...names].map((name) => ({ schema, name })),
    );
    const inTheWay = there.filter(({ name, relation }) => relation !== undefined && wanted.has(name));
    const refused = inTheWay.filter(({ name }) => !isNamed(drop, schema, name));
    if (refused.length > 0)
      throw new TargetNotEmptyError(
        refused.map(({ name }) => `"${printable(schema === "public" ? name : `${schema}.${name}`)}"`),
      );
    await dropNamed(
      session,
      fence,
      schema,
      inTheWay.map(({ name, relation = "TABLE" }) => ({ name, relation })),
      log,
    );
    await makeSchema(session, fence, schema);
  } catch (error) {
    await giveBack(fence)(error);
  }
}

/**
 * What the target is, and which names are taken in the schema by what is not on or of the relations `ours`, nor of those
 * that stand in the way of `wanted`, which are dropped or end the run.
 * Errors: `target_encoding`.
 */
export async function readTarget(
  session: Writer,
  schema: string,
  ours: readonly string[],
  wanted: readonly string[],
): Promise<TargetDatabase> {
  const server = await readServer(session);
  const rows = await session.query<{ name: string }>(
    `WITH ours AS (SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace($1) 
                       AND (relname = ANY($2::text[]) OR relname = ANY($3::text[]) AND relkind = ANY($4::"char"[]))),
          parts AS (SELECT oid FROM ours
                    UNION SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM ours)
                    UNION SELECT objid FROM pg_depend WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass
                             AND deptype IN ('a', 'i') AND refobjid IN (SELECT oid FROM ours))
     SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND oid NOT IN (SELECT oid FROM parts)
     UNION ALL SELECT t.typname FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem AND e.typarray = t.oid
      WHERE t.typnamespace = to_regnamespace($1) AND NOT (coalesce(e.typname, t.typname) = ANY($2::text[]))
        AND coalesce(e.typrelid, t.typrelid) NOT IN (SELECT oid FROM parts)
     UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = to_regnamespace($1) AND NOT (proname = ANY($2::text[]))
     UNION ALL SELECT collname FROM pg_collation WHERE collnamespace = to_regnamespace($1) AND NOT (collname = ANY($2::text[]))`,
    [identifier(schema), ours, wanted, Object.keys(relations)],
  );
  return { ...server, taken: rows.map(({ name }) => name) };
}

async function readServer(session: Writer): Promise<Omit<TargetDatabase, "taken">> {
  const [server] = await session.query<{ version: string; encoding: string }>(
    "SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding",
  );
  if (server?.encoding !== "UTF8") {
    throw new EngineError(
      "target_encoding",
      `the target database is encoded in ${server?.encoding}: create one with ENCODING 'UTF8', which holds every text`,
    );
  }
  return { versionText: server.version, traits: await readTraits(session) };
}

export async function readTraits(session: Writer): Promise<TargetTraits> {
  const [found] = await session.query<{ icu: boolean; postgis: string | null; btreeGist: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_collation WHERE collprovider = 'i') AS icu,
            (SELECT n.nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
              WHERE e.extname = 'postgis' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')) AS postgis,
            EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'btree_gist') AS "btreeGist"`,
  );
  return {
    targetVersion: session.version,
    icu: found?.icu === true,
    postgis: found?.postgis ?? undefined,
    btreeGist: found?.btreeGist === true,
  };
}

/** Of the relations of a schema; what DROP calls the kind, where it has a word for it. */
export async function readNames(
  session: Writer,
  schema: string,
): Promise<{ name: string; relation: string | undefined }[]> {
  const rows = await session.query<{ name: string; kind: string }>(
    `SELECT relname AS name, relkind::text AS kind FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`,
    [schema],
  );
  return rows.map(({ name, kind }) => ({ name, relation: relations[kind] }));
}

async function makeSchema(session: Writer, fence: Fence<Writer>, schema: string): Promise<void> {
  const there = await session.query("SELECT FROM pg_namespace WHERE nspname = $1", [schema]);
  if (there.length > 0) return;
  await fenced(session, fence, async () => {
    await fence.record(session, [{ kind: "schema", name: [schema] }]);
    await session.run(`CREATE SCHEMA ${qualified(schema)}`);
  }).catch((error: unknown) => {
    // Another run made it at the same moment: 42P06, or 23505 in the catalogue.
    if (!["42P06", "23505"].includes(sqlState(error) ?? "")) throw error;
  });
}

/** What tables share, before the first of them; what an earlier attempt made and left stays. */
export async function makeShared(session: Writer, fence: Fence<Writer>, shared: Iterable<Shared>): Promise<void> {
  const all = [...shared];
  if (all.length === 0) return;
  const key = ({ kind, name }: MadeObject) => JSON.stringify([kind, name]);
  const there = new Set((await fence.made()).map(key));
  await fenced(session, fence, async () => {
    const fresh = all.filter(({ made }) => !there.has(key(made)));
    await fence.record(
      session,
      fresh.map(({ made }) => made),
    );
    const after = all.flatMap((one) => (one.after === undefined ? [] : [one.after]));
    await session.run([...fresh.map(({ create }) => create), ...after].join("; "));
  });
}

/** Makes a table that the target may refuse in part, in a transaction; `make` runs the plan's statements. */
export type CreateTable = (session: Writer, plan: TablePlan, make: (plan: TablePlan) => Promise<void>) => Promise<void>;

/** In transactions of some hundred statements: each object takes locks. */
const batch = 100;

export async function makeTables(
  session: Writer,
  fence: Fence<Writer>,
  plans: readonly TablePlan[],
  { create, did }: { create: CreateTable; did(tables: number): void },
): Promise<void> {
  for (let start = 0; start < plans.length; start += batch) {
    const some = plans.slice(start, start + batch);
    const makeSome = (make: () => Promise<void>) =>
      fenced(session, fence, async () => {
        await fence.record(
          session,
          some.flatMap(({ made }) => made),
        );
        await make();
      });
    // All at once, in one round trip; when that fails, one after the other, so that the error names the table.
    await makeSome(() => session.run(some.flatMap(({ create }) => create).join("; "))).catch(async (error: unknown) => {
      if (sqlState(error) === undefined) throw error;
      await makeSome(async () => {
        for (const plan of some) await create(session, plan, (one) => make(session, one));
      });
    });
    did(some.length);
  }
}

export async function remakeTable(
  session: Writer,
  fence: Fence<Writer>,
  before: TablePlan,
  after: TablePlan,
): Promise<void> {
  await fenced(session, fence, async () => {
    await fence.record(session, after.made);
    await session.run(before.drop.join("; "));
    await make(session, after);
  });
}

async function make(session: Writer, plan: TablePlan): Promise<void> {
  try {
    await session.run(plan.create.join("; "));
  } catch (error) {
    const cause = error instanceof EngineError ? error.cause : error;
    throw engineError(cause, session.place, `creating table ${printable(plan.name)}`);
  }
}
