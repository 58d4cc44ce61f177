import { describe, expect, it } from "vitest";
import { backupRules, homeRules, migrationRules, type Rule, rulesWithoutApi } from "../../controllers/rbac.ts";
import { readConfig } from "../../src/main/operator/config.ts";
import { environmentOf } from "./pods.ts";
import { find, type Rendered, render, template } from "./tools.ts";

/** `watchNamespaces`: an operator with Roles in some namespaces, and no right on the cluster. */

const values = { watchNamespaces: ["shop", "sales"], api: { enabled: false } };
const operator = "rowferry-operator";

const sorted = (list: readonly Rule[]) =>
  list
    .map(({ apiGroups, resources, verbs, resourceNames }) =>
      JSON.stringify([apiGroups, resources, [...verbs].sort(), resourceNames ?? []]),
    )
    .sort();

/** Each right as `namespace: rules`, whatever the Role is called. */
const rolesOf = (objects: readonly Rendered[]) =>
  Object.fromEntries(
    objects
      .filter(({ kind }) => kind === "Role")
      .map(({ metadata, rules }) => [`${metadata.namespace}/${metadata.name}`, sorted(rules as Rule[])]),
  );

describe("with watchNamespaces", () => {
  it("nothing of the cluster is rendered: no ClusterRole, no kind, no policy, no namespace", async () => {
    const objects = await render(values, "tenant");
    expect(objects.filter(({ metadata }) => metadata.namespace === undefined)).toEqual([]);
    const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace));
    expect([...namespaces].sort()).toEqual(["sales", "shop", "tenant"]);
  });

  it.each<[string, object, readonly Rule[], readonly Rule[]]>([
    ["", {}, migrationRules, [...rulesWithoutApi.namespace, ...homeRules]],
    [
      ", also for backups",
      { backups: { enabled: true } },
      [...migrationRules, ...backupRules.cluster],
      [...rulesWithoutApi.namespace, ...homeRules, ...backupRules.namespace],
    ],
  ])("the operator has exactly what its code needs there%s", async (_what, more, there, own) => {
    const roles = rolesOf(await render({ ...values, ...more }, "tenant"));
    expect(roles).toEqual({
      [`shop/${operator}-migrations`]: sorted(there),
      [`sales/${operator}-migrations`]: sorted(there),
      [`tenant/${operator}`]: sorted(own),
    });
    expect(there.flatMap(({ resources }) => resources)).not.toContain("secrets");
  });

  it("each Role is bound to the operator's account alone", async () => {
    const objects = await render(values, "tenant");
    const bindings = objects.filter(({ kind }) => kind === "RoleBinding");
    expect(bindings).toHaveLength(3);
    for (const { metadata, roleRef, subjects } of bindings) {
      expect(roleRef).toMatchObject({ kind: "Role", name: metadata.name });
      expect(subjects).toEqual([{ kind: "ServiceAccount", name: operator, namespace: "tenant" }]);
    }
  });

  it("the installation's own namespace may be one of them, and a name may be there twice", async () => {
    const roles = rolesOf(await render({ ...values, watchNamespaces: ["tenant", "tenant"] }, "tenant"));
    expect(Object.keys(roles).sort()).toEqual([`tenant/${operator}`, `tenant/${operator}-migrations`]);
  });

  it("the operator's environment names them, and without it none", async () => {
    const config = readConfig(environmentOf(await render({ ...values, operator: {} }), operator));
    expect(config.ROWFERRY_WATCH_NAMESPACES).toEqual(["shop", "sales"]);
    expect(environmentOf(await render(), operator)).not.toHaveProperty("ROWFERRY_WATCH_NAMESPACES");
  });

  it("backups need no bucket of the installation, which is for teams", async () => {
    const environment = environmentOf(await render({ ...values, backups: { enabled: true } }), operator);
    expect(readConfig(environment)).toMatchObject({ ROWFERRY_BACKUPS: true, ROWFERRY_BACKUP_BUCKET: undefined });
  });

  it("helm test runs in a namespace in which the operator works", async () => {
    const where = async (watchNamespaces: string[]) => {
      const objects = await render({ ...values, watchNamespaces, helmTest: { image: "postgres:18" } }, "tenant");
      const parts = objects.filter(({ metadata }) => metadata.name.startsWith("rowferry-test"));
      return [...new Set(parts.map(({ metadata }) => metadata.namespace))];
    };
    expect(await where(["shop", "sales"])).toEqual(["shop"]);
    expect(await where(["shop", "tenant"])).toEqual(["tenant"]);
  });

  it.each<[string, object, RegExp]>([
    ["the API", { api: { enabled: true } }, /api\.enabled.*objects of the cluster.*Set api\.enabled to false/],
    ["billing", { billing: { stripe: { secretName: "stripe" } } }, /billing\.stripe\.secretName/],
    ["a bucket for teams", { backups: { enabled: true, storage: { bucket: "b" } } }, /backups\.storage\.bucket/],
    ["a name that is none", { watchNamespaces: ["Shop"] }, /watchNamespaces/],
    ["a list in one text", { watchNamespaces: ["shop,sales"] }, /watchNamespaces/],
  ])("%s is refused in words that name the value", async (_what, more, words) => {
    const { code, stderr } = await template({ ...values, ...more });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(words);
  });
});

describe("the objects of the cluster are rendered on demand, for whoever may install them:", () => {
  it("the kinds and the users' roles, the same for every installation", async () => {
    const asked = { crds: { enabled: true }, rbac: { aggregateToUserRoles: true } };
    const ofCluster = (objects: Rendered[]) =>
      objects
        .filter(({ kind, metadata }) => kind === "CustomResourceDefinition" || metadata.name.startsWith("rowferry-"))
        .filter(({ metadata }) => metadata.namespace === undefined)
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const found = ofCluster(await render({ ...values, ...asked }, "tenant"));
    expect(found).toContain("CustomResourceDefinition migrations.rowferry.dev");
    expect(found.filter((name) => name.startsWith("ClusterRole")).sort()).toEqual([
      "ClusterRole rowferry-edit",
      "ClusterRole rowferry-view",
    ]);
  });

  it("the admission policies, with a name of their own for each installation, and none about teams", async () => {
    const objects = await render({ ...values, rbac: { admissionPolicies: true } }, "tenant");
    const names = (kind: string) => objects.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
    const policies = names("ValidatingAdmissionPolicy");
    expect(policies.sort()).toEqual(
      ["deletes", "jobs", "lost", "migrations", "reports", "unpaid"]
        .map((name) => `rowferry-operator-${name}-tenant`)
        .concat("rowferry-payment-tenant"),
    );
    expect(names("ValidatingAdmissionPolicyBinding").sort()).toEqual(policies);
    const jobs = find<{ spec: { matchConditions: { expression: string }[] } }>(
      objects,
      "ValidatingAdmissionPolicy",
      "rowferry-operator-jobs-tenant",
    );
    expect(jobs.spec.matchConditions[0]?.expression).toContain("system:serviceaccount:tenant:rowferry-operator");
  });
});
