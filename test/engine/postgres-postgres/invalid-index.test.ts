import { afterAll, beforeAll, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { copied, database, endpoint, type Servers, sql, startServers } from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

test.each(["new", "old"] as const)(
  "an index that is not valid in the source is reported, and all else is copied (source: %s)",
  async (from) => {
    const source = await database(
      servers[from],
      "CREATE TABLE t (id int PRIMARY KEY, a int); INSERT INTO t VALUES (1, 1), (2, 1); CREATE TABLE skipped (a int); INSERT INTO skipped VALUES (1), (1)",
    );
    for (const table of ["t", "skipped"])
      await expect(sql(source, `CREATE UNIQUE INDEX CONCURRENTLY ui_${table} ON ${table} (a)`)).rejects.toThrow(
        /duplicate|unique/,
      );
    const target = await database(servers.new);
    const both = { source: endpoint(source), target: endpoint(target), options: { jobs: 1, exclude: ["skipped"] } };
    const silent = { signal: new AbortController().signal, progress: () => undefined, log: () => undefined };
    const { ready, findings, objects } = await assess(both, silent);
    expect(ready).toBe(true);
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "warning",
        object: "index public.ui_t",
        reason: "it is not valid in the source",
      }),
    );
    const { report } = await copied(source, target, { options: both.options });
    const indexes = (all: readonly { kind: string; name: string; outcome: string; note?: string }[]) =>
      all
        .flatMap(({ kind, name, outcome, note = "" }) =>
          /ui_/.test(name) && kind === "index" ? [[name, outcome, note]] : [],
        )
        .sort();
    const skipped = "skipped by options.include or options.exclude";
    const told = [
      ["public.ui_skipped", "not_applicable", skipped],
      ["public.ui_t", "reported", "it is not valid in the source"],
    ];
    expect(indexes(report.inventory)).toEqual(told);
    expect(indexes(objects)).toEqual(told);
    expect(report.warnings).toEqual([
      "index public.ui_t: it is not valid in the source",
      "1 source object was not copied or was changed: 1 index (see the report)",
    ]);
    const { equal, objects: others } = await verify(both, silent);
    expect({ equal, notes: others.notes }).toEqual({
      equal: true,
      notes: ["index public.ui_t: it is not valid in the source"],
    });
  },
);
