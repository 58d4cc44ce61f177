import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openProxy } from "../../chaos/proxy.ts";
import { error } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";
import { directions, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** Somebody changes the target when nothing but the counts can see it: after the rows were loaded, before they are counted. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

const schema = [
  "CREATE TABLE counted (id int PRIMARY KEY, word varchar(20))",
  "INSERT INTO counted VALUES (1, 'one'), (2, 'two'), (3, 'three')",
];

describe.each(directions)("%s to %s", (from, to) => {
  test.each([
    ["lost", "DELETE FROM counted WHERE id = 2", 2],
    ["gained", "INSERT INTO counted VALUES (4, 'four')", 4],
  ])(
    "a row that the target %s after the load fails the copy, with the table and both numbers",
    async (_, text, left) => {
      const [source, target] = [await servers.make(from, schema), await servers.make(to, [])];
      let changes = 0;
      const proxy = await openProxy(servers.port(to), {
        before: async (sent) => {
          if (changes > 0 || !/count\(\*\).*counted/is.test(sent.toString("latin1"))) return;
          changes += 1;
          await servers.run(target, text);
        },
      });
      try {
        // Readable on its way, which the proxy needs.
        const through = { ...target.endpoint, port: proxy.port, tls: { mode: "disable" as const } };
        const ended = await error(run({ source: source.endpoint, target: through }));
        expect(changes).toBe(1);
        expect(ended.code).toBe("row_count_mismatch");
        const counts = `counted has 3 rows in the source and ${left} in the target`;
        expect(ended.message).toMatch(
          new RegExp(
            `^table (public\\.)?${counts}: nothing else may write to the target while it is copied; reset and run again$`,
          ),
        );
      } finally {
        await proxy.close();
      }
    },
  );
});
