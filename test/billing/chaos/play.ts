import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Entry } from "../../../dev/stripe/state/history.ts";
import { smallestIn } from "../../../src/billing/money.ts";
import { installed } from "../../../src/resources/crd/installed.ts";
import { kinds } from "../../../src/resources/objects.ts";
import { random } from "../../chaos/random.ts";
import { until } from "../../operator/control-plane.ts";
import { type BillingPlace, startPlace, webhookSecret } from "../place.ts";
import { judge, type Known } from "./judge.ts";
import { createPlayer, type Player } from "./person.ts";
import { placeSimulator } from "./simulator.ts";
import { type Deed, deeds, story } from "./story.ts";
import { type Strike, type Struck, strike, strikes } from "./strikes.ts";

export interface Played {
  histories: number;
  /** How often each strike landed. */
  tally: Record<Strike, number>;
  /** How often the players did what a calm account never does. */
  done: Record<Deed, number>;
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
  const done = deeds([]);
  const failures: string[] = [];
  const simulator = await placeSimulator();
  const place = await startPlace({
    ...{ replicas, stripe: simulator },
    // Three seconds of grace, so that a retry finds a hold at times.
    operator: { ROWFERRY_HOLD_GRACE_HOURS: String(3 / 3600) },
    api: { ROWFERRY_PRO_PRICE: '{"amount":49,"interval":"month"}' },
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
    for (let begun = 0; begun < histories; begun += atOnce) {
      const count = Math.min(atOnce, histories - begun);
      const group = begun / atOnce;
      const struck: Struck = { place, simulator, startSimulator, random: random(seed, group * 1000) };
      // A few at a time: a sign-up costs the API's process a second.
      const players: Player[] = [];
      while (players.length < count) {
        const some = Array.from({ length: Math.min(5, count - players.length) }, (_, at) =>
          createPlayer(place, random(seed, group * 1000 + players.length + at + 1), replicas),
        );
        players.push(...(await Promise.all(some)));
      }
      let acting = true;
      const storm = strikeWhile(() => acting, struck, tally);
      // Awaited below: until then a failure must not end the process, which would leave servers behind.
      storm.catch(() => {});
      const acted = await Promise.allSettled(players.map(actAll)).finally(() => {
        acting = false;
      });
      await storm;
      const ended = acted.flatMap((one) => (one.status === "rejected" ? [`group ${group}: ${one.reason}`] : []));
      failures.push(...ended);
      for (const line of ended) say(`FAILED ${line}`);
      const open = await untilSettled(players);
      const answer = await fetch(`${simulator.control}/history?after=${after}`);
      const history = (await answer.json()) as Entry[];
      for (const [name, times] of Object.entries(deeds(history))) done[name as Deed] += times;
      const known = (await Promise.all(players.map((player) => knownTo(place, player)))).flat();
      const wrong = [...open, ...judge(history, known)];
      failures.push(...wrong.map((line) => `seed ${seed}, group ${group}: ${line}`));
      for (const line of wrong) {
        say(`FAILED ${line}`);
        for (const told of story(history, line.split(" ")[0] ?? "")) say(`  ${told}`);
      }
      say(refusals(players));
      say(`group ${group}: ${count} histories, ${known.length} migrations, ${wrong.length} violations`);
      after = history.at(-1)?.n ?? after;
      for (const player of players) await clear(place, player);
    }
    return { histories, tally, done, failures };
  } finally {
    await place.stop();
  }
}

function refusals(players: readonly Player[]): string {
  const all = players.flatMap(({ refused }) => [...refused]).filter(([why]) => !/^[0-9a-f-]{36} /.test(why));
  const grouped = [...Map.groupBy(all, ([why]) => why)];
  return `  refused: ${grouped.map(([why, each]) => `${each.reduce((sum, [, times]) => sum + times, 0)} ${why}`).join(", ")}`;
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
    [...seen].map(async ([name, { amount, currency }]): Promise<Known> => {
      const units = shown.get(name);
      const common: Known = {
        ...{ key: `${person.namespace}/${name}`, account: person.account, named: [...sessions] },
        shown: units === undefined ? amount : Math.round(units * smallestIn(currency)),
      };
      const { state, payment } = present.get(name)?.status ?? {};
      if (state === undefined) return common;
      const { captured = 0, refunded = 0 } = payment ?? {};
      const shownCost = async () =>
        Math.round(Number((await place.show(person, name)).cost ?? 0) * smallestIn(currency));
      // The API's cache may be behind what the operator wrote.
      await until("the cost", async () => (await shownCost()) === captured - refunded).catch(() => {});
      const cost = await shownCost();
      return { ...common, state, cost };
    }),
  );
}

/** The next group has a free installation. */
async function clear({ installation }: BillingPlace, { person }: Player): Promise<void> {
  const { client } = installation.plane.admin;
  for (const { metadata } of await client.list(kinds.migrations, { namespace: person.namespace }))
    await client.remove(kinds.migrations, person.namespace, metadata.name, metadata.uid);
}
