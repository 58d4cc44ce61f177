import { qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import type { SourcePeriod, SourceTable } from "./tables.ts";

const quoted = "`((?:[^`]|``)*)`";
const periodLine = new RegExp(`\\n  PERIOD FOR ${quoted} \\(${quoted}, ${quoted}\\)`, "g");
/** Names of columns may hold line ends and brackets. */
const part = "`(?:[^`]|``)*`(?:\\(\\d+\\))?(?: DESC)?";
const keyLine = new RegExp(
  `\\n  (?:PRIMARY KEY|UNIQUE KEY ${quoted}) \\((?:${part},)*${quoted} WITHOUT OVERLAPS\\)`,
  "g",
);
const plain = (name = ""): string => name.replaceAll("``", "`");

const first = 100403;

export async function readPeriods(session: Session, database: string, tables: Iterable<SourceTable>): Promise<void> {
  const { maria, version } = session.server;
  if (!maria || version < first) return;
  for (const table of tables) {
    if (!table.checks.some(({ clause }) => new RegExp(`^${quoted} < ${quoted}$`).test(clause))) continue;
    const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(database, table.name)}`);
    table.periods = periodsIn(shown ?? "").filter(({ name }) => table.checks.some((check) => check.name === name));
    for (const { key, period } of keysIn(shown ?? "")) {
      const index = table.indexes.find(({ name }) => name === key);
      if (index !== undefined && table.periods.some(({ name }) => name === period)) index.period = period;
    }
  }
}

const periodsIn = (shown: string): SourcePeriod[] =>
  [...shown.matchAll(periodLine)].map(([, name, start, end]) => ({
    name: plain(name),
    start: plain(start),
    end: plain(end),
  }));

const keysIn = (shown: string): { key: string; period: string }[] =>
  [...shown.matchAll(keyLine)].map(([, key, period]) => ({
    key: key === undefined ? "PRIMARY" : plain(key),
    period: plain(period),
  }));
