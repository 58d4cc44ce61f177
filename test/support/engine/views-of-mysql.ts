import type mysql from "mysql2/promise";
import type pg from "pg";
import { expect } from "vitest";
import type { Endpoint, InventoryEntry } from "../../../src/engine/contract/index.ts";
import { reset } from "../../../src/engine/run/reset.ts";
import { counted } from "../../../src/guard/text.ts";
import { sourceRows, withoutLastZeros } from "./mysql-support.ts";
import type { Ran } from "./run.ts";

/** Checks views of MySQL and MariaDB after a copy into PostgreSQL, with plain drivers on both sides. */

export const views = (inventory: readonly InventoryEntry[]) => inventory.filter(({ kind }) => kind === "view");

/** `admin`'s current database is the source. `reported`: the reason for each view that is not created. */
export async function expectViews(
  { report }: Ran,
  admin: mysql.Connection,
  target: pg.Client,
  { made, reported }: { made: readonly string[]; reported: Readonly<Record<string, RegExp>> },
): Promise<void> {
  const entries = views(report.inventory);
  const of = (outcome: string) => entries.filter((entry) => entry.outcome === outcome).map(({ name }) => name);
  expect(of("converted").sort(), JSON.stringify(entries, null, 1)).toEqual([...made].sort());
  expect(of("reported").sort()).toEqual(Object.keys(reported).sort());
  expect(entries).toHaveLength(made.length + Object.keys(reported).length);
  for (const { name, outcome, note, definition } of entries) {
    if (outcome === "reported") {
      expect(note, name).toMatch(reported[name] as RegExp);
      expect(definition, name).toMatch(/^CREATE .*VIEW/);
      continue;
    }
    const expected = await sourceRows(admin, `SELECT * FROM \`${name.replaceAll("`", "``")}\``);
    const { rows } = await target.query<(string | null)[]>({
      text: `SELECT * FROM "${name.replaceAll('"', '""')}"`,
      rowMode: "array",
    });
    expect(sorted(rows), name).toEqual(sorted(expected));
    expect(rows.length, name).toBeGreaterThan(0);
    expect(note).toMatch(new RegExp(`^translated; ${counted(rows.length, "row")} in source and target`));
  }
}

/** A reset removes everything that the copy created and keeps another user's view. */
export async function expectGoneByReset({ report, copied }: Ran, target: Endpoint, client: pg.Client): Promise<void> {
  await client.query("CREATE VIEW others AS SELECT 1 AS one");
  await copied.finish();
  const { left } = await reset(
    { owner: "owner-1", ownerName: "the test", target, made: report.made, madeIn: report.target },
    { signal: new AbortController().signal, log: () => undefined },
  );
  expect(left).toEqual([]);
  const { rows: still } = await client.query(
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace",
  );
  expect(still).toEqual([{ relname: "others" }]);
}

const sorted = (rows: (string | null)[][]): string[] =>
  rows.map((row) => JSON.stringify(row.map((value) => value && withoutLastZeros(value)))).sort();
