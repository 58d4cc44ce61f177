import type { Session } from "./session.ts";

/** Whether a server tells -0 from 0 in floating point numbers: MySQL does, of MariaDB 11.8.6 does, 10.11 and 11.8.9 do not. */
export async function knowsMinusZero(session: Pick<Session, "query">): Promise<boolean> {
  const [[zero] = []] = await session.query("SELECT '-0' * 1e0");
  return zero === "-0";
}

/** Words for zeros that lost their sign; `column` with its table. */
export const minusZeroMessage = (column: string, zeros: number): string =>
  `column ${column}: ${zeros} values of -0 became 0, since this server knows no minus zero`;

/** Words for JSON documents of MySQL that another MySQL server reads from their text; `column` with its table. */
export const lostDigitsMessage = (column: string, values: number): string =>
  `column ${column}: ${values} ${values === 1 ? "value has" : "values have"} decimal numbers with more digits than MySQL's JSON keeps when it reads a text; they became doubles`;
