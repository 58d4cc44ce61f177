import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** The interface's sentences on backups, each with the tests that show it by REST and by MCP. */

const root = join(import.meta.dirname, "../..");

/** A file below test/ and the beginning of a test's name. */
type Shown = readonly [file: string, test: string];

const both = {
  used: ["backup-operator/surfaces", "a schedule of a database is made and listed, run at once"],
  token: ["backup-operator/surfaces", "a token that is missing, wrong or revoked opens nothing"],
  team: ["backup-operator/surfaces", "a schedule is its team's alone"],
} as const satisfies Record<string, Shown>;
const agent = ["mcp/backups", "an agent schedules backups, takes one, follows it, and restores it"] as const;
const now = ["api/backups", "a run on demand is one execution of its schedule"] as const;
const points = ["api/backups", "a schedule points at a database, daily unless another interval is set"] as const;
const daily = [
  ["api/backups", "an interval below a day is refused with words"],
  ["mcp/backups", "daily is the shortest interval"],
] as const;

const sentences: readonly (readonly [sentence: string, rest: readonly Shown[], mcp: readonly Shown[]])[] = [
  [
    "It also manages backup schedules for databases: list, create, run on demand, run history, and restore into a target database URL.",
    [both.used, now],
    [both.used, agent],
  ],
  [
    "The Model Context Protocol (MCP) over streamable HTTP, with typed tools. The capability is the same as REST.",
    [both.used],
    [both.used, ["mcp/backups", "storage and the rest of REST's fields are taken too"]],
  ],
  [
    "Restores are never charged.",
    [both.used, ["api/backups-restore", "a completed run is restored into any database URL, free"]],
    [both.used, agent],
  ],
  [
    "Connection URLs are write-only: they are stored encrypted and are never returned by any endpoint.",
    [both.used, ["api/backups", "URLs and credentials are write-only: sealed in the cluster, and in no answer"]],
    [both.used, ["mcp/backups", "no URL is made up: placeholders are refused, and what is given never comes back"]],
  ],
  [
    "Every call is scoped to the token owner's acting team, so a caller sees and changes only that team's resources.",
    [both.team, ["api/backups", "is 403, what nobody has is 404, and nothing of it changes or is listed"]],
    [both.team, ["mcp/backups", "another team's schedule and its runs are refused by each tool, and not listed"]],
  ],
  ["Backup schedule: has an interval (daily is the shortest accepted) and points at a database.", [points], [agent]],
  ["Backup run: one execution of a schedule.", [now], [agent]],
  [
    'A run is described as "completed" before restore.',
    [both.used, ["api/backups-restore", "a run that is %s is not restored: 409"]],
    [both.used, agent],
  ],
  [
    "Backups | {base_url}/mcp | list and create backup schedules, run on demand, history, restore",
    [both.used],
    [agent],
  ],
  ["list-backups-tool | Lists backup schedules.", [["api/backups", "schedules are listed newest first"]], [agent]],
  ["create-backup-tool | Points a schedule at a database.", [points], [both.used, agent]],
  ["Daily is the shortest interval accepted.", [daily[0]], [daily[1]]],
  ["run-backup-now-tool | Takes a backup immediately.", [both.used, now], [both.used, agent]],
  [
    "list-backup-runs-tool | Run history for a schedule.",
    [["api/backups", "the history is newest first, in pages, and by status"]],
    [agent],
  ],
  ["restore-backup-tool | Restores a completed run into a target database URL.", [both.used], [both.used]],
  ["Free, on any host.", [both.used], [both.used]],
  [
    "Callers must never invent connection URLs.",
    [["api/backups", "a URL that a stranger may not name is refused, and nothing is made"]],
    [["mcp/backups", "no URL is made up"]],
  ],
  ["Every REST request and every MCP request carries the header Authorization: Bearer.", [both.token], [both.token]],
  [
    "Missing, wrong or revoked token gives 401; a valid token on a resource of another team gives 403.",
    [both.token, ["api/backups", "is 403, what nobody has is 404"]],
    [both.token, both.team, ["mcp/limits", "a token that was revoked is refused"]],
  ],
  [
    "Restores are outside the probe and write tiers; they are subject only to the read limit. They are never metered.",
    [["api/backups-restore", "restores count in the read tier alone, and are never metered"]],
    [["mcp/backups", "a restore counts as read alone also where it restores, and other tools in the AI tier"]],
  ],
  [
    "AI | 10 per minute and 200 per day | The MCP servers.",
    [["api/limits", "300 reads a minute pass for an owner"]],
    [["mcp/limits", "every request but a handshake and a ping counts in the AI tier"]],
  ],
];

it("lists each sentence once", () => {
  expect(new Set(sentences.map(([sentence]) => sentence)).size).toBe(sentences.length);
  expect(sentences).toHaveLength(21);
});

describe.each(sentences)("%s", (_sentence, rest, mcp) => {
  it.each([
    ["REST", rest],
    ["MCP", mcp],
  ] as const)("by %s", (_surface, shown) => {
    expect(shown.length).toBeGreaterThan(0);
    const missing = shown.filter(([file, name]) => {
      const path = join(root, "test", `${file}.test.ts`);
      return !existsSync(path) || !namesIn(readFileSync(path, "utf8")).some((one) => one.startsWith(name));
    });
    expect(missing).toEqual([]);
  });
});

/** Names of tests and of what groups them, as they are written. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:test|it|describe)(?:\.\w+)*(?:\([\s\S]{0,2000}?\))??\(\s*"((?:[^"\\]|\\.)*)"/g)].map(
    ([, name = ""]) => name,
  );
