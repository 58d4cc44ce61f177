import type { Random } from "../chaos/random.ts";

/** What the callers ask, and how often: a poll of one Migration is most of it, as with any client of the interface. */

/** One account's caller, and what it may ask for. */
export interface Client {
  token: string;
  team: string;
  /** Ids of all of its Migrations. */
  ids: string[];
  /** Of those that have not ended: their streams stay open. */
  waits: string[];
  /** Of those that have a report. */
  reports: string[];
}

export interface Asked {
  operation: string;
  path: string;
  /** A POST's. */
  body?: object;
  /** The status that is right. */
  expects: number;
}

const get = (operation: string, path: string): Asked => ({ operation, path, expects: 200 });

const one = (client: Client, random: Random) => random.pick(client.ids);

/** The number is the share of all, in thousandths. */
const mix: readonly [share: number, make: (client: Client, random: Random) => Asked][] = [
  [620, (client, random) => get("getMigration", `/api/migrations/${one(client, random)}`)],
  [160, (_client, random) => get("listMigrations", `/api/migrations?limit=${random.pick([10, 20, 50])}`)],
  [30, () => get("listMigrations", "/api/migrations?limit=20&status=completed")],
  [60, (client, random) => get("getMigrationLogs", `/api/migrations/${one(client, random)}/logs`)],
  [30, (client, random) => get("getMigrationReport", `/api/migrations/${random.pick(client.reports)}/report`)],
  [30, () => get("getAccount", "/api/account")],
  [20, () => get("listTeams", "/api/teams")],
  [20, () => get("listTokens", "/api/tokens")],
  [10, (client) => get("listMembers", `/api/teams/${client.team}/members`)],
  [10, () => get("getOpenApi", "/openapi.json")],
  [
    10,
    () => ({
      operation: "createMigration",
      path: "/api/migrations",
      body: {
        source_url: "mysql://reader:secret@127.0.0.1:3306/shop",
        target_url: "postgres://writer:secret@127.0.0.1:5432/shop",
      },
      expects: 201,
    }),
  ],
];

const whole = mix.reduce((sum, [share]) => sum + share, 0);

export function nextAsked(client: Client, random: Random): Asked {
  let at = random.below(whole);
  for (const [share, make] of mix) {
    at -= share;
    if (at < 0) return make(client, random);
  }
  throw new Error("the shares do not add up");
}
