import { EngineError } from "../contract.ts";
import { type PostgresDoubtful, postgresDoubt } from "../fits/of-postgres.ts";
import { postgresValueType } from "../fits/postgres-type.ts";
import { fitOf } from "../fits/rules.ts";
import { printable } from "../postgres/names.ts";
import type { Table } from "../postgres/source.ts";
import { relationOf } from "./via-root.ts";

/** Content `data`: the columns that are there, and whether the source's values fit into them. Pure. */

export interface There {
  at: number;
  found: boolean;
  columns: ThereColumn[];
  filled: boolean;
}

interface ThereColumn {
  name: string;
  type: string;
  base: string;
  enumerated: boolean;
  generated: boolean;
  /** It has to be given a value. */
  required: boolean;
}

/** Errors: `schema_differs` for columns that would change values without an error, or that want one which the source has not. */
export function doubtsOf(tables: readonly Table[], there: readonly There[]): PostgresDoubtful[] {
  const name = (table: Table, column: string) => `${table.schema}.${table.name}.${column}`;
  const wanting = tables.flatMap((table, at) =>
    (there[at]?.columns ?? [])
      .filter((one) => one.required && !table.columns.some((column) => column.name === one.name))
      .map((one) => name(table, one.name)),
  );
  if (wanting.length > 0)
    throw new EngineError(
      "schema_differs",
      `the target has columns that are not in the source and need a value: ${printable(wanting.slice(0, 10).join(", "))}; give them a default`,
    );
  const unfit: string[] = [];
  const doubtful = tables.map((table, at): PostgresDoubtful => {
    const doubts = table.columns.flatMap((column) => {
      const present = there[at]?.columns.find((one) => one.name === column.name);
      if (present === undefined || column.base === present.base) return [];
      const fit = fitOf(
        postgresValueType(column.base, column.binary === "enum"),
        postgresValueType(present.base, present.enumerated),
      );
      if (fit === "always") return [];
      if (fit !== "never") return [postgresDoubt(column.name, [column.type, present.type], fit)];
      unfit.push(`${name(table, column.name)} (${column.type}, ${present.type} in the target)`);
      return [];
    });
    const from = `FROM ${relationOf(table)} ${table.extension?.condition ?? ""}`;
    return { table: `${table.schema}.${table.name}`, bytes: table.bytes, doubts, parts: [from] };
  });
  if (unfit.length === 0) return doubtful;
  throw new EngineError(
    "schema_differs",
    `the target's columns would change values without an error: ${printable(unfit.slice(0, 10).join(", "))}; give them the source's types`,
  );
}
