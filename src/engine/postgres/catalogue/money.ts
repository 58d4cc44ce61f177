import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import type { Session } from "../driver/connection.ts";

/**
 * Amounts of type money are stored as a whole number of the smallest unit, and written and read by the database's lc_monetary:
 * 150 is 1.50 of one currency, 150 of a second and 0.150 of a third. A definition with an amount is copied as text.
 */
interface MoneyForm {
  locale: string;
  /** What 1 is stored as, in hex: the decimal places. */
  unit: string;
  /** Some amounts, as they are written. */
  text: string;
}

async function moneyForm(session: Session): Promise<MoneyForm> {
  const amount = (units: string) => `(${units}::pg_catalog.int4::pg_catalog.money)::pg_catalog.text`;
  const [form] = await session.query<MoneyForm>(
    `SELECT pg_catalog.current_setting('lc_monetary') AS locale, pg_catalog.encode(pg_catalog.cash_send(1::pg_catalog.int4::pg_catalog.money), 'hex') AS unit,
            ${amount("1234567")} || ' ' || ${amount("'-1'")} AS text`,
  );
  return form as MoneyForm;
}

/** What it means that the two differ; undefined where they do not. Pure. */
export function otherMoney(ours: MoneyForm, theirs: MoneyForm): string | undefined {
  if (ours.unit === theirs.unit && ours.text === theirs.text) return undefined;
  const places = ours.unit === theirs.unit ? "" : ", with another number of decimal places";
  const [here, there] = [ours, theirs].map(
    ({ locale, text }) => `${printable(text)} (lc_monetary ${printable(locale)})`,
  );
  return `it writes amounts of type money as ${there}, and the source as ${here}${places}: set both alike by ALTER DATABASE … SET lc_monetary`;
}

/** Errors: `schema_differs`, where the source has columns of money that the target would write, or read a default of, otherwise. */
export async function refuseOtherMoney(source: Session, target: Session): Promise<void> {
  const [{ used } = { used: false }] = await source.query<{ used: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_attribute a
       JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
       JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
      WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'm', 'v', 'c')
        AND 'pg_catalog.money'::pg_catalog.regtype IN (t.oid, t.typelem, t.typbasetype)) AS used`,
  );
  if (!used) return;
  const words = otherMoney(await moneyForm(source), await moneyForm(target));
  if (words !== undefined) throw new EngineError("schema_differs", `the target database: ${words}`, { side: "target" });
}

/** Whether values of such a type are amounts: `type` is below its domains. */
export const isMoney = (type: string): boolean => /^"?money"?(?:\[\])?$/.test(type);

/**
 * Numbers that go into columns of money: lc_monetary may take their point for one between thousands, or have other decimal
 * places. `columns` as messages name them. Errors: `schema_differs`.
 */
export async function refuseMoneyOfNumbers(target: Session, columns: readonly string[]): Promise<void> {
  if (columns.length === 0) return;
  const [row] = await target.query<{ locale: string; same: boolean; text: string }>(
    `SELECT pg_catalog.current_setting('lc_monetary') AS locale,
            pg_catalog.bool_and((n::pg_catalog.text::pg_catalog.money)::pg_catalog.numeric = n) AS same,
            pg_catalog.max((n::pg_catalog.text::pg_catalog.money)::pg_catalog.text) AS text
       FROM (VALUES (1234567.25::pg_catalog.numeric), (-0.05)) v(n)`,
  );
  if (row === undefined || row.same) return;
  throw new EngineError(
    "schema_differs",
    `${printable(columns.slice(0, 10).join(", "))}: the target database (lc_monetary ${printable(row.locale)}) reads the number 1234567.25 as ${printable(row.text)}, another amount of type money: make these columns numeric, or run ALTER DATABASE … SET lc_monetary = 'C' there`,
    { side: "target" },
  );
}
