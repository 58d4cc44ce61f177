// How long a run takes and its verification, which the service does by a throw-away server: here by a new one on this machine.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publicSamplesFolder } from "../../dev/public-samples.ts";
import { generateKey } from "../../src/backup/index.ts";
import type { Endpoint } from "../../src/engine/contract/index.ts";
import { endpoint } from "../own.ts";
import { inPeers, type Peers } from "../peers.ts";
import { type Engine, emptyDatabase, mariadb, open, postgres } from "../servers.ts";
import { runOwn, type Tools } from "./own.ts";

/** Seconds. `start`: of the server that the verification restores into, which is part of it. */
export type Times = { run: number; verification: number; start: number };

const seconds = (ms: number): number => Math.round(ms / 10) / 100;

/** Errors: Rowferry's, also where the restored rows are not those of the manifest. */
export const timesOf = async (engine: Engine, database: Endpoint, tools: Tools): Promise<Times> => {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-bench-"));
  const key = await generateKey();
  const asked = { folder, key: key.identity, recipient: key.recipient, checksums: true };
  try {
    const run = await runOwn({ ...asked, work: "backup", database }, tools);
    const begun = performance.now();
    const target = await open(engine);
    const start = performance.now() - begun;
    try {
      await emptyDatabase(target, "dst");
      await runOwn({ ...asked, work: "restore", database: endpoint(target, "dst") }, tools);
      const verification = performance.now() - begun;
      return { run: seconds(run.ms), verification: seconds(verification), start: seconds(start) };
    } finally {
      await target.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const samples = publicSamplesFolder() ?? "";
/** Sakila, and its edition for PostgreSQL. Its script makes the database `sakila` in MariaDB. */
const scripts: Record<Engine, { names: string[]; database: string }> = {
  mysql: { names: ["sakila-mysql-schema.sql", "sakila-mysql-data.sql"], database: "sakila" },
  postgres: { names: ["pagila-postgres-schema.sql", "pagila-postgres-data.sql"], database: "src" },
};

/** Words where the sample is not there. Errors: those of `timesOf`, and of the program that loads it. */
export const measureSample = async (engine: Engine, tools: Tools & { peers: Peers }): Promise<Times | string> => {
  const { names, database } = scripts[engine];
  if (!names.every((name) => existsSync(join(samples, name)))) return `not run, needs ${names[0]}: ROWFERRY_SAMPLES`;
  const server = await open(engine);
  try {
    if (engine === "postgres") await emptyDatabase(server, database);
    const client =
      engine === "mysql"
        ? mariadb(server)
        : `psql -X -q -v ON_ERROR_STOP=1 --single-transaction "${postgres(server, database)}"`;
    for (const name of names)
      await inPeers(tools.peers, `${client} < /mnt/in > /dev/null`, { input: join(samples, name) });
    return await timesOf(engine, endpoint(server, database), tools);
  } finally {
    await server.stop();
  }
};
