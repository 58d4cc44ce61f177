import { EngineError } from "../contract.ts";
import type { Session } from "./connection.ts";
import { printable } from "./names.ts";

/**
 * Amounts of type money are stored as a whole number of the smallest unit, and written and read by the database's lc_monetary:
 * 150 is 1.50 of one currency, 150 of a second and 0.150 of a third. A definition with an amount is copied as text.
 */
export interface MoneyForm {
  locale: string;
  /** What 1 is stored as, in hex: the decimal places. */
  unit: string;
  /** Some amounts, as they are written. */
  text: string;
}

export async function moneyForm(session: Session): Promise<MoneyForm> {
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
