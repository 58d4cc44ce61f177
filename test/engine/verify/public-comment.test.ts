import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import { copied, database, endpoint, type Servers, sql, startServers } from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

test.each(["new", "old"] as const)(
  "the comment on schema public is copied, and a verification compares it (source: %s)",
  async (from) => {
    const source = await database(
      servers[from],
      "CREATE TABLE t (id int PRIMARY KEY); COMMENT ON SCHEMA public IS 'pubc'",
    );
    const target = await database(servers.new);
    await copied(source, target);
    const compared = () =>
      verify(
        { source: endpoint(source), target: endpoint(target), options: { jobs: 1 } },
        { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
      );
    expect((await compared()).equal).toBe(true);
    await sql(target, "COMMENT ON SCHEMA public IS 'other'");
    const { equal, inventory } = await compared();
    expect(equal).toBe(false);
    expect(inventory).toContainEqual(
      expect.objectContaining({
        kind: "comment",
        name: expect.stringMatching(/^schema "?public"?$/),
        outcome: "reported",
      }),
    );
  },
);
