import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SealingKey } from "../../src/guard/envelope.ts";
import { installed, passwordShards, passwordsName } from "../../src/resources/crd/installed.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds, type Secret } from "../../src/resources/objects.ts";
import { type ControlPlane, startControlPlane, until } from "./control-plane.ts";
import { call, completed, failedOutcome, jobsOf, podEnds, podRuns, tokenOfPod, untilPod } from "./kubelet.ts";
import {
  condition,
  home,
  installAccount,
  installCrds,
  makeMigration,
  makeNamespace,
  type OperatorProcess,
  patchSpec,
  readMigration,
  startOperator,
  untilMigration,
} from "./operator.ts";
import { publishedKey, sealedSpec } from "./sealing.ts";

/** What the operator keeps for the API, and the life of a sealed URL: opened, rotated under, taken out. */

let plane: ControlPlane;
let kubeconfig: string;
/** Looks at its keys each second; the other one never by itself. */
let first: OperatorProcess;
let second: OperatorProcess;

const uuid = (last: number) => `6f6d8f6a-0000-4000-8000-${String(last).padStart(12, "0")}`;
const guard = { allow: ["10.1.0.0/16", "fd00:1::/32"], refuse: ["10.96.0.0/12"] };
const env = {
  ROWFERRY_GUARD_ALLOW: guard.allow.join(", "),
  ROWFERRY_GUARD_REFUSE: guard.refuse.join(","),
  ROWFERRY_API_HOSTS: "api.example.com,127.0.0.1",
  // Runs here that nobody ends.
  ROWFERRY_MAX_RUNNING_PER_NAMESPACE: "20",
};

beforeAll(async () => {
  plane = await startControlPlane({
    controllers: "serviceaccount-controller,job-controller,garbage-collector-controller",
  });
  await installCrds(plane);
  kubeconfig = await installAccount(plane);
  await makeNamespace(plane, "team");
  first = await startOperator(plane, kubeconfig, "first", {
    ...env,
    ROWFERRY_KEYS_SECONDS: "1",
    // Three seconds.
    ROWFERRY_SEALED_URL_DAYS: String(3 / 86_400),
  });
  await until("first to lead", first.leading);
  second = await startOperator(plane, kubeconfig, "second", {
    ...env,
    ROWFERRY_KEYS_SECONDS: "3600",
    ROWFERRY_GUARD_SECRETS: "true",
  });
});
afterAll(async () => {
  await Promise.all([first?.stop("SIGKILL"), second?.stop("SIGKILL")]);
  await plane?.stop();
});

const secretOf = (name: string) => plane.admin.client.get(kinds.secrets, home, name);
const text = (secret: Secret | undefined, field: string) => Buffer.from(secret?.data?.[field] ?? "", "base64");
const publicKey = () => publishedKey(plane);
/** A Migration whose source is sealed to this key. */
const makeSealed = async (name: string, key: SealingKey, source = "mysql://u:p@db.example.com/shop") =>
  makeMigration(plane, "team", name, await sealedSpec(key, { namespace: "team", name, source }));
const bearerOf = async (migration: Migration) => tokenOfPod(plane, await untilPod(plane, migration, 1));
const workAt = (operator: OperatorProcess, bearer: string) =>
  until("work", async () => {
    const answer = await call(plane, operator.endpoint, "/work", bearer, {});
    return answer.status === 503 ? undefined : answer;
  });

describe("what is made for API and prober", () => {
  const certificate = async (name: string) => {
    const secret = await secretOf(name);
    const pem = new X509Certificate(text(secret, "tls.crt"));
    expect(pem.verify(new X509Certificate(text(secret, "ca.crt")).publicKey)).toBe(true);
    expect(text(secret, "tls.key").toString()).toContain("PRIVATE KEY");
    return pem;
  };
  const [server, client] = ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"];

  test("a certificate with which the API serves and is known to the prober", async () => {
    const api = await certificate(installed.apiTls);
    expect(api.subject).toBe("CN=rowferry-api");
    expect(api.keyUsage).toEqual([server, client]);
    for (const host of [`rowferry-api.${home}.svc`, "api.example.com"]) expect(api.checkHost(host)).toBe(host);
    expect(api.checkIP("127.0.0.1")).toBe("127.0.0.1");
  });

  test("a certificate with which the prober serves, and nothing more", async () => {
    const prober = await certificate(installed.proberTls);
    expect(prober.keyUsage).toEqual([server]);
    expect(prober.checkHost(`rowferry-prober.${home}.svc`)).toBeDefined();
  });

  test("32 random bytes, and empty Secrets for passwords, which are left as they are when an operator starts", async () => {
    const secret = await secretOf(installed.apiKeys);
    expect(text(secret, "secret")).toHaveLength(32);
    const names = Array.from({ length: passwordShards }, (_, shard) => passwordsName(shard));
    for (const found of await Promise.all(names.map(secretOf))) expect(found?.data).toBeUndefined();
    const filled = await plane.admin.client.mergePatch(kinds.secrets, home, passwordsName(7), { data: { a1: "eA==" } });
    const third = await startOperator(plane, kubeconfig, "third", { ...env, ROWFERRY_KEYS_SECONDS: "3600" });
    expect(await third.stop()).toBe(0);
    expect(await secretOf(passwordsName(7))).toEqual(filled);
    expect(await secretOf(installed.apiKeys)).toEqual(secret);
  });

  test("an empty note of the API's writes, which is left as it is when an operator starts", async () => {
    const noted = await plane.admin.client.mergePatch(kinds.configMaps, home, installed.apiWrites, {
      data: { teams: "7" },
    });
    const third = await startOperator(plane, kubeconfig, "third", { ...env, ROWFERRY_KEYS_SECONDS: "3600" });
    expect(await third.stop()).toBe(0);
    expect(await plane.admin.client.get(kinds.configMaps, home, installed.apiWrites)).toEqual(noted);
  });

  test("another host has the certificate renewed by the same CA", async () => {
    const before = await secretOf(installed.apiTls);
    const third = await startOperator(plane, kubeconfig, "third", { ...env, ROWFERRY_API_HOSTS: "other.example.com" });
    expect(await third.stop("SIGKILL")).toBeNull();
    const after = await secretOf(installed.apiTls);
    expect(after?.metadata.resourceVersion).not.toBe(before?.metadata.resourceVersion);
    expect(after?.data?.["ca.crt"]).toBe(before?.data?.["ca.crt"]);
    // The first operator, which knows nothing of that host, may have made its own of it meanwhile.
    await until("the certificate of the running operators", async () =>
      new X509Certificate(text(await secretOf(installed.apiTls), "tls.crt")).checkHost("api.example.com"),
    );
    expect((await certificate(installed.apiTls)).checkHost("api.example.com")).toBe("api.example.com");
  });

  test("a CIDR that is none is refused at the start, by its variable", async () => {
    await expect(
      startOperator(plane, kubeconfig, "wrong", { ...env, ROWFERRY_GUARD_ALLOW: "10.0.0.0/33" }),
    ).rejects.toThrow(/ROWFERRY_GUARD_ALLOW.*is not a CIDR/s);
  });
});

test("a worker is told where a sealed URL may lead, and where a Secret's may only when that is set", async () => {
  const migration = await makeSealed(uuid(1), await publicKey());
  const bearer = await bearerOf(migration);
  const target = { folder: "/var/run/rowferry/target" };
  const source = { url: "mysql://u:p@db.example.com/shop", guard };
  const told = (await workAt(first, bearer)).body as { target: object };
  expect(told).toMatchObject({ source, target });
  expect(told.target).toEqual(target);
  expect((await workAt(second, bearer)).body).toMatchObject({ source, target: { ...target, guard } });
});

test("rotation makes another key to seal to, what was sealed before is still opened, and each replica learns the new key", async () => {
  const before = await publicKey();
  const old = await makeSealed(uuid(2), before);
  const { code, err } = await plane.kubectl([
    "annotate",
    "secret",
    "rowferry-operator-keys",
    "rowferry.dev/rotate-sealing-key=yes",
    "-n",
    home,
  ]);
  expect([code, err]).toEqual([0, ""]);
  const after = await until("another public key", async () => {
    const key = await publicKey();
    return key.id !== before.id && key;
  });
  expect((await secretOf("rowferry-operator-keys"))?.metadata.annotations ?? {}).toEqual({});
  const fresh = await makeSealed(uuid(3), after);
  for (const operator of [second, first])
    for (const migration of [old, fresh])
      expect(await workAt(operator, await bearerOf(migration))).toMatchObject({ status: 200 });
  const kept = JSON.parse(text(await secretOf("rowferry-operator-keys"), "sealing.json").toString()) as object[];
  expect(kept).toMatchObject([{ id: after.id }, { id: before.id, retiredAt: expect.any(String) }]);
});

/** Another operator, which reads its keys when it starts. */
const withThird = async (more: Record<string, string>, use: (third: OperatorProcess) => Promise<void>) => {
  const third = await startOperator(plane, kubeconfig, "third", { ...env, ROWFERRY_KEYS_SECONDS: "3600", ...more });
  try {
    await use(third);
  } finally {
    await third.stop("SIGKILL");
  }
};

test("the key is replaced when it has served its days, and what was sealed to it is still opened", async () => {
  const before = await publicKey();
  const old = await makeSealed(uuid(6), before);
  const kept = JSON.parse(text(await secretOf("rowferry-operator-keys"), "sealing.json").toString()) as object[];
  const [{ madeAt }] = kept as [{ madeAt: string }];
  await until("the key to have served a second", () => Date.now() - Date.parse(madeAt) > 1000);
  await withThird({ ROWFERRY_SEALING_KEY_DAYS: String(1 / 86_400) }, async () => {
    expect((await publicKey()).id).not.toBe(before.id);
  });
  expect(await workAt(first, await bearerOf(old))).toMatchObject({ status: 200 });
});

test("what an earlier version sealed opens in objects of the time of the upgrade, and in none that is made later", async () => {
  const upgraded = async (at: Date) => {
    const data = { "envelopes-from": Buffer.from(at.toISOString()).toString("base64") };
    await plane.admin.client.mergePatch(kinds.secrets, home, "rowferry-operator-keys", { data });
  };
  const make = async (name: string) => {
    const { envelopesFrom: _unknown, ...key } = await publicKey();
    const migration = await makeSealed(name, key);
    expect(migration.spec.source.sealedUrl).toMatch(/^v1\./);
    return bearerOf(migration);
  };
  await upgraded(new Date(Date.now() + 900_000));
  await withThird({}, async (third) => {
    expect((await publicKey()).envelopesFrom).not.toBe(new Date(0).toISOString());
    expect(await workAt(third, await make(uuid(7)))).toMatchObject({ status: 200 });
  });
  await upgraded(new Date(Date.now() - 3_600_000));
  await withThird({}, async (third) => {
    const refused = await workAt(third, await make(uuid(8)));
    expect(refused).toMatchObject({ status: 409, body: { code: "seal_refused" } });
    expect(JSON.stringify(refused.body)).toContain("earlier version");
  });
});

describe("some time after the end", () => {
  const finish = async (migration: Migration, outcome: ReturnType<typeof completed>, exitCode: number) => {
    const pod = await untilPod(plane, migration, 1);
    await podRuns(plane, pod);
    await untilMigration(plane, migration, "in_progress", ({ status }) => status?.state === "in_progress");
    const bearer = await tokenOfPod(plane, pod);
    expect(await call(plane, first.endpoint, "/result", bearer, outcome)).toMatchObject({ status: 200 });
    await podEnds(plane, pod, exitCode);
  };
  const untilExpired = (migration: Migration) =>
    untilMigration(
      plane,
      migration,
      "its URL to be taken out",
      ({ spec, status, metadata }) =>
        spec.source.sealedUrl === "expired" && status?.observedGeneration === metadata.generation,
    );

  test.each([
    ["completed", uuid(4), completed(), 0, { reset: 1 }],
    ["failed", uuid(5), failedOutcome(), 2, { attempt: 2 }],
  ] as const)("a %s Migration's URL is gone, its state stays, and it cannot run again", async (...given) => {
    const [state, name, outcome, exitCode, again] = given;
    const migration = await makeSealed(name, await publicKey());
    await finish(migration, outcome, exitCode);
    const over = await untilMigration(plane, migration, state, ({ status }) => status?.state === state);
    const expired = await untilExpired(migration);
    expect(expired.spec).toEqual({ ...over.spec, source: { sealedUrl: "expired" } });
    expect(expired.status).toMatchObject({ state, finishedAt: over.status?.finishedAt, run: 1 });
    expect(expired.status?.report).toEqual(over.status?.report);

    await patchSpec(plane, migration, again);
    const failed = await untilMigration(plane, migration, "run 2", ({ status }) => status?.run === 2);
    expect(failed.status?.state).toBe("failed");
    expect(condition(failed, "Failed")).toMatchObject({ status: "True", reason: "SealedUrlExpired" });
    expect((await jobsOf(plane, migration)).map((job) => job.metadata.name)).toEqual([`${name}-1`]);
  });

  test("one that has not ended keeps it", async () => {
    const migration = await plane.admin.client.get(kinds.migrations, "team", uuid(2));
    expect(migration?.spec.source.sealedUrl).toMatch(/^v2\./);
    if (migration) expect((await readMigration(plane, migration)).status?.finishedAt).toBeUndefined();
  });
});
