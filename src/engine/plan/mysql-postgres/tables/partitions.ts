import type { MadeObject } from "../../../contract/index.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { type Bound, boundsOf, columnsOf } from "../../../mysql/catalogue/partitions.ts";
import { identifier, literal, qualified } from "../../../postgres/driver/names.ts";
import type { ColumnPlan, Scheme } from "../columns/column-plan.ts";
import { nameFor } from "./scheme.ts";

/** Partitions by plain columns as PostgreSQL's own; by an expression a table stays whole, with the reason. */
interface PartitionPlan {
  /** After the column list of CREATE TABLE. */
  clause: string;
  create: string[];
  made: MadeObject[];
  /** Columns that must sort by their bytes: bounds do, and a unique key must have its partitions' collation. */
  bytewise: readonly ColumnPlan[];
  /** How they differ from the source's. */
  remark?: string;
}

export function planPartitions(
  scheme: Scheme,
  source: SourceTable,
  table: string,
  columns: readonly ColumnPlan[],
): PartitionPlan | { reported: string } | undefined {
  const { partitions } = source;
  if (partitions === null) return undefined;
  const method = /^(?:LINEAR )?(RANGE|LIST|HASH|KEY)(?: COLUMNS)?$/.exec(partitions.method)?.[1];
  if (method === undefined) return { reported: `a plain table: PostgreSQL has no partitions by ${partitions.method}` };
  const names =
    partitions.expression === "" && method === "KEY"
      ? (source.indexes.find(({ name }) => name === "PRIMARY")?.parts.map(({ column }) => column ?? "") ?? [])
      : columnsOf(partitions.expression);
  const keys = names?.map((name) => columns.find((column) => column.source.name.toLowerCase() === name.toLowerCase()));
  if (keys === undefined || keys.length === 0 || !keys.every((key) => key !== undefined))
    return { reported: `a plain table: it is partitioned by the expression ${partitions.expression}` };
  const prefixed = source.indexes.some(
    (index) => index.unique && index.parts.some(({ prefix, expression }) => prefix !== null || expression !== null),
  );
  // A primary key or unique constraint cannot be an expression there.
  if (prefixed) return { reported: "a plain table: a unique key of it is on a prefix or an expression" };
  const trouble = keys.map((key) => unfit(key, method)).find((words) => words !== undefined);
  if (trouble !== undefined) return { reported: `a plain table: ${trouble}` };

  const made: MadeObject[] = [];
  const create: string[] = [];
  const add = (part: string, values: string) => {
    const name = nameFor(scheme, `partition ${source.name}\0${part}`, `${table}_${part}`);
    made.push({ kind: "table", name: [scheme.schema, name] });
    create.push(
      `CREATE TABLE ${qualified(scheme.schema, name)} PARTITION OF ${qualified(scheme.schema, table)} ${values}`,
    );
    const comment = partitions.parts.find((one) => one.name === part)?.comment ?? "";
    if (comment !== "") create.push(`COMMENT ON TABLE ${qualified(scheme.schema, name)} IS ${literal(comment)}`);
  };
  const remarks: string[] = [];
  if (partitions.sub !== undefined) remarks.push(`without the subpartitions by ${partitions.sub}`);
  const { parts } = partitions;
  if (method === "HASH" || method === "KEY") {
    parts.forEach(({ name }, index) => {
      add(name, `FOR VALUES WITH (MODULUS ${parts.length}, REMAINDER ${index})`);
    });
    remarks.push("rows are spread by PostgreSQL's own hash");
  } else {
    const bounds = parts.map(({ bound }) => boundsOf(bound, keys.length));
    if (!bounds.every((bound) => bound !== undefined))
      return { reported: "a plain table: a bound of its partitions is no literal" };
    if (method === "RANGE") addRanges(bounds, parts, add);
    else {
      if (keys.length > 1) return { reported: "a plain table: it is partitioned by lists of several columns" };
      bounds.forEach((bound, index) => {
        const values = bound.map(([value]) => sqlOf(value as Bound)).join(", ");
        add(parts[index]?.name ?? "", `FOR VALUES IN (${values})`);
      });
    }
    // MySQL has a place for every NULL and refuses other values; PostgreSQL has one only in a default partition.
    const hasNull = method === "LIST" && bounds.some((bound) => bound.some(([value]) => value === "NULL"));
    if (keys.some(({ nullable }) => nullable) && !hasNull && method === "RANGE") {
      add("default", "DEFAULT");
      remarks.push("a default partition takes the rows with NULL, and what the source's bounds would refuse");
    } else if (keys.some(({ nullable, source: of }) => nullable && !of.nullable)) {
      add("default", "DEFAULT");
      remarks.push("a default partition takes the rows whose date became NULL");
    }
  }
  const words = method === "KEY" ? "HASH" : method;
  const bounded = method === "HASH" || method === "KEY" ? [] : keys.filter(isText);
  const bytewise = bounded.filter(({ source: { name } }) =>
    source.indexes.some(({ unique, parts }) => unique && parts.some(({ column }) => column === name)),
  );
  if (bytewise.length > 0)
    remarks.push(
      `${bytewise.map(({ name }) => name).join(", ")} has the collation "C", by which its bounds and its unique keys sort`,
    );
  const collated = (key: ColumnPlan) => `${identifier(key.name)}${bounded.includes(key) ? ' COLLATE "C"' : ""}`;
  return {
    clause: `PARTITION BY ${words} (${keys.map(collated).join(", ")})`,
    bytewise,
    create,
    made,
    ...(remarks.length === 0 ? {} : { remark: remarks.join("; ") }),
  };
}

const isText = ({ sql }: ColumnPlan): boolean => /^(varchar|text)/.test(sql);

/** Why rows would not fall into the same partitions as in the source. */
function unfit({ name, sql, source, type }: ColumnPlan, method: string): string | undefined {
  if (sql === "boolean" || type.labels !== undefined || /^(jsonb?|text\[\])/.test(sql))
    return `column ${name} is of a type that cannot be a partition key here (${sql})`;
  if (method === "HASH" || method === "KEY") return undefined;
  if (/^(smallint|integer|bigint|numeric|date|timestamp|time|interval|bytea)/.test(sql)) {
    return sql === "bytea" ? `the bounds of column ${name} are bytes` : undefined;
  }
  // Strings of bytes without padding sort as in "C"; any other collation has other bounds.
  if (isText({ sql } as ColumnPlan) && /(_0900_bin|_nopad_bin)$/.test(source.collation ?? "")) return undefined;
  return `the bounds of column ${name} follow the collation ${source.collation ?? sql}`;
}

const sqlOf = (value: Bound): string =>
  typeof value === "string" ? value : /^-?\d+(\.\d+)?$/.test(value.text) ? `'${value.text}'` : literal(value.text);

/** From below all to each bound, and from there to the next. After a MAXVALUE nothing counts. */
function addRanges(
  bounds: readonly Bound[][][],
  parts: readonly { name: string }[],
  add: (part: string, values: string) => void,
): void {
  const width = bounds[0]?.[0]?.length ?? 1;
  let from = `(${Array.from({ length: width }, () => "MINVALUE").join(", ")})`;
  bounds.forEach(([bound = []], index) => {
    const first = bound.indexOf("MAXVALUE");
    const to = `(${bound.map((value, at) => (first >= 0 && at >= first ? "MAXVALUE" : sqlOf(value))).join(", ")})`;
    add(parts[index]?.name ?? "", `FOR VALUES FROM ${from} TO ${to}`);
    from = to;
  });
}
