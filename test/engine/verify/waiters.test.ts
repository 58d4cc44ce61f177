import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import { run } from "../../support/engine/run.ts";
import { startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** A change of a table of PostgreSQL that waits for the comparison's locks. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

const table = [
  "CREATE TABLE t (id int PRIMARY KEY, v varchar(1000))",
  "INSERT INTO t VALUES (1, REPEAT('x', 1000))",
  ...Array.from({ length: 10 }, () => "INSERT INTO t SELECT id + (SELECT MAX(id) FROM t), v FROM t"),
];

const words = (side: string) =>
  new RegExp(
    `^session \\d+ \\(user postgres\\) has waited for \\d+ s to lock table public\\.t of the ${side}, which is being compared; .*ALTER TABLE t .*: change tables of the ${side} before the comparison or after it, or set a longer blocking_timeout$`,
  );

test.each([
  ["postgres", "mariadb", "source"],
  ["postgres", "postgres", "target"],
] as const)("%s to %s, in the %s: goes on when the comparison ends with the cause", async (from, to, side) => {
  const [source, target] = [await servers.make(from, table), await servers.make(to, [])];
  const both = { source: source.endpoint, target: target.endpoint };
  await (await run(both)).copied.finish();
  const changed = side === "source" ? source : target;
  let altered: Promise<void> | undefined;
  const compared = verify(
    { ...both, options: { jobs: 1, bandwidth: 1_000, blocking_timeout: 1 } },
    {
      signal: new AbortController().signal,
      log: () => undefined,
      progress: ({ phase }) => {
        if (phase === "verifying") altered ??= servers.run(changed, "ALTER TABLE t ADD COLUMN n int");
      },
    },
  );
  await expect(compared).rejects.toMatchObject({
    code: "source_changed",
    retryable: true,
    side,
    message: expect.stringMatching(words(side)),
  });
  await altered;
  await servers.run(changed, "UPDATE t SET n = 1");
});
