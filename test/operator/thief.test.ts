import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../../src/cluster/index.ts";
import type { SealingKey } from "../../src/guard/envelope.ts";
import { sealUrl } from "../../src/guard/seal.ts";
import { change as edited } from "../../src/requests/update-with-retry.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import type { Migration, MigrationSpec } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { openClients } from "./clients.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import { call, completed, podEnds, podRuns, tokenOfPod, untilPod } from "./kubelet.ts";
import {
  condition,
  home,
  installAccount,
  makeNamespace,
  type OperatorProcess,
  startOperator,
  untilMigration,
} from "./operator.ts";
import { publishedKey, sealedSpec } from "./sealing.ts";
import { borrowControlPlane } from "./shared.ts";

/** A thief who has the API's own token reads a finished Migration, deletes it, and makes others of what was sealed in it. */

const name = "6f6d8f6a-0000-4000-8000-000000000001";
const [team, elsewhere] = ["robbed", "thieves"];
const source = "mysql://reader:pl4nted-source@db.example.com/shop";
const target = "mysql://writer:pl4nted-target@new.example.com/shop";
const loot = "mysql://thief:thief@thief.example.com/loot";
const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
const options = { include: ["orders"], target_ca: pem };

let plane: PlaneClient;
let operator: OperatorProcess;
let api: Client;
let close: () => void;
let key: SealingKey;
let victim: Migration;

beforeAll(async () => {
  plane = borrowControlPlane();
  const clients = await openClients(plane);
  ({ api, close } = clients);
  operator = await startOperator(plane, await installAccount(plane), "operator");
  for (const namespace of [team, elsewhere]) {
    await makeNamespace(plane, namespace);
    const bound = await plane.kubectl([
      ...["create", "rolebinding", "api", "-n", namespace],
      ...[`--clusterrole=${installed.teamRole}`, `--serviceaccount=${home}:${installed.api}`],
    ]);
    expect(bound.code, bound.err).toBe(0);
  }
  await until("the operator to lead", operator.leading);
  key = await publishedKey(plane);
  const spec = await sealedSpec(key, { namespace: team, name, source, target, options });
  victim = await until("the victim's Migration", () =>
    api.create(kinds.migrations, { metadata: { name, namespace: team }, spec } as Migration).catch(() => undefined),
  );
  const pod = await untilPod(plane, victim, 1);
  const bearer = await tokenOfPod(plane, pod);
  expect(await workOf(bearer)).toMatchObject({
    status: 200,
    body: { source: { url: source }, target: { url: target } },
  });
  await podRuns(plane, pod);
  await untilMigration(plane, victim, "a run", ({ status }) => status?.state === "in_progress");
  expect(await call(plane, operator.endpoint, "/result", bearer, completed())).toMatchObject({ status: 200 });
  await podEnds(plane, pod, 0);
  await untilMigration(plane, victim, "completed", ({ status }) => status?.state === "completed");
  // What the thief may read and delete.
  victim = (await api.get(kinds.migrations, team, name)) ?? victim;
  await api.remove(kinds.migrations, team, name, victim.metadata.uid);
});
afterAll(async () => {
  await operator?.stop("SIGKILL");
  close?.();
  await plane?.stop();
});

const workOf = (bearer: string) =>
  until("an answer", async () => {
    const answer = await call(plane, operator.endpoint, "/work", bearer, {});
    return answer.status === 503 ? undefined : answer;
  });
const sealedBy = async (place: { namespace: string; name: string }, more: object = {}) =>
  sealedSpec(key, { ...place, source: loot, target: loot, options, ...more });
const here = { namespace: team, name };

interface Attempt {
  namespace?: string;
  name?: string;
  spec(spec: MigrationSpec): MigrationSpec | Promise<MigrationSpec>;
}
test.each<[what: string, attempt: Attempt]>([
  [
    "the thief's target in place of the victim's",
    { spec: async (spec) => ({ ...spec, target: (await sealedBy(here)).target }) },
  ],
  [
    "the thief's source, to be written to the victim's target",
    { spec: async (spec) => ({ ...spec, source: (await sealedBy(here)).source }) },
  ],
  [
    "the thief's target, sealed without a source",
    { spec: async (spec) => ({ ...spec, target: (await sealedSpec(key, { ...here, target: loot, options })).target }) },
  ],
  ["another namespace", { namespace: elsewhere, spec: (spec) => spec }],
  ["another name", { name: "6f6d8f6a-0000-4000-8000-000000000002", spec: (spec) => spec }],
  ["source and target exchanged", { spec: (spec) => ({ ...spec, source: spec.target, target: spec.source }) }],
  ["the source as target too", { spec: (spec) => ({ ...spec, target: spec.source }) }],
  ["more tables", { spec: ({ options: of, ...spec }) => ({ ...spec, options: { ...of, include: ["*"] } as never }) }],
  [
    "tables of the target that may be dropped",
    { spec: ({ options: of, ...spec }) => ({ ...spec, options: { ...of, drop: ["shop.customers"] } as never }) },
  ],
  ["no options", { spec: ({ options: _options, ...spec }) => spec }],
  [
    "another CA, for a server that passes for the source",
    { spec: ({ options: of, ...spec }) => ({ ...spec, options: { ...of, source_ca: pem } as never }) },
  ],
  [
    "the same, some time after it was deleted",
    { spec: () => sealedBy(here, { source, target, at: new Date(Date.now() - 600_000) }) },
  ],
  [
    "what an earlier version sealed",
    {
      spec: async (spec) => ({
        ...spec,
        source: { sealedUrl: await sealUrl(key, { ...here, field: "source" }, source) },
        target: { sealedUrl: await sealUrl(key, { ...here, field: "target" }, loot) },
      }),
    },
  ],
])("does not get the source by %s", async (_what, attempt) => {
  const place = { namespace: attempt.namespace ?? team, name: attempt.name ?? name };
  const spec = await attempt.spec({ ...victim.spec, attempt: 1, reset: 0 });
  const made = await until("the thief's Migration", () =>
    api.create(kinds.migrations, { metadata: place, spec } as Migration).catch(() => undefined),
  );
  try {
    const answer = await workOf(await tokenOfPod(plane, await untilPod(plane, made, 1)));
    expect(answer).toMatchObject({ status: 409, body: { code: "seal_refused" } });
    const failed = await untilMigration(plane, made, "failed", ({ status }) => status?.state === "failed");
    expect(condition(failed, "Failed")).toMatchObject({ status: "True", reason: "SealRefused" });
    expect(JSON.stringify([answer, failed.status])).not.toMatch(/pl4nted|example\.com/);
  } finally {
    await api.remove(kinds.migrations, place.namespace, place.name, made.metadata.uid);
  }
});

test("soon after it was sealed, the same copy runs again, and another run of it: into the victim's own target", async () => {
  const spec = { ...victim.spec, attempt: 1, reset: 0 };
  const made = await api.create(kinds.migrations, { metadata: { name, namespace: team }, spec } as Migration);
  const theirs = {
    status: 200,
    body: { source: { url: source }, target: { url: target }, options: { include: ["orders"] } },
  };
  expect(await workOf(await tokenOfPod(plane, await untilPod(plane, made, 1)))).toMatchObject(theirs);
  await untilMigration(plane, made, "a Job", ({ status }) => status?.job !== undefined);
  await change((spec) => ({ ...spec, reset: 1 }));
  expect(await workOf(await tokenOfPod(plane, await untilPod(plane, made, 2)))).toMatchObject(theirs);
});

/** By the API's account, on the object as it is now. */
const change = (edit: (spec: MigrationSpec) => MigrationSpec) =>
  edited({ client: api, pause, randomBytes }, kinds.migrations, team, name, (live) => ({
    ...live,
    spec: edit(live.spec),
  }));
