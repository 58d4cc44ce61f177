import { qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import type { SourcePeriod, SourceTable } from "./tables.ts";

const quoted = "`((?:[^`]|``)*)`";
const names = "`(?:[^`]|``)*`(?:,`(?:[^`]|``)*`)*";
const parserLine = new RegExp(`\\n  FULLTEXT KEY ${quoted} \\(${names}\\) .*\\bWITH PARSER ${quoted}`, "g");
const periodLine = new RegExp(`\\n  PERIOD FOR ${quoted} \\(${quoted}, ${quoted}\\)`, "g");
const checkLine = new RegExp(`\\n  CONSTRAINT ${quoted} CHECK \\(`, "g");
const orderClause = new RegExp(`^${quoted} < ${quoted}$`);
/** Names of columns may hold line ends and brackets. */
const part = "`(?:[^`]|``)*`(?:\\(\\d+\\))?(?: DESC)?";
const keyLine = new RegExp(
  `\\n  (?:PRIMARY KEY|UNIQUE KEY ${quoted}) \\((?:${part},)*${quoted} WITHOUT OVERLAPS\\)`,
  "g",
);
const plain = (name = ""): string => name.replaceAll("``", "`");

/** Parsers of full-text indexes, which only SHOW CREATE TABLE tells. */
export async function readParsers(session: Session, database: string, tables: Iterable<SourceTable>): Promise<void> {
  for (const table of tables) {
    if (!table.indexes.some(({ type }) => type === "FULLTEXT")) continue;
    const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(database, table.name)}`);
    for (const [, key, parser] of (shown ?? "").matchAll(parserLine)) {
      const index = table.indexes.find(({ name, type }) => type === "FULLTEXT" && name === plain(key));
      if (index !== undefined) index.parser = plain(parser);
    }
  }
}

const first = 100403;

export async function readPeriods(session: Session, database: string, tables: Iterable<SourceTable>): Promise<void> {
  const { maria, version } = session.server;
  if (!maria || version < first) return;
  for (const table of tables) {
    if (!table.checks.some(({ clause }) => orderClause.test(clause))) continue;
    const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(database, table.name)}`);
    const order = orderIn(table, shown ?? "");
    if (order === undefined) continue;
    table.periods = periodsIn(shown ?? "").filter(({ name }) => isCalledBy(order.name, name));
    for (const { name } of table.periods) order.period = name;
    for (const { key, period } of keysIn(shown ?? "")) {
      const index = table.indexes.find(({ name }) => name === key);
      if (index !== undefined && table.periods.some(({ name }) => name === period)) index.period = period;
    }
  }
}

/** The check that a period brings: the one in the catalogue that the table's text does not have. */
function orderIn({ checks, columns }: SourceTable, shown: string): SourceTable["checks"][number] | undefined {
  const written = [...shown.matchAll(checkLine)].map(([, name]) => plain(name)).concat(columns.map(({ name }) => name));
  const count = (names: readonly string[], name: string) => names.filter((one) => one === name).length;
  const all = checks.map(({ name }) => name);
  return checks.findLast(({ name, clause }) => orderClause.test(clause) && count(all, name) > count(written, name));
}

/** MariaDB takes the next free name where a check has the period's, in any case of letters; cut to what a name may have. */
const isCalledBy = (check: string, period: string): boolean =>
  check === period || (/^_\d+$/.test(check.slice(period.length)) && check.startsWith(period));

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
