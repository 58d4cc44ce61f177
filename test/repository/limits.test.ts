import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { largestBody, largestUnauthenticatedBody } from "../../src/api/body.ts";
import { bounds as search } from "../../src/api/docs/search.ts";
import { mostRuns as mostBackupRuns, mostSchedules, mostUnfinished } from "../../src/requests/backups/kept.ts";
import { mostMemberships } from "../../src/requests/teams/teams.ts";
import { mostTokens } from "../../src/requests/tokens/tokens.ts";
import { mostOwnTeams } from "../../src/resources/account.ts";
import { mostRuns } from "../../src/resources/run.ts";
import { mostMembers } from "../../src/resources/team.ts";

/** Numbers that docs/limits.md and other pages tell by hand are those of the source. */

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const english = (value: number): string => value.toLocaleString("en-US");

/** The number that a file that exports nothing of it gives a name. */
function constant(path: string, name: string): number {
  const [, value = ""] = new RegExp(`\\b${name}\\b(?: =|:) ([\\d_]+)\\b`).exec(read(path)) ?? [];
  expect(value, `${name} in ${path}`).not.toBe("");
  return Number(value.replaceAll("_", ""));
}

const { limits: chart, api } = parse(read("charts/rowferry/values.yaml")) as {
  limits: Record<string, number>;
  api: Record<string, number>;
};
const page = read("docs/limits.md");

describe("docs/limits.md has the number of", () => {
  const rows: [row: string, value: string][] = [
    ["body", `${english(largestBody)} bytes`],
    ["body of a sign-up or sign-in", `${english(largestUnauthenticatedBody)} bytes`],
    ["nesting of a body", `${constant("src/api/json.ts", "deepest")} levels`],
    ["all headers", `${constant("src/api/server.ts", "largestHeaders") / 1024} KB`],
    ["connection URL", `${english(constant("src/requests/migrations/view/shapes.ts", "longestUrl"))} characters`],
    ["idle connection", `${constant("src/api/server.ts", "keepAliveTimeout") / 1000} seconds`],
    ["connections of a replica", english(api["mostConnections"] ?? 0)],
    ["connections of one address (IPv6: its /64)", english(api["mostConnectionsPerAddress"] ?? 0)],
    ["event streams of an account, on a replica", english(api["mostStreams"] ?? 0)],
    ["event streams of a replica", english(api["mostStreamsInAll"] ?? 0)],
    ["patterns in `include`, `exclude` or `drop`", english(constant("src/resources/options.ts", "mostNames"))],
    [
      "search in the documentation",
      `${search.length} characters; the first ${search.words} words count; ${search.hits} results`,
    ],
    ["tokens of an account", english(mostTokens)],
    ["teams that an account creates", english(mostOwnTeams)],
    ["members of a team", english(mostMembers)],
    ["teams of an account, for others to add it", english(mostMemberships)],
    ["running migrations", english(chart["running"] ?? 0)],
    ["running migrations of a team", english(chart["runningPerNamespace"] ?? 0)],
    ["running migrations that one account created, in all teams", english(chart["runningPerAccount"] ?? 0)],
    ["length of a run, including the wait for a node", `${(chart["runHours"] ?? 0) / 24} days (\`limits.runHours\`)`],
    ["retries of a migration", english(mostRuns)],
    ["resets of a migration", english(mostRuns)],
    [
      "findings of a preflight",
      `${constant("src/requests/migrations/probe/preflight.ts", "mostFindings")}, the most severe first; \`counts\` has all`,
    ],
    ["backup schedules of a team", english(mostSchedules)],
    ["runs of a backup schedule", `${english(mostBackupRuns)}; \`retention\` deletes older ones`],
    ["verifications of a backup run", english(constant("src/requests/backups/verify.ts", "most"))],
    ["unfinished restores of a team", english(mostUnfinished)],
    ["finished restores of a team", english(constant("src/requests/backups/kept.ts", "mostEnded"))],
  ];
  it.each(rows)("%s: %s", (row, value) => {
    expect(page).toContain(`| ${row} | ${value} | `);
  });
});

it("docs/backups.md has the numbers of schedules and of restores", () => {
  const text = read("docs/backups.md").replaceAll("\n", " ").replaceAll(/ +/g, " ");
  expect(text).toContain(`A team has at most ${mostSchedules} schedules.`);
  const ended = constant("src/requests/backups/kept.ts", "mostEnded");
  expect(text).toContain(
    `A team can have ${mostUnfinished} restores that are not finished, and the newest ${ended} of those that`,
  );
});
