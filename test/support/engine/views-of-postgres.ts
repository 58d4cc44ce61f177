import type mysql from "mysql2/promise";
import { expect } from "vitest";
import type { InventoryEntry } from "../../../src/engine/contract/index.ts";
import { reset } from "../../../src/engine/run/reset.ts";
import { counted } from "../../../src/guard/text.ts";
import { reader, rows as sourceRows, withoutLastZeros } from "./mysql-support.ts";
import { type Pair, rows } from "./postgres-mysql-support.ts";
import type { Ran } from "./run.ts";

/** Checks views of PostgreSQL after a copy into MySQL or MariaDB, with plain drivers on both sides. */

export const views = (inventory: readonly InventoryEntry[]) =>
  new Map(inventory.filter(({ kind }) => kind === "view").map((entry) => [entry.name, entry]));

export function sourceUrl({ source }: Pair): string {
  const { host, port, user, password, database } = source;
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}

interface Expected {
  made: readonly string[];
  /** The reason for each view that is not created. */
  reported: Readonly<Record<string, RegExp>>;
  /** Columns to compare in a view, if some have another text form in MySQL; by default all. */
  columns?: Readonly<Record<string, string>>;
}

export async function expectViews(
  { report }: Ran,
  both: Pair,
  admin: mysql.Connection,
  { made, reported, columns = {} }: Expected,
): Promise<void> {
  const entries = [...views(report.inventory).values()];
  const of = (outcome: string) => entries.filter((entry) => entry.outcome === outcome).map(({ name }) => name);
  const notes = JSON.stringify(
    entries.map(({ name, note }) => [name, note]),
    null,
    1,
  );
  expect(of("converted").sort(), notes).toEqual([...made].sort());
  expect(of("reported").sort()).toEqual(Object.keys(reported).sort());
  const source = await reader(sourceUrl(both));
  try {
    for (const { name, outcome, note, definition } of entries) {
      if (outcome === "reported") {
        expect(note, name).toMatch(reported[name] as RegExp);
        expect(definition, name).toMatch(/SELECT/);
        continue;
      }
      const chosen = columns[name] ?? "*";
      const copy = name.replace(/^public\./, "").replace(".", "_");
      const expected = await sourceRows(source, `SELECT ${chosen} FROM ${name}`);
      const found = await rows(admin, `SELECT ${chosen} FROM ${both.name}.${copy}`);
      expect(sorted(found), name).toEqual(sorted(expected));
      expect(found.length, name).toBeGreaterThan(0);
      expect(note).toMatch(new RegExp(`^translated; ${counted(found.length, "row")} in source and target`));
      expect(definition).toBeUndefined();
    }
  } finally {
    await source.end();
  }
}

/** A reset removes everything that the copy created and keeps another user's view. */
export async function expectGoneByReset({ report, copied }: Ran, both: Pair, admin: mysql.Connection): Promise<void> {
  await admin.query(`CREATE VIEW ${both.name}.others AS SELECT 1 AS one`);
  await copied.finish();
  const { left } = await reset(
    { owner: "owner-1", ownerName: "the test", target: both.target, made: report.made, madeIn: report.target },
    { signal: new AbortController().signal, log: () => undefined },
  );
  expect(left).toEqual([]);
  const still = `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${both.name}'`;
  expect(await rows(admin, still)).toEqual([["others"]]);
}

/** Rows in one text form and order for both servers. */
const sorted = (found: (string | null)[][]): string[] =>
  found
    .map((row) =>
      JSON.stringify(
        row.map((value) => {
          if (value === "t" || value === "f") return value === "t" ? "1" : "0";
          return value === null ? null : withoutLastZeros(value).replace(/(\.\d*[1-9])0+$|\.0+$/, "$1");
        }),
      ),
    )
    .sort();
