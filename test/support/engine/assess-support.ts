import { expect } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import type { CopyOptions, Endpoint } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import type { Case, Kind } from "../../engine/assess/cases.ts";
import * as my from "./mysql-mysql-support.ts";
import { endpoint } from "./mysql-support.ts";
import { unplanned, untrue } from "./planned.ts";
import * as pg from "./postgres-support.ts";
import { run } from "./run.ts";

/** A case's databases, assessed and then copied: where the assessment has a blocker the copy fails for that, and where it has none the copy completes. */
export interface Agreeing {
  agrees(one: Case): Promise<void>;
  stop(): Promise<void>;
}

export async function startAgreeing(): Promise<Agreeing> {
  const [mysql, postgres] = await Promise.all([my.startServers(), pg.startServers()]);
  let counter = 0;

  async function place(kind: Kind, sql: string, encoding?: string): Promise<Endpoint> {
    const name = `agree${++counter}`;
    if (kind === "postgres") {
      const admin = { server: postgres.new, database: "postgres" };
      const more = encoding === undefined ? "" : ` ENCODING '${encoding}' LOCALE 'C'`;
      await pg.sql(admin, `CREATE DATABASE ${name} TEMPLATE template0${more}`);
      if (sql !== "") await pg.sql({ server: postgres.new, database: name }, sql);
      return pg.endpoint({ server: postgres.new, database: name });
    }
    const { admin, server } = mysql.of[kind];
    await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}`);
    if (sql !== "") await admin.query(sql);
    return endpoint(server.urlOf(name, "admin"), "mysql");
  }

  async function as(kind: Kind, to: Endpoint, grants: string): Promise<Endpoint> {
    const user = `poor${counter}`;
    const sql = grants.replaceAll("$user", user).replaceAll("$database", to.database);
    if (kind === "postgres")
      await pg.sql(
        { server: postgres.new, database: to.database },
        `CREATE ROLE ${user} LOGIN PASSWORD 'poor'; ${sql}`,
      );
    else await mysql.of[kind].admin.query(`CREATE USER ${user} IDENTIFIED BY 'poor'; ${sql}`);
    return { ...to, user, password: "poor" };
  }

  async function agrees(one: Case): Promise<void> {
    const source = await place(one.from, one.source);
    const owner = await place(one.to, one.target ?? "", one.encoding);
    const target = one.poor === undefined ? owner : await as(one.to, owner, one.poor);
    // `$source` stands for the source's database.
    const given = Object.entries(one.options?.schemas ?? {}).map(([from, to]) => [
      from === "$source" ? source.database : from,
      to,
    ]);
    const schemas = given.length === 0 ? {} : { schemas: Object.fromEntries(given) };
    const options: CopyOptions = { jobs: 2, ...one.options, ...schemas };
    const request = { source, target, options };
    const found = await assess(request, { signal: new AbortController().signal, log: () => undefined });
    const said = found.findings.map(({ severity, code }) => `${severity} ${code}`);
    const ended = await run({ source, target }, { options }).then(
      async ({ copied, report }) => {
        await copied.finish();
        if (one.equal) {
          const { equal, missing, inventory } = await verify(
            { ...request, options: { ...options, verify: "counts" } },
            { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
          );
          const different = inventory.filter(({ outcome }) => outcome === "reported");
          expect({ equal, missing, different }).toEqual({ equal: true, missing: [], different: [] });
        }
        // What is said of an object before is what becomes of it.
        expect(unplanned(found.objects, report)).toEqual([]);
        expect(untrue(found.objects, report)).toEqual([]);
        const notes = new Map(report.inventory.map(({ kind, name, note }) => [`${kind} ${name}`, note]));
        for (const [name, part] of Object.entries(one.notes ?? {})) expect(notes.get(name), name).toContain(part);
        expect(found.objects.filter(({ note = "" }) => note.includes("cannot be seen"))).toEqual([]);
        return undefined;
      },
      (error: { code: string; message: string }) => error,
    );
    expect(found.target.drops).toEqual(one.drops);
    expect({ ready: found.ready, code: ended?.code, why: ended?.message, said }).toMatchObject({
      ready: one.code === undefined,
      code: one.code,
      said: expect.arrayContaining(one.says ?? []),
    });
  }

  return {
    agrees,
    async stop() {
      await my.closeClients();
      await Promise.all([mysql.close(), postgres.stop()]);
    },
  };
}
