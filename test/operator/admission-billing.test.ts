import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../../src/cluster/index.ts";
import type { Account } from "../../src/resources/account.ts";
import { kinds } from "../../src/resources/objects.ts";
import { type InstalledClients, openClients } from "./clients.ts";
import type { PlaneClient } from "./control-plane.ts";
import { makeMigration, makeNamespace } from "./operator.ts";
import { borrowControlPlane } from "./shared.ts";

/** Who may say that a Migration is paid for, and who may give Pro. */

let plane: PlaneClient;
let operator: Client;
let api: Client;
let clients: InstalledClients;
const forbidden = { code: "Forbidden", status: 403 };

beforeAll(async () => {
  plane = borrowControlPlane();
  clients = await openClients(plane);
  ({ operator, api } = clients);
  await makeNamespace(plane, "pays");
  const rules = [{ apiGroups: ["rowferry.dev"], resources: ["migrations"], verbs: ["*"] }];
  const objects = [
    { kind: "Role", metadata: { name: "editor", namespace: "pays" }, rules },
    {
      kind: "RoleBinding",
      metadata: { name: "editor", namespace: "pays" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "editor" },
      subjects: [{ kind: "User", name: "eve" }],
    },
  ].map((object) => JSON.stringify({ apiVersion: "rbac.authorization.k8s.io/v1", ...object }));
  const { code, err } = await plane.kubectl(["apply", "-f", "-"], { input: objects.join("\n---\n") });
  expect(code, err).toBe(0);
});
afterAll(async () => {
  clients?.close();
  await plane?.stop();
});

const payment = { by: "plan", account: "somebody", currency: "USD", amount: 0 };
const secrets = { source: { secretRef: { name: "a" } }, target: { secretRef: { name: "b" } } };
const asEve = (command: string[], object?: object) =>
  plane.kubectl([...command, "--as=eve", "-n", "pays"], object === undefined ? {} : { input: JSON.stringify(object) });
const migration = (name: string, spec: object) => ({
  ...{ apiVersion: "rowferry.dev/v1alpha1", kind: "Migration", metadata: { name }, spec },
});

test("an editor of a namespace applies Migrations, and cannot write who pays", async () => {
  const plain = await asEve(["apply", "-f", "-"], migration("plain", secrets));
  expect(plain.code, plain.err).toBe(0);
  const paid = await asEve(["apply", "-f", "-"], migration("paid", { ...secrets, payment }));
  expect(paid.err).toContain("spec.payment is written by the API; leave it out");
  const later = await asEve([
    "patch",
    "migration",
    "plain",
    "--type=merge",
    "-p",
    JSON.stringify({ spec: { payment } }),
  ]);
  expect(later.err).toContain("spec.payment is written by the API");

  await makeMigration(plane, "pays", "theirs", { payment });
  for (const change of [{ payment: null }, { payment: { amount: 1 } }, { payment: { by: "free" } }]) {
    const patch = ["patch", "migration", "theirs", "--type=merge", "-p", JSON.stringify({ spec: change })];
    expect((await asEve(patch)).err).toContain("spec.payment is written by the API");
  }
  const raised = await asEve(["patch", "migration", "theirs", "--type=merge", "-p", '{"spec":{"attempt":2}}']);
  expect(raised.code, raised.err).toBe(0);
});

test("an administrator, who may write Accounts, restores a Migration with its payment", async () => {
  const made = await makeMigration(plane, "pays", "restored", { payment });
  expect(made.spec.payment).toMatchObject(payment);
});

test("the API gives nobody Pro, and the operator writes an Account's plan and free migration alone", async () => {
  const spec = { email: "p@example.com", plan: "free" as const, actingTeam: "t" };
  await expect(
    api.create(kinds.accounts, { metadata: { name: "pro" }, spec: { ...spec, plan: "pro" } }),
  ).rejects.toMatchObject(forbidden);
  const made = await api.create(kinds.accounts, { metadata: { name: "pays" }, spec });
  await expect(api.update(kinds.accounts, { ...made, spec: { ...made.spec, plan: "pro" } })).rejects.toMatchObject(
    forbidden,
  );
  const customer = await api.update(kinds.accounts, {
    ...made,
    spec: { ...made.spec, billing: { customer: "cus_1" }, sessions: { generation: 1, ended: [] } },
  });

  const freeMigration = { namespace: "pays", name: "theirs", at: new Date().toISOString() };
  const changed = await operator.update(kinds.accounts, {
    ...customer,
    spec: { ...customer.spec, plan: "pro", freeMigration },
  });
  expect(changed.spec).toMatchObject({ plan: "pro", freeMigration, sessions: { generation: 1 } });
  const others: Partial<Account["spec"]>[] = [
    { email: "eve@example.com" },
    { billing: { customer: "cus_2" } },
    { sessions: { generation: 0, ended: [] } },
    { openToSignUp: true },
    { identities: [{ issuer: "https://login.example.com", subject: "thief", linkedAt: "2030-01-31T12:00:00.000Z" }] },
  ];
  for (const other of others)
    await expect(
      operator.update(kinds.accounts, { ...changed, spec: { ...changed.spec, ...other } }),
    ).rejects.toMatchObject(forbidden);
});
