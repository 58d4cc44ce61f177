import type { Fence } from "../fence.ts";
import type { Session } from "../postgres/connection.ts";
import { fenced } from "../postgres/fence.ts";
import { identifier, literal } from "../postgres/names.ts";
import type { Task } from "../postgres/work.ts";
import type { TargetFacts } from "./apply.ts";

/** Large objects keep their oids, since rows refer to them by these; with owner, rights and comment. */

export interface LargeObject {
  oid: number;
  owner: string;
  comment: string | null;
  /** Rights beyond the owner's; grantee is null for everybody. */
  rights: { grantee: string | null; privilege: string; grantable: boolean }[];
}

export const readLargeObjects = (source: Session) =>
  source.query<LargeObject>(
    `SELECT m.oid::int8 AS oid, pg_catalog.pg_get_userbyid(m.lomowner) AS owner,
            pg_catalog.obj_description(m.oid, 'pg_largeobject') AS comment,
            COALESCE((SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
                       'grantee', CASE WHEN a.grantee <> 0 THEN pg_catalog.pg_get_userbyid(a.grantee) END,
                       'privilege', a.privilege_type, 'grantable', a.is_grantable))
                       FROM pg_catalog.aclexplode(m.lomacl) a WHERE a.grantee <> m.lomowner), '[]') AS rights
       FROM pg_catalog.pg_largeobject_metadata m ORDER BY m.oid`,
  );

export interface LargeObjectRun {
  fence: Fence<Session>;
  facts: TargetFacts;
  warn(message: string): void;
}

const perTransaction = 500;
const chunkBytes = 1 << 20;

export function largeObjectTasks(
  run: LargeObjectRun,
  objects: readonly LargeObject[],
): Task<{ source: Session; target: Session }>[] {
  const groups: LargeObject[][] = [];
  for (let start = 0; start < objects.length; start += perTransaction)
    groups.push(objects.slice(start, start + perTransaction));
  return groups.map((group) => ({
    weight: group.length,
    async run({ source, target }) {
      await fenced(target, run.fence, async () => {
        await run.fence.record(
          target,
          group.map(({ oid }) => ({ kind: "large object", name: [String(oid)] })),
        );
        for (const object of group) await copyOne(run, source, target, object);
      });
      return [];
    },
  }));
}

async function copyOne(run: LargeObjectRun, source: Session, target: Session, object: LargeObject): Promise<void> {
  const { oid, owner, comment, rights } = object;
  await target.query("SELECT pg_catalog.lo_create($1::oid)", [oid]);
  for (let at = 0; ; at += chunkBytes) {
    const [row] = await source.query<{ bytes: Buffer }>(
      "SELECT pg_catalog.lo_get($1::oid, $2::int8, $3::int4) AS bytes",
      [oid, at, chunkBytes],
    );
    const bytes = row?.bytes ?? Buffer.alloc(0);
    if (bytes.length > 0)
      await target.query("SELECT pg_catalog.lo_put($1::oid, $2::int8, $3::bytea)", [oid, at, bytes]);
    if (bytes.length < chunkBytes) break;
  }
  const wishes: string[] = [];
  if (comment !== null) wishes.push(`COMMENT ON LARGE OBJECT ${oid} IS ${literal(comment)}`);
  const known = (role: string) => {
    if (run.facts.roles.has(role)) return true;
    run.warn(
      `large objects of or for role ${role} stay with ${run.facts.user}: the target has no such role that may be used`,
    );
    return false;
  };
  for (const { grantee, privilege, grantable } of rights) {
    if (grantee !== null && !known(grantee)) continue;
    const to = grantee === null ? "PUBLIC" : identifier(grantee);
    wishes.push(
      `GRANT ${privilege === "UPDATE" ? "UPDATE" : "SELECT"} ON LARGE OBJECT ${oid} TO ${to}${grantable ? " WITH GRANT OPTION" : ""}`,
    );
  }
  if (owner !== run.facts.user && known(owner)) wishes.push(`ALTER LARGE OBJECT ${oid} OWNER TO ${identifier(owner)}`);
  if (wishes.length > 0) await target.run(wishes.join("; "));
}
