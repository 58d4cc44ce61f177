/** What both sides of a comparison are asked for. Shapes only. */

/** Schema (MySQL: database) and table. */
export type TableName = readonly [schema: string, table: string];

/** Takes one row: a field's bytes are good during the call only; null is NULL. */
export type TakeRow = (fields: readonly (Buffer | null)[]) => void;
