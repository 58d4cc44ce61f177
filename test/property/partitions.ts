import { type Engine, quote } from "./kinds/index.ts";
import { labels, limits } from "./kinds/labels.ts";
import type { Partition, Table } from "./table.ts";

/** Tables with partitions by their first column, a number, or by a column of texts: how they are written, and where a row belongs. */

/** Beyond every number that a test gives a row. */
const end = 50;
const first = Array.from({ length: 7 }, (_, n) => n).join(", ");
const rest = Array.from({ length: end - 7 }, (_, n) => n + 7).join(", ");

/** Which partition a row is in; by hash as MySQL has it. */
export function partitionOf(by: Partition, id: number): number {
  if (by === "hash") return id % 3;
  if (by === "list") return id < 7 ? 0 : 1;
  return id < 3 ? 0 : id < 7 ? 1 : 2;
}

/** After the list of columns. */
export function partitionBy({ partition, columns }: Table, engine: Engine): string {
  if (partition === undefined) return "";
  const id = quote(partition.label ?? columns[0]?.name ?? "", engine);
  if (engine === "postgres") return ` PARTITION BY ${partition.by} (${id})`;
  if (partition.label !== undefined) return byLabel(partition, id);
  const [one, two, three] = partition.names.map((name) => quote(name, engine));
  if (partition.by === "hash") return ` PARTITION BY HASH (${id}) PARTITIONS 3`;
  if (partition.by === "list") {
    return ` PARTITION BY LIST (${id}) (PARTITION ${one} VALUES IN (${first}), PARTITION ${two} VALUES IN (${rest}))`;
  }
  return ` PARTITION BY RANGE (${id}) (PARTITION ${one} VALUES LESS THAN (3), PARTITION ${two} VALUES LESS THAN (7),
    PARTITION ${three} VALUES LESS THAN MAXVALUE)`;
}

const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(", ");

function byLabel({ by, names }: NonNullable<Table["partition"]>, label: string): string {
  const [one, two, three] = names.map((name) => quote(name, "mysql"));
  if (by === "hash") return ` PARTITION BY KEY (${label}) PARTITIONS 3`;
  if (by === "list")
    return ` PARTITION BY LIST COLUMNS (${label}) (PARTITION ${one} VALUES IN (${quoted(labels[0])}), PARTITION ${two} VALUES IN (${quoted(labels[1])}))`;
  return ` PARTITION BY RANGE COLUMNS (${label}) (PARTITION ${one} VALUES LESS THAN ('${limits[0]}'), PARTITION ${two} VALUES LESS THAN ('${limits[1]}'),
    PARTITION ${three} VALUES LESS THAN (MAXVALUE))`;
}

/** Tables of their own in PostgreSQL. */
export function partitionTables({ name, partition }: Table): string[] {
  if (partition === undefined) return [];
  const [low, high] = limits;
  const texts = partition.label !== undefined;
  const bounds = {
    range: texts
      ? [`FROM (MINVALUE) TO ('${low}')`, `FROM ('${low}') TO ('${high}')`, `FROM ('${high}') TO (MAXVALUE)`]
      : ["FROM (MINVALUE) TO (3)", "FROM (3) TO (7)", "FROM (7) TO (MAXVALUE)"],
    list: texts ? labels.map((some) => `IN (${quoted(some)})`) : [`IN (${first})`, `IN (${rest})`],
    hash: [0, 1, 2].map((n) => `WITH (MODULUS 3, REMAINDER ${n})`),
  }[partition.by];
  return bounds.map(
    (bound, n) =>
      `CREATE TABLE ${quote(partition.names[n] ?? "", "postgres")} PARTITION OF ${quote(name, "postgres")} FOR VALUES ${bound}`,
  );
}
