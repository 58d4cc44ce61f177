import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Entry } from "../../../dev/stripe/state/history.ts";
import { inUnits, smallestIn } from "../../../src/billing/money.ts";
import { installed } from "../../../src/resources/installed.ts";
import { kinds } from "../../../src/resources/objects.ts";
import { random } from "../../chaos/random.ts";
import { type BillingPlace, startPlace, webhookSecret } from "../place.ts";
import { judge, type Known } from "./judge.ts";
import { createPlayer, type Player } from "./person.ts";
import { placeSimulator } from "./simulator.ts";
import { story } from "./story.ts";
import { type Strike, type Struck, strike, strikes } from "./strikes.ts";

export interface Played {
  histories: number;
  /** How often each strike landed. */
  tally: Record<Strike, number>;
  /** Violations of an invariant, and what did not come to an end. */
  failures: string[];
}

export interface Chosen {
  seed: number;
  histories: number;
  /** Histories at a time; 25 by default. */
  atOnce?: number;
}

const replicas = 2;
/** Actions of one account. */
const actions = 8;
/** Milliseconds in which all payments settle after the last strike. */
const calm = 120_000;

/** Random histories against one installation. A failure names the seed and the group that repeat it. */
export async function play({ seed, histories, atOnce = 25 }: Chosen, say: (line: string) => void): Promise<Played> {
  const tally = Object.fromEntries(strikes.map((kind) => [kind, 0])) as Played["tally"];
  const failures: string[] = [];
  const simulator = await placeSimulator();
  const place = await startPlace({
    ...{ replicas, stripe: simulator },
    // Three seconds of grace, so that a retry finds a hold at times.
    operator: { ROWFERRY_HOLD_GRACE_HOURS: String(3 / 3600) },
  });
  try {
    const startSimulator = () =>
      simulator.start({
        url: `${place.installation.place.baseUrl}/webhooks/stripe`,
        secret: webhookSecret,
        ca: join(place.installation.place.folder, installed.apiTls, "ca.crt"),
      });
    await startSimulator();
    await place.control("/settings", { webhookRetrySeconds: [1, 2, 4, 8, 16] });
    let after = 0;
    for (let done = 0; done < histories; done += atOnce) {
      const count = Math.min(atOnce, histories - done);
      const group = done / atOnce;
      const struck: Struck = { place, simulator, startSimulator, random: random(seed, group * 1000) };
      const players = await Promise.all(
        Array.from({ length: count }, (_, at) => createPlayer(place, random(seed, group * 1000 + at + 1), replicas)),
      );
      let acting = true;
      const storm = strikeWhile(() => acting, struck, tally);
      const acted = await Promise.allSettled(players.map(actAll)).finally(() => {
        acting = false;
      });
      await storm;
      for (const one of acted) if (one.status === "rejected") failures.push(`group ${group}: ${one.reason}`);
      const open = await untilSettled(players);
      const answer = await fetch(`${simulator.control}/history?after=${after}`);
      const history = (await answer.json()) as Entry[];
      const known = (await Promise.all(players.map((player) => knownTo(place, player)))).flat();
      const wrong = [...open, ...judge(history, known)];
      failures.push(...wrong.map((line) => `seed ${seed}, group ${group}: ${line}`));
      for (const line of wrong) {
        say(`FAILED ${line}`);
        for (const told of story(history, line.split(" ")[0] ?? "")) say(`  ${told}`);
      }
      say(`group ${group}: ${count} histories, ${known.length} migrations, ${wrong.length} violations`);
      after = history.at(-1)?.n ?? after;
      for (const player of players) await clear(place, player);
    }
    return { histories, tally, failures };
  } finally {
    await place.stop();
  }
}

async function actAll(player: Player): Promise<void> {
  for (let at = 0; at < actions; at += 1) await player.step();
}

async function strikeWhile(acting: () => boolean, struck: Struck, tally: Played["tally"]): Promise<void> {
  while (acting()) {
    const kind = struck.random.pick(strikes);
    await strike(kind, struck);
    tally[kind] += 1;
    await sleep(200 + struck.random.below(800));
  }
  const { control } = struck.place.stripe;
  for (const path of ["/faults", "/webhooks/rules"]) await fetch(`${control}${path}`, { method: "DELETE" });
  await struck.place.control("/webhooks/release");
}

/** One sentence for each account that is not settled in time. */
async function untilSettled(players: readonly Player[]): Promise<string[]> {
  const end = Date.now() + calm;
  let left = [...players];
  while (left.length > 0 && Date.now() < end) {
    const open = await Promise.all(left.map((player) => player.settle()));
    left = left.filter((_, at) => open[at]);
    await sleep(500);
  }
  return left.map(({ person }) => `${person.namespace} did not settle`);
}

async function knownTo(place: BillingPlace, player: Player): Promise<Known[]> {
  const present = new Map((await player.all()).map((migration) => [migration.metadata.name, migration]));
  const { person, seen, sessions, shown } = player;
  return Promise.all(
    [...seen].map(async ([name, { by, amount, currency }]): Promise<Known> => {
      const units = shown.get(name);
      const common: Known = {
        ...{ key: `${person.namespace}/${name}`, account: person.account, by, named: [...sessions] },
        shown: units === undefined ? amount : Math.round(units * smallestIn(currency)),
      };
      const state = present.get(name)?.status?.state;
      if (state === undefined) return common;
      const { cost } = await place.show(person, name);
      return { ...common, state, cost: Math.round(Number(cost ?? inUnits(0, currency)) * smallestIn(currency)) };
    }),
  );
}

/** The next group has a free installation. */
async function clear({ installation }: BillingPlace, { person }: Player): Promise<void> {
  const { client } = installation.plane.admin;
  for (const { metadata } of await client.list(kinds.migrations, { namespace: person.namespace }))
    await client.remove(kinds.migrations, person.namespace, metadata.name, metadata.uid);
}
