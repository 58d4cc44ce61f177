import { isPostgres, type Place, sql } from "../../chaos/contents.ts";
import { begin, type Engine, quote } from "../kinds/index.ts";
import type { Table, View } from "../table.ts";
import { differs, isLost, literal } from "./said.ts";
import type { Shown, Stop } from "./stop.ts";

/** Views that show the rows whose text is equal to another: the same rows, or the report names the view. */

const read = async (place: Place, engine: Engine, name: string): Promise<string> => {
  const rows = await sql(place, `${begin(engine)}; SELECT CAST(id AS char(9)) FROM ${quote(name, engine)}`);
  return rows
    .map(([id]) => (id ?? "").trim())
    .sort()
    .join(",");
};

/** As the source's own server has them. */
export async function readViews(place: Place, engine: Engine, tables: readonly Table[]): Promise<Shown> {
  const shown = new Map<View, string>();
  for (const view of tables.flatMap(({ views }) => views)) shown.set(view, await read(place, engine, view.name));
  return shown;
}

export async function compareViews(stop: Stop, table: Table, shown: Shown): Promise<void> {
  for (const view of table.views) {
    const wanted = shown.get(view) ?? "";
    const [there] = await sql(
      stop.place,
      `SELECT table_name FROM information_schema.views WHERE table_schema = ${isPostgres(stop.place) ? "'public'" : "DATABASE()"} AND table_name = ${isPostgres(stop.place) ? "E" : ""}${literal(view.name)}`,
    );
    if (there === undefined) {
      if (isLost(stop, view, view.name, /view/, ({ outcome }) => outcome === "reported")) continue;
      throw differs(stop, table, view.name, `no view ${JSON.stringify(view.name)}`);
    }
    const found = await read(stop.place, stop.engine, view.name);
    if (found !== wanted)
      throw differs(
        stop,
        table,
        view.name,
        `view ${JSON.stringify(view.name)} shows the rows ${found || "none"} instead of ${wanted || "none"}`,
      );
  }
}
