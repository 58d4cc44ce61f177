import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A fixture beside a test: `sqlFile(import.meta, "objects.sql")`. */
export const sqlFile = (test: ImportMeta, name: string): string => readFileSync(join(test.dirname, name), "utf8");
