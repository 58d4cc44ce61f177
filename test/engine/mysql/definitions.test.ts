import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import { copy } from "../../../src/engine/index.ts";
import { type Flavour, pair, type Servers, startServers } from "../../support/engine/mysql-support.ts";

/**
 * A catalogue's query costs the server the tables that its session holds, times those that the query opens: with ten
 * thousand tables that is minutes. So definitions are read by a session that holds none.
 */
describe.each<Flavour>(["mariadb", "mysql"])("definitions of a %s source", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    process.env.ROWFERRY_PG_BIN = await pgTools();
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  /** What each session of the server ran while `work` went on, by the session's id. */
  async function ran(work: () => Promise<unknown>): Promise<string[][]> {
    const { admin } = servers;
    await admin.query("SET GLOBAL log_output = 'TABLE', GLOBAL general_log = ON; TRUNCATE mysql.general_log");
    try {
      await work();
    } finally {
      await admin.query("SET GLOBAL general_log = OFF, GLOBAL log_output = DEFAULT");
    }
    const [rows] = await admin.query(
      "SELECT thread_id AS id, CONVERT(argument USING utf8mb4) AS text FROM mysql.general_log",
    );
    const sessions = Map.groupBy(rows as { id: string; text: string }[], ({ id }) => id);
    return [...sessions.values()].map((all) => all.map(({ text }) => text));
  }

  const schema =
    "CREATE TABLE a (id int PRIMARY KEY, v varchar(9)); INSERT INTO a VALUES (1, 'x'); CREATE TABLE b (id int)";
  const isCatalogue = (text: string) =>
    /^\s*SELECT[^;]*FROM information_schema\.(COLUMNS|STATISTICS)|^SHOW CREATE TABLE/.test(text);

  test.each(["postgres", "mysql"] as const)("are read by a session that holds no table, into %s", async (engine) => {
    const { source, target } = await pair(servers, schema);
    const { admin } = servers;
    const database = `${source.database}_copy`;
    await admin.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
    const request = {
      ...{ owner: "o", ownerName: "o", source, options: { jobs: 2 }, reset: false },
      target: engine === "postgres" ? target : { ...source, database },
    };
    const sessions = await ran(() =>
      copy(request, {
        signal: new AbortController().signal,
        measured: () => undefined,
        progress: () => undefined,
        log: () => undefined,
      }),
    );
    const holding = sessions.filter((texts) => texts.some((text) => text.includes("WITH CONSISTENT SNAPSHOT")));
    expect(holding).toHaveLength(2);
    expect(holding.flat().filter(isCatalogue)).toEqual([]);
    const ofSource = (text: string) => isCatalogue(text) && text.includes(source.database) && !text.includes(database);
    expect(sessions.flat().filter(ofSource).length).toBeGreaterThan(0);
  });
});
