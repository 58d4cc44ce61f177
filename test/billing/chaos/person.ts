import { setTimeout as sleep } from "node:timers/promises";
import { captureCovers } from "../../../src/billing/again.ts";
import { isConflict } from "../../../src/cluster/index.ts";
import type { Migration } from "../../../src/resources/migration.ts";
import { kinds } from "../../../src/resources/objects.ts";
import type { PaymentSpec } from "../../../src/resources/payment.ts";
import { dueRun } from "../../../src/resources/run.ts";
import type { Answer, Asked } from "../../api/http.ts";
import type { Random } from "../../chaos/random.ts";
import { until } from "../../operator/control-plane.ts";
import type { BillingPlace, Person } from "../place.ts";
import { askedWords } from "./covers.ts";
import { createSubscriber } from "./pro.ts";
import { type Mark, markOf } from "./replay.ts";

/**
 * One account with random actions, while processes die: requests without an answer are repeated where a user would repeat them. It plays the
 * worker too: it ends runs by writing their result.
 */
export interface Player {
  /** One random action. */
  step(): Promise<void>;
  /** Ends what runs; one of two Migrations that await payment is deleted. Returns whether anything is still to do. */
  settle(): Promise<boolean>;
  /** The Migrations of the account, as the API server has them. */
  all(): Promise<Migration[]>;
  /** Payment of each Migration that was ever seen, by name. */
  seen: ReadonlyMap<string, PaymentSpec>;
  /** Every checkout session that one of them was seen to name. */
  sessions: ReadonlySet<string>;
  /** Amount that the caller was shown last, by the Migration's name, in the currency's units; without those whose answer was lost. */
  shown: ReadonlyMap<string, number>;
  /** How often each request was refused, and how. */
  refused: ReadonlyMap<string, number>;
  person: Person;
}

/** Milliseconds that a caller tries for. */
const patience = 180_000;

export async function createPlayer(place: BillingPlace, random: Random, replicas: number): Promise<Player> {
  const { client } = place.installation.plane.admin;

  const refused = new Map<string, number>();
  /** Repeats a request until some replica answers it other than with 503. */
  function ask(path: string, asked: Asked = {}): Promise<Answer> {
    let attempt = random.below(replicas);
    return until(
      `an answer to ${path}`,
      async () => {
        const answer = await place.ask(path, asked, attempt++ % replicas);
        const { status, body } = answer;
        const why = `${path.split("/").at(-1)} ${body?.code}`;
        if (status >= 400) refused.set(why, (refused.get(why) ?? 0) + 1);
        return status === 503 ? undefined : answer;
      },
      patience,
    );
  }
  const control = (path: string, body: object = {}): Promise<boolean> =>
    place.control(path, body).then(
      () => true,
      () => false,
    );
  /** In the history before anything else happens: it waits for a simulator that is down. */
  async function mark(name: Mark, key: string, ...words: (string | number)[]): Promise<void> {
    await until("the simulator", () => control("/marks", { what: `mark ${markOf(name, key, ...words)}` }), patience);
  }

  // Half of them have used their free migration.
  const isNew = random.next() < 0.5;
  const person = await until("the sign-up", () => (isNew ? place.signUp() : place.paying()), patience);
  const subscriber = createSubscriber({ place, person, ask, control, patience });
  const { token, namespace } = person;
  const shown = new Map<string, number>();
  const keyOf = (id: string): string => `${namespace}/${id}`;
  const seen = new Map<string, PaymentSpec>();
  const sessions = new Set<string>();
  const intents = new Map<string, Set<string>>();
  /** The last run that was requested of each, and what pays for it. */
  const requested = new Map<string, string>();

  /** Also where the answer to the request was lost. `anew`: it was accepted, and may have raised nothing. */
  async function note({ metadata: { name }, spec }: Migration, anew: boolean): Promise<void> {
    const { payment, attempt, reset } = spec;
    if (payment === undefined) return;
    const words = askedWords({ run: attempt + reset, plan: subscriber.plan(), by: payment.by });
    const request = `${words[0]} ${words[2]}`;
    if (!anew && requested.get(name) === request) return;
    requested.set(name, request);
    await mark("asked", keyOf(name), ...words);
  }

  async function all(): Promise<Migration[]> {
    const found = await client.list(kinds.migrations, { namespace });
    for (const migration of found) {
      const { metadata, spec } = migration;
      await note(migration, false);
      const { intent } = migration.status?.payment ?? {};
      if (intent !== undefined) intents.set(metadata.name, (intents.get(metadata.name) ?? new Set()).add(intent));
      if (spec.payment !== undefined) seen.set(metadata.name, spec.payment);
      if (spec.payment?.checkout !== undefined) sessions.add(spec.payment.checkout.session);
    }
    return found;
  }

  async function create(): Promise<void> {
    const key = random.next() < 0.7 ? `k-${random.next()}` : undefined;
    const asked: Asked = { token, body: place.body(), headers: key === undefined ? {} : { "idempotency-key": key } };
    const twice = random.next() < 0.3;
    const made = await Promise.all(Array.from({ length: twice ? 2 : 1 }, () => ask("/api/migrations", asked)));
    for (const { body } of made) if (body?.amount !== undefined) shown.set(body.migration.id, Number(body.amount));
    await all();
  }

  /** Opens the link as the API server has it. */
  async function pay({ spec }: Migration): Promise<void> {
    const session = spec.payment?.checkout?.session;
    if (session === undefined) return;
    if (random.next() < 0.2) await control(`/sessions/${session}/decline`);
    await control(`/sessions/${session}/authorize`, random.next() < 0.05 ? { amount: 123 } : {});
  }

  /** A person was at its page, and the operator has not looked since. */
  async function wasPaid({ spec, status }: Migration): Promise<boolean> {
    const session = spec.payment?.checkout?.session;
    const isSeen = status?.payment?.session === session && status?.payment?.state !== "awaiting";
    if (session === undefined || isSeen) return false;
    return (await place.atStripe(`checkout/sessions/${session}`)).status === "complete";
  }

  async function end(migration: Migration, outcome: "completed" | "failed", calm = false): Promise<void> {
    const { status, metadata } = migration;
    if (status?.job === undefined || status.result?.run === status.run) return;
    const run = status.run ?? 1;
    if (outcome === "completed") await mark("completing", keyOf(metadata.name), run);
    const result = {
      ...{ run, outcome, reason: outcome === "completed" ? "Verified" : "internal_error" },
      ...{ message: "The player ended the run.", finishedAt: new Date().toISOString() },
    };
    const { name, uid } = metadata;
    const live = await client.get(kinds.migrations, namespace, name);
    if (live?.status?.run !== run || live.metadata.deletionTimestamp !== undefined) return;
    await client.applyStatus(
      kinds.migrations,
      { metadata: { name, namespace, uid }, status: { result } },
      "rowferry-worker",
    );
    try {
      if (outcome === "completed") await mark("verified", keyOf(metadata.name), run);
      if (outcome === "completed" && !calm) await beforeTheJobEnds(migration);
    } finally {
      await client.remove(kinds.jobs, namespace, status.job.name, status.job.uid);
    }
    // At once, so that it meets what is not captured yet.
    if (outcome === "completed" && !calm && random.next() < 0.2) await again(migration, "reset");
  }

  /** The result is stored, and the Migration not completed yet. */
  async function beforeTheJobEnds(migration: Migration): Promise<void> {
    const chance = random.next();
    if (chance < 0.1) await subscriber.change();
    if (chance < 0.25) await again(migration, "reset");
    else if (chance < 0.3) await remove(migration);
  }

  async function remove({ metadata: { name } }: Migration): Promise<void> {
    await mark("deleting", keyOf(name));
    await ask(`/api/migrations/${name}`, { token, method: "DELETE" });
  }

  /** Requests another run, or the link for the one that awaits payment. */
  async function again({ metadata: { name } }: Migration, verb: "retry" | "reset" | "checkout"): Promise<void> {
    await mark("asking", keyOf(name));
    const { status, body } = await ask(`/api/migrations/${name}/${verb}`, {
      token,
      method: "POST",
      ...(verb === "reset" ? { body: { confirm: true } } : {}),
    });
    if (status >= 300) return void (await all());
    if (body.amount !== undefined) shown.set(name, Number(body.amount));
    const live = await client.get(kinds.migrations, namespace, name);
    if (live !== undefined) await note(live, true);
  }

  /** In Stripe's dashboard: all, or a part, more than once. */
  async function refund({ metadata, spec, status }: Migration): Promise<void> {
    const own = [...(intents.get(metadata.name) ?? [])];
    if ((status?.payment?.captured ?? 0) === 0 || own.length === 0) return;
    // Also of an earlier checkout.
    const intent = random.pick(own);
    const part = random.next() < 0.4 ? { amount: 1 + random.below(spec.payment?.amount ?? 1) } : {};
    await control(`/payment_intents/${intent}/refund`, part);
    if (random.next() < 0.7) await again({ metadata } as Migration, "reset");
  }

  /** As if its capture were older than a capture covers. */
  async function age({ metadata }: Migration): Promise<void> {
    const { name, uid } = metadata;
    const live = await client.get(kinds.migrations, namespace, name);
    if (live?.status?.payment?.state !== "captured" || live.metadata.deletionTimestamp !== undefined) return;
    const capturedAt = new Date(Date.now() - captureCovers - 1000).toISOString();
    const payment = { ...live.status.payment, capturedAt };
    const { resourceVersion } = live.metadata;
    try {
      const at = { name, namespace, uid, resourceVersion };
      await client.applyStatus(kinds.migrations, { metadata: at, status: { payment } }, "rowferry-payment");
      await mark("aged", keyOf(name));
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }

  async function one(migration: Migration): Promise<unknown> {
    if (random.next() < 0.1) return remove(migration);
    const chance = random.next();
    switch (migration.status?.state) {
      case "awaiting_payment":
        return chance < 0.15
          ? again(migration, "checkout")
          : chance < 0.25
            ? again(migration, "reset")
            : pay(migration);
      case "completed":
        return chance < 0.4 ? refund(migration) : chance < 0.5 ? age(migration) : again(migration, "reset");
      case "failed":
        return again(migration, chance < 0.7 ? "retry" : "reset");
      default:
        return whileItRuns(migration, chance);
    }
  }

  async function whileItRuns(migration: Migration, chance: number): Promise<unknown> {
    const intent = migration.status?.payment?.intent;
    if (intent !== undefined && chance < 0.05) await control(`/payment_intents/${intent}/cancel`);
    if (chance < 0.2) return again(migration, chance < 0.15 ? "reset" : "retry");
    if (chance < 0.25) return refund(migration);
    return end(migration, random.next() < 0.65 ? "completed" : "failed");
  }

  return {
    ...{ seen, sessions, shown, refused, person, all },
    async step() {
      const present = (await all()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      if (random.next() < 0.12) await subscriber.change();
      else if (present.length === 0 || (present.length < 4 && random.next() < 0.25)) await create();
      else await one(random.pick(present));
      await sleep(random.below(300));
    },
    async settle() {
      let left = false;
      for (const migration of await all()) {
        const { metadata, status } = migration;
        if (metadata.deletionTimestamp !== undefined || status?.state === "in_progress" || status?.state === "pending")
          left = true;
        if (metadata.deletionTimestamp !== undefined) continue;
        if (dueRun(migration).why !== "present") left = true;
        if (status?.state === "pending" || status?.state === "in_progress") await end(migration, "completed", true);
        if (status?.payment?.state === "authorized") left = true;
        if (status?.state === "awaiting_payment" && (await wasPaid(migration))) left = true;
      }
      return left;
    },
  };
}
