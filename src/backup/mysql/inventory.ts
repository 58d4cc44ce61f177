import type { Catalogue } from "../../engine/mysql/catalogue/catalogue.ts";

/** Every object of a database by kind and name, sorted. Pure. */
export function databaseInventory({
  tables,
  others,
}: Pick<Catalogue, "tables" | "others">): { kind: string; name: string }[] {
  const found = tables.flatMap(({ name, columns, indexes, foreignKeys, checks, partitions }) => {
    const parts = (kind: string, list: readonly { name: string }[]) =>
      list.map((one) => ({ kind, name: `${name}.${one.name}` }));
    return [
      { kind: "table", name },
      ...parts("column", columns),
      ...parts("index", indexes),
      ...parts("foreign key", foreignKeys),
      ...parts("check", checks),
      ...(partitions === null ? [] : [{ kind: "partitions", name }]),
    ];
  });
  const key = ({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`;
  const all = new Map([...found, ...others.map(({ kind, name }) => ({ kind, name }))].map((one) => [key(one), one]));
  return [...all.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
