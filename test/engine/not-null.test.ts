import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "./run.ts";
import { directions, startTwoKinds, type TwoKinds } from "./two-kinds.ts";

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

test.each(directions)(
  "%s to %s: a column that takes no NULL takes none in the target, and others do",
  async (from, to) => {
    const schema = [
      "CREATE TABLE strict (id int PRIMARY KEY, needed varchar(20) NOT NULL, optional varchar(20))",
      "INSERT INTO strict VALUES (1, 'one', NULL)",
    ];
    const [source, target] = [await servers.make(from, schema), await servers.make(to, [])];
    const { copied } = await run({ source: source.endpoint, target: target.endpoint });
    await copied.finish();
    await servers.run(target, "INSERT INTO strict VALUES (2, 'two', NULL)");
    await expect(servers.run(target, "INSERT INTO strict VALUES (3, NULL, 'three')")).rejects.toThrow(/null/i);
  },
);
