import { expect } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import * as my from "./mysql-mysql-support.ts";
import { endpoint, type Flavour, rows as pgRows, reader } from "./mysql-support.ts";
import { inSource, rows } from "./postgres-mysql-support.ts";
import { run } from "./run.ts";

/** Creates empty databases on every kind of server, and runs `verify` alone between two of them. */

export type Kind = Flavour | "postgres";

export interface Place {
  endpoint: Endpoint;
  /** Runs as administrator. PostgreSQL: a script for psql. MySQL: a statement in a session that stays open. */
  run(sql: string): Promise<unknown>;
  /** The first row of a query, as text from the server. */
  row(sql: string): Promise<(string | null)[]>;
}

let servers: my.Servers;
let postgres: Database;
let counter = 0;

export async function startPlaces(): Promise<void> {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  [servers, postgres] = await Promise.all([my.startServers(), borrowDatabase("postgres")]);
}

export async function endPlaces(): Promise<void> {
  await my.closeClients();
  await Promise.all([servers?.close(), postgres?.stop()]);
}

export async function place(kind: Kind): Promise<Place> {
  const name = `sample_${++counter}`;
  if (kind === "postgres") {
    await inSource(postgres.adminUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
    const url = postgres.urlOf(name, "admin");
    const row = async (sql: string) => {
      const client = await reader(url);
      return (await pgRows(client, sql).finally(() => client.end()))[0] ?? [];
    };
    return { endpoint: endpoint(url, "postgres"), run: (sql) => inSource(url, sql), row };
  }
  const { admin, server } = servers.of[kind];
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  return {
    endpoint: endpoint(server.urlOf(name, "admin"), "mysql"),
    async run(sql) {
      await admin.query(`USE ${name}`);
      await admin.query(sql);
    },
    async row(sql) {
      await admin.query(`USE ${name}`);
      return (await rows(admin, sql))[0] ?? [];
    },
  };
}

export const check = (both: { source: Endpoint; target: Endpoint }) =>
  verify(
    { ...both, options: { jobs: 2 } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );

export const reported = ({ inventory }: Awaited<ReturnType<typeof verify>>) =>
  inventory.flatMap(({ kind, name, outcome, note }) => (outcome === "reported" ? [`${kind} ${name}: ${note}`] : []));

/** Copies into a new database; `verify` then finds only the expected differences. */
export async function expectEqual(source: Place, kind: Kind, differing: readonly string[] = []): Promise<void> {
  const target = await place(kind);
  const both = { source: source.endpoint, target: target.endpoint };
  const { copied } = await run(both);
  await copied.finish();
  const report = await check(both);
  expect([kind, reported(report)]).toEqual([kind, differing]);
  expect([kind, report.missing, report.extra]).toEqual([kind, [], []]);
  expect(report).toMatchObject({
    equal: differing.length === 0,
    objects: { different: differing.length },
    verification: { differences: [], uncompared: [] },
  });
}
