import { expect } from "vitest";
import type { CopyReport } from "../../../src/engine/contract/index.ts";
import { bytesOf, columnsOf, definitionsOf, type Pair, tablesOf } from "./mysql-mysql-support.ts";

interface Whole {
  tables: number;
  rows: number;
  /** Views in the source. */
  views: number;
  /** Kind and name of the objects that the target's server rejects. */
  reported: readonly string[];
}

/** After a copy between MySQL and MariaDB, every table and view has the same bytes, and only reported objects are missing. */
export async function expectWhole(where: Pair, report: CopyReport, expected: Whole): Promise<void> {
  const reported = report.inventory.filter(({ outcome }) => outcome === "reported");
  expect(reported.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([...expected.reported].sort());
  const tables = await tablesOf(where.from);
  expect(tables).toHaveLength(expected.tables);
  expect(report.tables.reduce((sum, { rows }) => sum + rows.source, 0)).toBe(expected.rows);
  const [before, after] = [await definitionsOf(where.from), await definitionsOf(where.to)];
  const left = new Set(reported.map(({ kind, name }) => `${kind.toUpperCase()} ${name}`));
  expect(Object.keys(after).sort()).toEqual(
    Object.keys(before)
      .filter((object) => !left.has(object))
      .sort(),
  );
  if (where.source.host === where.target.host && where.source.port === where.target.port) {
    const moved = Object.entries(after).map(([object, text]) => [
      object,
      text.replaceAll(`\`${where.database}_copy\`.`, `\`${where.database}\`.`),
    ]);
    expect(Object.fromEntries(moved)).toEqual(before);
  }
  const views = Object.keys(before).flatMap((object) => /^VIEW (.*)$/s.exec(object)?.[1] ?? []);
  expect(views).toHaveLength(expected.views);
  for (const relation of [...tables, ...views.filter((view) => !left.has(`VIEW ${view}`))]) {
    const columns = await columnsOf(where.from, relation);
    expect([relation, await bytesOf(where.to, relation, columns)]).toEqual([
      relation,
      await bytesOf(where.from, relation, columns),
    ]);
  }
}
