import { describe, expect, test } from "vitest";
import { cases, playOpenings } from "./openings.ts";

/** `npm run chaos -- openings` is the long form. */
const openings = 40;

/** How many connections read. */
const several = 4;

describe("no snapshot is torn while somebody writes", () => {
  test.each<[keyof typeof cases, number]>([
    ["MariaDB, by its log", several],
    ["MariaDB, LOCK TABLES and XA", several],
    ["MySQL, SELECT alone, GTIDs without a log", 1],
    ["MySQL, LOCK TABLES", several],
  ])("%s", async (name, connections) => {
    const opened = await playOpenings(cases[name], openings);
    expect(opened.torn, JSON.stringify(opened)).toBe(0);
    // A log may fail to show it while others keep the machine busy; a lock does not.
    expect(opened.connections[connections], JSON.stringify(opened)).toBeGreaterThan(0);
    expect(opened.written).toBeGreaterThan(0);
  });
});
