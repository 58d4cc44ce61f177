import { describe, expect, test } from "vitest";
import { cases, playOpenings } from "../../support/engine/openings.ts";

/** `npm run chaos -- openings` is the long form. */
const openings = 40;

/** How many connections read. */
const several = 4;

describe("no snapshot is torn while somebody writes", () => {
  test.each<[keyof typeof cases, number]>([
    ["MariaDB, SELECT alone, writes that are not logged", 1],
    ["MariaDB, no locks", 1],
    ["MariaDB, LOCK TABLES and XA", several],
    ["MySQL, SELECT alone, GTIDs without a log", 1],
    ["MySQL, no locks", 1],
    ["MySQL, LOCK TABLES", several],
    ["MySQL, LOCK TABLES and XA", several],
    ["MySQL, RELOAD and XA", several],
  ])("%s", async (name, connections) => {
    const opened = await playOpenings(cases[name], openings);
    expect(opened.torn, JSON.stringify(opened)).toBe(0);
    expect(opened.connections).toEqual({ [connections]: openings });
    expect(opened.written).toBeGreaterThan(0);
    const alone = opened.warnings.filter((words) => words.startsWith("the source was read through one connection"));
    expect(alone).toHaveLength(connections === 1 ? 1 : 0);
    expect(alone.join().includes("options.source_locks is none")).toBe(name.endsWith("no locks"));
  });
});
