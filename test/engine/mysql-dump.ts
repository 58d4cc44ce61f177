/**
 * mysqldump's text of a database, so that two of them can be compared: without the name of the database, which a copy
 * beside the source on one server cannot share, and without spaces at the ends of lines. Pure.
 */
export const normalDump = (dump: string, database: string): string[] =>
  dump
    .replaceAll(`${database}_copy`, database)
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
