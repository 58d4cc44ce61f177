import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import { directions, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** Defaults across engines: numbers and plain texts are compared by value, others only as there or missing. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

const table = (n: string, d: string, t: string) =>
  `CREATE TABLE t (id int PRIMARY KEY, n int DEFAULT ${n}, d decimal(10,2) DEFAULT ${d}, z decimal(6,3) DEFAULT 0,
     t varchar(20) DEFAULT ${t}, o varchar(20) DEFAULT 'it''s', e varchar(20) DEFAULT 'a b')`;

test.each(directions.filter(([from, to]) => from !== to))("%s to %s", async (from, to) => {
  const source = await servers.make(from, [table("-7", "1.5", "'plain-1'")]);
  const differing = async (statement: string) => {
    const target = await servers.make(to, [statement]);
    const { inventory } = await verify(
      { source: source.endpoint, target: target.endpoint, options: { jobs: 1 } },
      { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
    );
    return inventory.flatMap(({ kind, name, outcome, note }) =>
      kind === "column" && outcome === "reported" ? [`${name.replace(/^\w+\./, "")}: ${note}`] : [],
    );
  };
  expect(await differing(table("-7", "1.50", "'plain-1'"))).toEqual([]);
  expect(await differing(table("7", "1.05", "'plain-2'"))).toEqual([
    "t.n: its default is -7 in the source and 7 in the target",
    "t.d: its default is 1.5 in the source and 1.05 in the target",
    "t.t: its default is plain-1 in the source and plain-2 in the target",
  ]);
});
