import type { MadeObject } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { identifier, literal } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { largeObjectsMade, mostInEntry } from "../../../postgres/fence/large-object-list.ts";
import { ownerStays } from "../../../postgres/target/owners.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import type { Task } from "../../../run/pool.ts";
import type { TargetFacts } from "./create-objects.ts";

/**
 * Large objects keep their oids, since rows refer to them by these; with owner, rights and comment. A database may have
 * millions: only one group of them is held at a time.
 */

interface LargeObject {
  oid: number;
  /** Hex. */
  start: string;
  owner: string;
  comment: string | null;
  /** Rights beyond the owner's; grantee is null for everybody. */
  rights: { grantee: string | null; privilege: string; grantable: boolean }[];
}

/** Of each object these bytes are read with its group, the rest in chunks. */
const startBytes = 4096;
const chunkBytes = 1 << 20;

/** The oids from `first` on, up to the next group's. */
interface Group {
  first: number;
  count: number;
}

export const readGroups = (source: Session): Promise<Group[]> =>
  source.query<Group>(
    `SELECT pg_catalog.min(x.oid::int8) AS first, pg_catalog.count(*) AS count
       FROM (SELECT m.oid, (pg_catalog.row_number() OVER (ORDER BY m.oid) - 1) / ${mostInEntry} AS at FROM pg_catalog.pg_largeobject_metadata m) x
      GROUP BY x.at ORDER BY 1`,
  );

const readGroup = (source: Session, { first, count }: Group): Promise<LargeObject[]> =>
  source.query<LargeObject>(
    `SELECT m.oid::int8 AS oid, pg_catalog.encode(pg_catalog.lo_get(m.oid, 0, ${startBytes}), 'hex') AS start,
            pg_catalog.pg_get_userbyid(m.lomowner) AS owner, pg_catalog.obj_description(m.oid, 'pg_largeobject') AS comment,
            COALESCE((SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
                       'grantee', CASE WHEN a.grantee <> 0 THEN pg_catalog.pg_get_userbyid(a.grantee) END,
                       'privilege', a.privilege_type, 'grantable', a.is_grantable))
                       FROM pg_catalog.aclexplode(m.lomacl) a WHERE a.grantee <> m.lomowner), '[]') AS rights
       FROM (SELECT * FROM pg_catalog.pg_largeobject_metadata WHERE oid >= $1::oid ORDER BY oid LIMIT $2::int8) m ORDER BY m.oid`,
    [first, count],
  );

interface LargeObjectRun {
  fence: Fence<Session>;
  facts: TargetFacts;
  warn(message: string): void;
  /** Counts bytes that were read. */
  moved(bytes: number): void;
}

export const largeObjectTasks = (
  run: LargeObjectRun,
  groups: readonly Group[],
): Task<{ source: Session; target: Session }>[] =>
  groups.map((group) => ({
    weight: group.count,
    async run({ source, target }) {
      const objects = await readGroup(source, group);
      run.moved(objects.reduce((sum, { start }) => sum + start.length / 2, 0));
      await fenced(target, run.fence, async () => {
        const made: MadeObject = largeObjectsMade(objects.map(({ oid }) => oid));
        await run.fence.record(target, [made]);
        const starts = objects.map(({ oid, start }) => ({ oid, start }));
        await target.query(
          `SELECT pg_catalog.count(pg_catalog.lo_from_bytea(r.oid, pg_catalog.decode(r.start, 'hex')))
             FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(oid oid, start text)`,
          [JSON.stringify(starts)],
        );
        for (const { oid, start } of objects)
          if (start.length === 2 * startBytes) await copyRest(source, target, oid, run.moved);
        const wishes = objects.flatMap((object) => wishesOf(run, object));
        if (wishes.length > 0) await target.run(wishes.join("; "));
      });
    },
  }));

async function copyRest(source: Session, target: Session, oid: number, moved: LargeObjectRun["moved"]): Promise<void> {
  for (let at = startBytes; ; at += chunkBytes) {
    const [row] = await source.query<{ bytes: Buffer }>(
      "SELECT pg_catalog.lo_get($1::oid, $2::int8, $3::int4) AS bytes",
      [oid, at, chunkBytes],
    );
    const bytes = row?.bytes ?? Buffer.alloc(0);
    moved(bytes.length);
    if (bytes.length > 0)
      await target.query("SELECT pg_catalog.lo_put($1::oid, $2::int8, $3::bytea)", [oid, at, bytes]);
    if (bytes.length < chunkBytes) break;
  }
}

/** Statements for what an object has beside its bytes. */
function wishesOf(run: LargeObjectRun, { oid, owner, comment, rights }: LargeObject): string[] {
  const wishes: string[] = [];
  if (comment !== null) wishes.push(`COMMENT ON LARGE OBJECT ${oid} IS ${literal(comment)}`);
  for (const { grantee, privilege, grantable } of rights) {
    if (grantee !== null && !run.facts.known.has(grantee)) {
      run.warn(`rights of role ${printable(grantee)} on large objects are not in the target, which has no such role`);
      continue;
    }
    const to = grantee === null ? "PUBLIC" : identifier(grantee);
    wishes.push(
      `GRANT ${privilege === "UPDATE" ? "UPDATE" : "SELECT"} ON LARGE OBJECT ${oid} TO ${to}${grantable ? " WITH GRANT OPTION" : ""}`,
    );
  }
  if (run.facts.roles.has(owner)) {
    if (owner !== run.facts.user) wishes.push(`ALTER LARGE OBJECT ${oid} OWNER TO ${identifier(owner)}`);
  } else {
    const why = run.facts.known.has(owner) ? "not a member" : "unknown";
    run.warn(`large ${ownerStays({ owner, user: run.facts.user, why })}`);
  }
  return wishes;
}
