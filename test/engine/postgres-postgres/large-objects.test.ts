import { afterAll, beforeAll, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { reset } from "../../../src/engine/run/reset.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import {
  copied,
  database,
  endpoint,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
} from "../../support/engine/postgres-support.ts";

/** Many large objects: a group at a time, with one entry for all of them in the report. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

/** Among them one of every length at which reading goes another way. */
const large = `SELECT count(lo_from_bytea(oid, 'x')) FROM generate_series(20000, 21100, 2) oid;
  SELECT lo_from_bytea(30001, ''), lo_from_bytea(30002, decode(repeat('00ff', 2048), 'hex')), lo_from_bytea(30003, decode(repeat('00ff', 2049), 'hex')),
         lo_from_bytea(30004, decode(repeat('00ff', 2048 + 524288), 'hex'));
  COMMENT ON LARGE OBJECT 30002 IS 'it''s two'; GRANT SELECT ON LARGE OBJECT 30003 TO PUBLIC`;
const contents =
  "SELECT m.oid, md5(lo_get(m.oid)) AS hash, m.lomacl::text AS rights, obj_description(m.oid, 'pg_largeobject') AS words FROM pg_largeobject_metadata m ORDER BY 1";

test("are copied with bytes, rights and comments, counted in the report, and removed by a reset that leaves others", async () => {
  const [source, target] = [await database(servers.new, large), await database(servers.new)];
  await sql(target, "SELECT lo_from_bytea(20001, 'mine')");
  const { report } = await copied(source, target);
  expect(report.inventory.filter(({ kind }) => kind === "large object")).toEqual([
    { kind: "large object", name: "all 555", outcome: "copied" },
  ]);
  const made = report.made.filter(({ kind }) => kind === "large objects");
  expect(made).toHaveLength(2);
  const all = await sql<{ oid: number }>(target, contents);
  expect(all.filter(({ oid }) => oid !== 20_001)).toEqual(await sql(source, contents));

  const compare = () => verify({ source: endpoint(source), target: endpoint(target), options: { jobs: 2 } }, hooks());
  const entries = async () => (await compare()).inventory.filter(({ kind }) => kind === "large object");
  expect(await entries()).toEqual([{ kind: "large object", name: "all 555", outcome: "copied" }]);
  await sql(
    target,
    "SELECT lo_put(30004, 1050000, 'X'), lo_unlink(20002); REVOKE ALL ON LARGE OBJECT 30003 FROM PUBLIC",
  );
  const reported = { kind: "large object", outcome: "reported" };
  expect(await entries()).toEqual([
    { ...reported, name: "20002", note: "the target has no large object of this name" },
    { ...reported, name: "30003", note: expect.stringContaining("its grants differ") },
    { ...reported, name: "30004", note: "its content differs" },
    { kind: "large object", name: "552 others", outcome: "copied" },
  ]);
  const { heard: _, ...quiet } = hooks();
  const owner = { owner: "11111111-2222-3333-4444-555555555555", ownerName: "the test", target: endpoint(target) };
  expect(await reset({ ...owner, made: report.made, madeIn: report.target }, quiet)).toMatchObject({
    absent: 1,
    left: [],
  });
  expect(await sql(target, "SELECT oid FROM pg_largeobject_metadata")).toEqual([{ oid: 20_001 }]);
});

test("that would take the oid of one in the target are refused, and named by an assessment", async () => {
  const [source, target] = [await database(servers.new, large), await database(servers.new)];
  await sql(target, "SELECT lo_from_bytea(20004, 'mine')");
  const { findings } = await assess(
    { source: endpoint(source), target: endpoint(target), options: { jobs: 2 } },
    hooks(),
  );
  expect(JSON.stringify(findings)).toContain("large object 20004");
  await expect(copy(request(source, target), hooks())).rejects.toMatchObject({
    code: "target_not_empty",
    message: expect.stringContaining("large object 20004"),
  });
  expect(await sql(target, "SELECT count(*) FROM pg_largeobject_metadata")).toEqual([{ count: "1" }]);
});
