import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { connect } from "../../../src/engine/mysql/driver/session.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint } from "../../support/engine/mysql-support.ts";

const servers = new Map<string, Database>();
const kinds = ["mysql", "mariadb"] as const;
beforeAll(async () => {
  await Promise.all(kinds.map(async (kind) => servers.set(kind, await borrowDatabase(kind))));
});
afterAll(() => Promise.all([...servers.values()].map((one) => one.stop())));

test.each(kinds)(
  "%s: a session that ends while statements run or wait ends all the same, and they hear of it",
  async (kind) => {
    const server = servers.get(kind) as Database;
    const own = endpoint(server.adminUrl, "mysql");
    const session = await connect(own, { role: "source", program: "test" });
    const statements = [session.query("SELECT SLEEP(0.2)"), session.query("SELECT 1"), session.query("SELECT 2")];
    const [running, waiting, last, ended] = await Promise.allSettled([...statements, session.end()]);
    expect(["fulfilled", "rejected"]).toContain(running?.status);
    expect([waiting, last]).toMatchObject([
      { reason: { code: "connection_lost" } },
      { reason: { code: "connection_lost" } },
    ]);
    expect(ended?.status).toBe("fulfilled");
    const hanging = await connect(own, { role: "source", program: "test" });
    const [long, over] = await Promise.allSettled([hanging.query("SELECT SLEEP(20)"), hanging.end()]);
    expect([long, over]).toMatchObject([{ reason: { code: "connection_lost" } }, { status: "fulfilled" }]);
  },
);
