import { afterAll, beforeAll, expect, test } from "vitest";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { endPlaces, type Kind, type Place, place, startPlaces } from "../../support/engine/verify-places.ts";

/** Tables of a PostgreSQL side that the user of `verify` may not read. */

beforeAll(startPlaces);
afterAll(endPlaces);

const password = "only-for-tests";
const asWriter = (endpoint: Endpoint): Endpoint => ({ ...endpoint, user: "verify_writer", password });
let isMade = false;

const tables = "CREATE TABLE a (i int PRIMARY KEY); INSERT INTO a VALUES (1)";

async function both(from: Kind): Promise<{ source: Place; target: Place }> {
  const [source, target] = [await place(from), await place("postgres")];
  for (const statement of tables.split("; ")) await source.run(statement);
  await target.run(`${tables}; ${isMade ? "" : `CREATE ROLE verify_writer LOGIN PASSWORD '${password}';`}`);
  isMade = true;
  await target.run("GRANT SELECT ON a TO verify_writer");
  return { source, target };
}

const check = async ({ source, target }: { source: Endpoint; target: Endpoint }, exclude?: string[]) =>
  verify(
    { source, target, options: { jobs: 2, ...(exclude === undefined ? {} : { exclude }) } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );

test.each<Kind>(["postgres", "mysql"])(
  "a table that only the target has, with its sequence, is named as not compared with the GRANT (from %s)",
  async (from) => {
    const { source, target } = await both(from);
    await target.run("CREATE TABLE extra (i serial, t text); CREATE SCHEMA own; CREATE TABLE own.x (i int)");
    const found = await check({ source: source.endpoint, target: asWriter(target.endpoint) });
    expect(found.warnings).toContain(
      'not compared, and not in the source: user "verify_writer" may not read tables own.x, public.extra of the target database: GRANT USAGE ON SCHEMA "own", "public" TO "verify_writer"; GRANT SELECT ON "own"."x", "public"."extra" TO "verify_writer"',
    );
    expect(found).toMatchObject({ missing: [], extra: ["own.x", "public.extra"], verification: { rows: 1 } });
    expect(found.verification.differences).toEqual([]);
    await target.run(`GRANT USAGE ON SCHEMA own TO verify_writer; GRANT SELECT ON own.x, extra TO verify_writer`);
    expect((await check({ source: source.endpoint, target: asWriter(target.endpoint) })).warnings.join()).not.toContain(
      "may not read",
    );
  },
);

test("a table that is compared needs the right, and so does a sequence: the error names both and the GRANT", async () => {
  const { source, target } = await both("postgres");
  await source.run("CREATE TABLE b (i int); CREATE SEQUENCE s");
  await target.run("CREATE TABLE b (i int); CREATE SEQUENCE s");
  const sides = { source: source.endpoint, target: asWriter(target.endpoint) };
  await expect(check(sides)).rejects.toMatchObject({
    code: "permission_denied",
    message:
      'user "verify_writer" may not read table public.b of the target database: GRANT USAGE ON SCHEMA "public" TO "verify_writer"; GRANT SELECT ON "public"."b" TO "verify_writer"',
  });
  await target.run("GRANT SELECT ON b TO verify_writer");
  await expect(check(sides)).rejects.toMatchObject({
    code: "permission_denied",
    message:
      'user "verify_writer" may not read sequence public.s of the target database: GRANT USAGE ON SCHEMA "public" TO "verify_writer"; GRANT SELECT ON ALL SEQUENCES IN SCHEMA "public" TO "verify_writer"',
  });
});

test("a table of the source that the selection leaves out needs no right", async () => {
  const { source, target } = await both("postgres");
  await source.run("CREATE TABLE secret (i serial)");
  await source.run("GRANT SELECT ON a TO verify_writer");
  const sides = { source: asWriter(source.endpoint), target: asWriter(target.endpoint) };
  await expect(check(sides)).resolves.toMatchObject({ missing: ["public.secret"] });
  await expect(check(sides, ["secret"])).resolves.toMatchObject({ missing: [], extra: [] });
});
