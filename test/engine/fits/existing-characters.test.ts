import { afterAll, beforeAll, expect, test } from "vitest";
import type { CopyRequest } from "../../../src/engine/contract/index.ts";
import { run } from "../../support/engine/run.ts";
import { startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** Rows alone into a database or columns whose encoding lacks characters: counted by their column, and nothing is written. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

type Made = Awaited<ReturnType<TwoKinds["make"]>>;

const options = { jobs: 2, content: "data" as const };
const refusal = ({ endpoint: source }: Made, { endpoint: target }: Made): Promise<Error> =>
  run({ source, target } as Pick<CopyRequest, "source" | "target">, { options }).then(
    () => new Error("it was copied"),
    (error: Error) => error,
  );

const table = "CREATE TABLE t (id int PRIMARY KEY, v varchar(40), w text, j json)";
const rows =
  "INSERT INTO t VALUES (1, 'plain', 'Müller ÿ', '{\"a\": \"ü\"}'), (2, 'Ÿ', 'ü', NULL), (3, 'a€b', 'Ж', '[\"я\"]'), (4, NULL, NULL, NULL), (5, '😀', 'é ]^-\\\\', NULL)";

const latin = (encoding: string) => `ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`;

test.each([
  ["postgres", "LATIN1", { v: 3, w: 1, j: 1 }],
  ["postgres", "WIN1252", { v: 1, w: 1, j: 1 }],
  ["postgres", "WIN1251", { v: 2, w: 3, j: 1 }],
  ["postgres", "LATIN9", { v: 1, w: 1, j: 1 }],
] as const)("from %s into a PostgreSQL database of %s", async (from, encoding, counts) => {
  const source = await servers.make(from, [table, rows]);
  const target = await servers.make("postgres", [table], latin(encoding));
  const failed = await refusal(source, target);
  expect(failed).toMatchObject({ code: "data_refused", retryable: false });
  for (const [column, count] of Object.entries(counts))
    expect(failed.message).toMatch(
      new RegExp(
        `t, column ${column} \\([^;]*: ${count} values? do(?:es)? not fit \\(characters that ${encoding} does not have\\)`,
      ),
    );
  await servers.run(source, "DELETE FROM t WHERE id > 1");
  if (encoding !== "WIN1251")
    await (await run({ source: source.endpoint, target: target.endpoint }, { options })).copied.finish();
});

test("from PostgreSQL into columns of MySQL with other character sets", async () => {
  const source = await servers.make("postgres", [table, rows]);
  const target = await servers.make("mariadb", [
    "CREATE TABLE t (id int PRIMARY KEY, v varchar(40) CHARACTER SET latin1, w text CHARACTER SET latin2, j longtext CHARACTER SET utf8mb3)",
  ]);
  await servers.run(source, `UPDATE t SET j = '["😀"]' WHERE id = 4`);
  const failed = await refusal(source, target);
  expect(failed).toMatchObject({ code: "data_refused", retryable: false });
  for (const [column, [count, set]] of Object.entries({
    v: ["1 value does", "latin1"],
    w: ["2 values do", "latin2"],
    j: ["1 value does", "utf8mb3"],
  }))
    expect(failed.message).toMatch(
      new RegExp(`t, column ${column} \\([^;]*: ${count} not fit \\(characters that ${set} does not have\\)`),
    );
  await servers.run(source, "DELETE FROM t WHERE id IN (1, 3, 4, 5)");
  await (await run({ source: source.endpoint, target: target.endpoint }, { options })).copied.finish();
});
