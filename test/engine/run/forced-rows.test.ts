import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { backup, newPlace } from "../../backup/support.ts";
import { run } from "../../support/engine/run.ts";
import { type Kind, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** FORCE ROW LEVEL SECURITY hides rows from the tables' owner: what that user cannot read is never left out in silence. */

let servers: TwoKinds;
let source: Endpoint;
beforeAll(async () => {
  servers = await startTwoKinds();
  const made = await servers.make("postgres", [
    "CREATE ROLE owner_of_rows LOGIN PASSWORD 'secret'",
    `CREATE TABLE t (id int PRIMARY KEY, mine boolean); INSERT INTO t VALUES (1, true), (2, false);
     ALTER TABLE t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY, OWNER TO owner_of_rows;
     CREATE POLICY own ON t USING (mine)`,
  ]);
  source = { ...made.endpoint, user: "owner_of_rows", password: "secret" };
});
afterAll(() => servers?.stop());

const hidden = /row-level security/;

describe.each<Kind>(["postgres", "mariadb"])("from PostgreSQL to %s, as the owner without BYPASSRLS", (kind) => {
  test("copy and verify end with the table that is hidden", async () => {
    const empty = await servers.make(kind, []);
    await expect(run({ source, target: empty.endpoint })).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/row-level security policy for table "t"/),
    });
    const shown = ["CREATE TABLE t (id int PRIMARY KEY, mine boolean)", "INSERT INTO t VALUES (1, true)"];
    const target = await servers.make(kind, shown);
    const ends = { source, target: target.endpoint };
    for (const level of ["counts", "checksum"] as const)
      await expect(
        verify(
          { ...ends, options: { jobs: 1, verify: level } },
          { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
        ),
      ).rejects.toThrow(hidden);
  });

  test("assess names the tables, and a fix that helps their owner", async () => {
    const target = await servers.make(kind, []);
    const { findings } = await assess(
      { source, target: target.endpoint, options: { jobs: 1 } },
      { signal: new AbortController().signal, log: () => undefined },
    );
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "blocker",
        code: "row_security",
        object: "public.t",
        fix: "copy with a role that has BYPASSRLS: FORCE ROW LEVEL SECURITY is in force for the tables' owner too",
      }),
    );
  });
});

test("a backup ends with the cause", async () => {
  await expect(backup(source, await newPlace())).rejects.toThrow(hidden);
});
