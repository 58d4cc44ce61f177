import { afterAll, beforeAll, expect, test } from "vitest";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { interrupted, run } from "../../support/engine/run.ts";
import { directions, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** Values that the source gets between a kill and the next attempt: named and counted, and neither cut nor rounded. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

const table = (name: string, d: string) => `CREATE TABLE ${name} (id int PRIMARY KEY, d ${d}, v varchar(200))`;
const doubled = "INSERT INTO big SELECT id + (SELECT MAX(id) FROM big), d, v FROM big";
const rows = [
  table("small", "numeric(14,4)"),
  table("big", "numeric(14,4)"),
  "INSERT INTO small VALUES (1, 1.25, 'a'), (2, NULL, 'b')",
  "INSERT INTO big VALUES (1, 1.25, REPEAT('x', 190))",
  ...Array.from({ length: 13 }, () => doubled),
];
const isSmall = (name: string) => /(?:^|\.)small$/.test(name);

const narrow = "numeric(10,2)";
const optionsOf = {
  "rows alone": { content: "data" },
  types: { types: { "small.d": narrow, "big.d": narrow } },
} as const satisfies Record<string, Partial<CopyOptions>>;
/** `small` was finished, `big` was not. */
const cases = directions.flatMap(([from, to]) =>
  (from === to ? (["rows alone"] as const) : (["rows alone", "types"] as const)).flatMap((way) =>
    ["small", "big"].map((name) => [from, to, way, name] as const),
  ),
);

test.each(cases)(
  "%s to %s, %s: a value of table %s that does not fit any more ends the next attempt",
  async (from, to, way, name) => {
    const options = optionsOf[way];
    const [source, target] = [
      await servers.make(from, rows),
      await servers.make(to, way === "types" ? [] : [table("small", narrow), table("big", narrow)]),
    ];
    const both = { source: source.endpoint, target: target.endpoint };
    const done = ({ name, state }: { name: string; state: string }) => isSmall(name) && state === "done";
    await interrupted(both, ({ table }) => table.some(done), { ...options, bandwidth: 300_000 });
    await servers.run(source, `UPDATE ${name} SET d = 1.2345 WHERE id = 1`);
    await expect(run(both, { options: { jobs: 2, ...options } })).rejects.toMatchObject({
      code: "data_refused",
      retryable: false,
      message: expect.stringMatching(
        new RegExp(
          `^nothing was written: table (?:public\\.)?${name}, column d [^;]*: 1 value does not fit \\(more than 8 digits before or 2 after the point\\);`,
        ),
      ),
    });
    await servers.run(source, `UPDATE ${name} SET d = 1.5 WHERE id = 1`);
    const { report, copied } = await run(both, { options: { jobs: 2, verify: "checksum", ...options } });
    await copied.finish();
    expect(report.verification?.differences).toEqual([]);
  },
);
