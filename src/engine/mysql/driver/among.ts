import { literal } from "./names.ts";

/** ` AND column IN (…)` for a query of the server's own catalogue. Its names are compared as the server compares them: what comes is looked up again. */
export const among = (column: string, names: readonly string[]): string =>
  ` AND ${names.length === 0 ? "FALSE" : `${column} IN (${names.map(literal).join(", ")})`}`;
