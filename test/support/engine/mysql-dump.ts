/**
 * mysqldump's text of a database, so that two of them can be compared: without the name of the database, which a copy
 * beside the source on one server cannot share, without spaces at the ends of lines, and without the semicolon that a server
 * keeps of a trigger or routine when it came with other statements. Pure.
 */
export const normalDump = (dump: string, database: string): string[] =>
  dump
    .replaceAll(`${database}_copy`, database)
    .split("\n")
    .map((line) => line.trimEnd().replace(/;( \*\/)?( ?;;)$/, "$1$2"))
    .filter((line) => line !== "");
