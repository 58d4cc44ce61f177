import { setTimeout as sleep } from "node:timers/promises";
import type { Migration } from "../../../src/resources/migration.ts";
import { kinds } from "../../../src/resources/objects.ts";
import type { PaymentSpec } from "../../../src/resources/payment.ts";
import type { Answer, Asked } from "../../api/http.ts";
import type { Random } from "../../chaos/random.ts";
import { until } from "../../operator/control-plane.ts";
import type { BillingPlace, Person } from "../place.ts";
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
  /** Amount that the caller was shown at create, by the Migration's name, in the currency's units; without those whose answer was lost. */
  shown: ReadonlyMap<string, number>;
  person: Person;
}

/** Milliseconds that a caller tries for. */
const patience = 60_000;

export async function createPlayer(place: BillingPlace, random: Random, replicas: number): Promise<Player> {
  const { client } = place.installation.plane.admin;

  /** Repeats a request until some replica answers it other than with 503. */
  function ask(path: string, asked: Asked = {}): Promise<Answer> {
    let attempt = random.below(replicas);
    return until(
      `an answer to ${path}`,
      async () => {
        const answer = await place.ask(path, asked, attempt++ % replicas);
        return answer.status === 503 ? undefined : answer;
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
  async function mark(name: Mark, key: string): Promise<void> {
    await until("the simulator", () => control("/marks", { what: `mark ${markOf(name, key)}` }), patience);
  }

  const person = await until("the sign-up", () => place.signUp(), patience);
  const { token, namespace } = person;
  const shown = new Map<string, number>();
  const keyOf = (id: string): string => `${namespace}/${id}`;
  const seen = new Map<string, PaymentSpec>();
  const sessions = new Set<string>();
  const noted = new Set<string>();
  async function all(): Promise<Migration[]> {
    const found = await client.list(kinds.migrations, { namespace });
    for (const { metadata, spec } of found) {
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
    for (const { status, body } of made) if (status === 201) shown.set(body.migration.id, Number(body.amount ?? 0));
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

  async function end(migration: Migration, outcome: "completed" | "failed"): Promise<void> {
    const { status, metadata } = migration;
    if (status?.job === undefined || status.result?.run === status.run) return;
    const key = keyOf(metadata.name);
    if (outcome === "completed") await mark("completing", key);
    const result = {
      ...{ run: status.run ?? 1, outcome, reason: outcome === "completed" ? "Verified" : "internal_error" },
      ...{ message: "The player ended the run.", finishedAt: new Date().toISOString() },
    };
    const { name, uid } = metadata;
    const live = await client.get(kinds.migrations, namespace, name);
    if (live?.status?.run !== status.run || live?.metadata.deletionTimestamp !== undefined) return;
    await client.applyStatus(
      kinds.migrations,
      { metadata: { name, namespace, uid }, status: { result } },
      "rowferry-worker",
    );
    await client.remove(kinds.jobs, namespace, status.job.name, status.job.uid);
  }

  async function remove({ metadata, status }: Migration): Promise<void> {
    const key = keyOf(metadata.name);
    if (status?.state === "completed" || status?.state === "failed") await mark(status.state, key);
    await mark("deleting", key);
    const { status: answered } = await ask(`/api/migrations/${metadata.name}`, { token, method: "DELETE" });
    if (answered === 200 || answered === 404) await mark("deleted", key);
  }

  const act = (migration: Migration, verb: string, body?: object): Promise<Answer> =>
    ask(`/api/migrations/${migration.metadata.name}/${verb}`, {
      token,
      method: "POST",
      ...(body === undefined ? {} : { body }),
    });

  async function one(migration: Migration): Promise<unknown> {
    if (random.next() < 0.12) return remove(migration);
    switch (migration.status?.state) {
      case "awaiting_payment":
        return random.next() < 0.2 ? act(migration, "checkout") : pay(migration);
      case "completed":
        return act(migration, "reset", { confirm: true });
      case "failed":
        return random.next() < 0.7 ? act(migration, "retry") : act(migration, "reset", { confirm: true });
      default: {
        const intent = migration.status?.payment?.intent;
        if (intent !== undefined && random.next() < 0.05) await control(`/payment_intents/${intent}/cancel`);
        return end(migration, random.next() < 0.65 ? "completed" : "failed");
      }
    }
  }

  return {
    ...{ seen, sessions, shown, person, all },
    async step() {
      const present = (await all()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      if (present.length === 0 || (present.length < 4 && random.next() < 0.3)) await create();
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
        if (status?.state === "completed" && !noted.has(metadata.name)) {
          await mark("completed", keyOf(metadata.name));
          noted.add(metadata.name);
        }
        if (status?.state === "pending" || status?.state === "in_progress") await end(migration, "completed");
        if (status?.payment?.state === "authorized") left = true;
        if (status?.state === "awaiting_payment" && (await wasPaid(migration))) left = true;
      }
      return left;
    },
  };
}
