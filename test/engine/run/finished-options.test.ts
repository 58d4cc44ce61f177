import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { error } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";
import { directions, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** A run that is finished keeps its result until it is stored: it is that of the options it had. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

const schema = [
  "CREATE TABLE a (id int PRIMARY KEY)",
  "CREATE TABLE b (id int PRIMARY KEY)",
  "INSERT INTO a VALUES (1)",
];

describe.each(directions)("%s to %s", (from, to) => {
  test("a finished run is not the answer to other options; to the same ones it is", async () => {
    const both = {
      source: (await servers.make(from, schema)).endpoint,
      target: (await servers.make(to, [])).endpoint,
    };
    const first = await run(both, { options: { jobs: 2, exclude: ["b"] } });
    expect(first.report.tables).toHaveLength(1);
    // Neither how fast it runs nor a default that is named makes another copy of it.
    const again = await run(both, { options: { jobs: 1, exclude: ["b"], include: [], verify: "counts" } });
    expect(again.report).toEqual(first.report);
    expect(again.logs.join("\n")).toContain("the copy was finished and verified by an earlier attempt");
    for (const [options, named] of [
      [{}, "options.exclude"],
      [{ exclude: ["b"], verify: "checksum" }, "options.verify"],
      [{ exclude: ["b"], content: "schema" }, "options.content"],
    ] as const) {
      const refused = await error(run(both, { options: { jobs: 2, ...options } }));
      expect(refused).toMatchObject({ code: "option_invalid" });
      expect(refused.message).toContain(`with other options (${named})`);
      expect(refused.message).toContain("reset the run first");
    }
    const compared = await run(both, {
      reset: true,
      made: first.report.made,
      options: { jobs: 2, verify: "checksum" },
    });
    expect(compared.report.tables).toHaveLength(2);
    // More was compared than is asked for.
    expect((await run(both)).report).toEqual(compared.report);
  });
});
