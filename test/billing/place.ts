import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { type Simulator, startSimulator } from "../../dev/stripe/simulator.ts";
import type { Account } from "../../src/resources/account.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { type Answer, type Asked, type Caller, createCaller } from "../api/http.ts";
import { type Installation, startInstallation } from "../api/installation.ts";
import { type PlaneClient, until } from "../operator/control-plane.ts";
import { borrowControlPlane } from "../operator/shared.ts";
import { borrowDatabase } from "../servers/index.ts";

/**
 * An installation with billing: operator, API replicas and a stateful simulator of Stripe, on a real API server. It has no kubelet: a test
 * ends each run with `endRun`.
 */

export const webhookSecret = "whsec_test";

export interface PlaceOptions {
  /** Of the API; 1 by default. */
  replicas?: number;
  /** Another simulator than one of this process, which ends with this installation. */
  stripe?: Stripe;
  /** Another control plane than one of its own, which ends with this installation. */
  plane?: PlaneClient;
  /** Overrides of the operator's environment. */
  operator?: Record<string, string>;
  /** Overrides of the API's environment. */
  api?: Record<string, string>;
}

/** A simulator of Stripe, in this process or in another one. */
export type Stripe = Pick<Simulator, "url" | "control" | "key" | "close">;

/** An account with a token, and the namespace of its team. */
export interface Person {
  token: string;
  email: string;
  /** Name of the Account. */
  account: string;
  namespace: string;
}

export type BillingPlace = Awaited<ReturnType<typeof startPlace>>;

/** On the control plane that the files of part `billing` share. */
export const borrowPlace = (options: PlaceOptions = {}): Promise<BillingPlace> =>
  startPlace({ ...options, plane: borrowControlPlane() });

export async function startPlace({ replicas = 1, stripe: given, plane, operator = {}, api = {} }: PlaceOptions = {}) {
  const begun: { stop(): Promise<unknown> }[] = [];
  const stop = async () => {
    for (const one of begun.toReversed()) await one.stop();
  };
  try {
    const source: Database = await borrowDatabase("postgres");
    begun.push(source);
    const stripe: Stripe = given ?? (await startSimulator());
    begun.push({ stop: () => stripe.close() });
    const installation = await startInstallation(
      replicas,
      (folder) => billed(folder, stripe, { operator, api }),
      plane,
    );
    begun.push(installation);
    const callers = installation.replicas.map(({ port }) => createCaller(installation.place.folder, port));
    begun.push({ stop: async () => callers.map((caller) => caller.close()) });
    return { installation, stripe, source, callers, ...verbs({ installation, stripe, source, callers }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The environments of operator and API with billing on. */
export function billed(
  folder: string,
  stripe: Stripe,
  { operator = {}, api = {} }: Pick<PlaceOptions, "operator" | "api"> = {},
): { operator: Record<string, string>; api: Record<string, string> } {
  const [key, webhook] = [join(folder, "stripe-key"), join(folder, "stripe-webhook")];
  writeFileSync(key, stripe.key, { mode: 0o600 });
  writeFileSync(webhook, webhookSecret, { mode: 0o600 });
  const shared = { ROWFERRY_STRIPE_KEY_FILE: key, ROWFERRY_STRIPE_URL: stripe.url };
  return {
    operator: { ...shared, ROWFERRY_HOLD_GRACE_HOURS: "0", ROWFERRY_MAX_RUNNING: "1000", ...operator },
    api: { ...shared, ROWFERRY_STRIPE_WEBHOOK_FILE: webhook, ...api },
  };
}

interface Parts {
  installation: Installation;
  stripe: Stripe;
  source: Database;
  callers: Caller[];
}

function verbs({ installation, stripe, source, callers }: Parts) {
  const { client } = installation.plane.admin;

  /** Asks one of the replicas, the first by default. */
  const ask = (path: string, asked: Asked = {}, replica = 0): Promise<Answer> =>
    (callers[replica] as Caller).ask(path, asked);

  /** A new account: its free migration is not used. */
  async function signUp(): Promise<Person> {
    const email = `test-${randomBytes(6).toString("hex")}@example.com`;
    const made = await ask("/api/account", { body: { email, password: randomBytes(12).toString("hex") } });
    const cookie = made.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    const headers = { origin: installation.place.baseUrl };
    const minted = await ask("/api/tokens", { cookie, headers, body: { name: "test" } });
    expect(minted.status, minted.text).toBe(201);
    const accounts = await client.list(kinds.accounts, {});
    return {
      token: String(minted.body.token),
      email,
      account: accounts.find(({ spec }) => spec.email === email)?.metadata.name ?? "",
      namespace: `rowferry-${made.body.account.acting_team}`,
    };
  }

  const body = () => ({ source_url: source.url, target_url: "mysql://app:x@127.0.0.1:9/app" });
  const create = ({ token }: Person, more: Asked = {}, replica = 0) =>
    ask("/api/migrations", { token, body: body(), ...more }, replica);
  const show = async ({ token }: Person, id: string) => (await ask(`/api/migrations/${id}`, { token })).body;
  /** `POST /api/migrations/{id}/{verb}`; also `delete`. */
  const act = ({ token }: Person, id: string, verb: string, more: Asked = {}, replica = 0) =>
    verb === "delete"
      ? ask(`/api/migrations/${id}`, { token, method: "DELETE", ...more }, replica)
      : ask(`/api/migrations/${id}/${verb}`, { token, method: "POST", ...more }, replica);
  const stored = (person: Person, id: string): Promise<Migration | undefined> =>
    client.get(kinds.migrations, person.namespace, id);

  /** A request to the simulator's control endpoint. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there
  async function control(path: string, input: object = {}): Promise<any> {
    const answer = await fetch(`${stripe.control}${path}`, { method: "POST", body: JSON.stringify(input) });
    const text = await answer.text();
    expect(answer.ok, text).toBe(true);
    return JSON.parse(text);
  }
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there
  async function atStripe(path: string): Promise<any> {
    const answer = await fetch(`${stripe.url}/v1/${path}`, { headers: { authorization: `Bearer ${stripe.key}` } });
    return answer.json();
  }

  const sessionOf = async (person: Person, id: string): Promise<string> =>
    (await stored(person, id))?.spec.payment?.checkout?.session ?? "";
  const untilPaid = (person: Person, id: string, state: string) =>
    until(`${id} ${state}`, async () => (await stored(person, id))?.status?.payment?.state === state, 30_000);
  const untilStatus = (person: Person, id: string, status: string) =>
    until(`${id} ${status}`, async () => (await show(person, id)).status === status, 30_000);
  /** The API's cache is behind what the operator has written. */
  async function untilShown(person: Person, id: string, wanted: Record<string, string | number>): Promise<void> {
    const shown = await until(`${id} with ${JSON.stringify(wanted)}`, async () => {
      const now = await show(person, id);
      return Object.entries(wanted).every(([field, value]) => now[field] === value) ? now : undefined;
    });
    expect(shown).toMatchObject(wanted);
  }
  /** The operator takes the finalizer off after it has written the payment's end. */
  const untilReleasable = (person: Person, id: string) =>
    until(`${id} without a finalizer`, async () => {
      const made = await stored(person, id);
      return made !== undefined && (made.metadata.finalizers ?? []).length === 0;
    });
  const untilGone = (person: Person, id: string) =>
    until(`${id} to go`, async () => (await stored(person, id)) === undefined, 30_000);

  /** As a person does at the page of the present checkout. */
  async function authorize(person: Person, id: string): Promise<void> {
    await control(`/sessions/${await sessionOf(person, id)}/authorize`);
    await untilPaid(person, id, "authorized");
  }

  /** Writes an Account, as an administrator can. */
  const setAccount = ({ account }: Person, spec: Partial<Account["spec"]>): Promise<Account> =>
    client.mergePatch(kinds.accounts, "", account, { spec });

  /** Gives an account a plan that nothing writes back; every replica knows it afterwards: they cache an account for a second. */
  async function setPlan(person: Person, plan: Account["spec"]["plan"]): Promise<void> {
    await setAccount(person, { plan });
    for (const caller of callers)
      await until(`the plan ${plan}`, async () => {
        const { body: shown } = await caller.ask("/api/account", { token: person.token });
        return shown.plan === plan;
      });
  }

  /** A new account that has used its free migration. */
  async function paying(): Promise<Person> {
    const person = await signUp();
    const freeMigration = { namespace: person.namespace, name: "earlier", at: new Date(0).toISOString(), used: true };
    await setAccount(person, { freeMigration });
    return person;
  }

  /** Waits for the run's Job, and stores the run's result as its worker would. Returns the Migration before that. */
  async function storeResult(
    person: Person,
    id: string,
    outcome: "completed" | "failed",
    reason = outcome === "completed" ? "Verified" : "internal_error",
  ): Promise<Migration> {
    const migration = await until("the Job", async () => {
      const live = await stored(person, id);
      const due = (live?.spec.attempt ?? 0) + (live?.spec.reset ?? 0);
      return live?.status?.job === undefined || live.status.run !== due ? undefined : live;
    });
    const { name, namespace, uid } = migration.metadata;
    const result = {
      ...{ run: migration.status?.run ?? 1, outcome, reason },
      ...{ message: "The test ended the run.", finishedAt: new Date().toISOString() },
    };
    await client.applyStatus(
      kinds.migrations,
      { metadata: { name, namespace, uid }, status: { result } },
      "rowferry-worker",
    );
    return migration;
  }

  /** The same, and the run's Job ends. */
  async function endRun(
    person: Person,
    id: string,
    outcome: "completed" | "failed",
    ...reason: string[]
  ): Promise<void> {
    const { metadata, status } = await storeResult(person, id, outcome, ...reason);
    const { job } = status ?? {};
    if (job !== undefined) await client.remove(kinds.jobs, metadata.namespace, job.name, job.uid);
    await untilStatus(person, id, outcome);
  }

  return {
    ...{ ask, signUp, setAccount, paying, body, create, show, act, stored, control, atStripe, sessionOf, authorize },
    ...{ setPlan, untilPaid, untilStatus, untilShown, untilReleasable, untilGone, storeResult, endRun },
  };
}
