import { describe, expect, it } from "vitest";
import { apiBackupRules, apiRules, backupRules, type Rule, rules } from "../../controllers/rbac.ts";
import { withBackups } from "../operator/admission.ts";
import { type AuditEvent, grantsOf, judgeRights, parseAuditLog } from "./rights.ts";
import { find, type Rendered, render, template } from "./tools.ts";

/** Order says nothing in a role. */
const sorted = (list: Rule[]) =>
  list
    .map(({ apiGroups, resources, verbs, resourceNames }) =>
      JSON.stringify([apiGroups, resources, [...verbs].sort(), resourceNames ?? []]),
    )
    .sort();

describe("the chart grants the operator exactly what its code needs", () => {
  it("in the whole cluster", async () => {
    expect(sorted(find<{ rules: Rule[] }>(await render(), "ClusterRole").rules)).toEqual(sorted(rules.cluster));
  });

  it("in its own namespace", async () => {
    const role = find<{ rules: Rule[] }>(await render(), "Role");
    expect(sorted(role.rules)).toEqual(sorted(rules.namespace));
    expect(role.metadata.namespace).toBe("rowferry-system");
  });

  it("and the API what it needs: in the cluster, in its own namespace, and in a team's", async () => {
    const objects = await render();
    const of = (kind: string, name: string) => sorted(find<{ rules: Rule[] }>(objects, kind, name).rules);
    expect(of("ClusterRole", "rowferry-api")).toEqual(sorted(apiRules.cluster));
    expect(of("Role", "rowferry-api")).toEqual(sorted(apiRules.namespace));
    expect(of("ClusterRole", "rowferry-api-team")).toEqual(sorted(apiRules.team));
    expect(find(objects, "Role", "rowferry-api").metadata.namespace).toBe("rowferry-system");
    const bound = objects.filter((object) => JSON.stringify(object.roleRef ?? "").includes("rowferry-api-team"));
    expect(bound, "only the operator binds it, in teams' namespaces").toEqual([]);
  });

  it("and what backups need, where they are enabled", async () => {
    const objects = await render({ backups: withBackups });
    const of = (kind: string, name?: string) => sorted(find<{ rules: Rule[] }>(objects, kind, name).rules);
    expect(of("ClusterRole")).toEqual(sorted([...rules.cluster, ...backupRules.cluster]));
    expect(of("Role")).toEqual(sorted([...rules.namespace, ...backupRules.namespace]));
    expect(of("ClusterRole", "rowferry-api")).toEqual(sorted([...apiRules.cluster, ...apiBackupRules.cluster]));
    expect(of("ClusterRole", "rowferry-api-team")).toEqual(sorted([...apiRules.team, ...apiBackupRules.team]));
    for (const name of ["rowferry-edit", "rowferry-view"])
      expect(find<{ rules: Rule[] }>(objects, "ClusterRole", name).rules.flatMap((rule) => rule.resources)).toEqual([
        "migrations",
        ...["backupschedules", "backupruns", "restores"],
      ]);
  });

  it("and nothing by a wildcard, and no Secret by a ClusterRole", async () => {
    const roles = (await render({ backups: withBackups })).filter(({ kind }) => kind.endsWith("Role")) as unknown as {
      rules: Rule[];
    }[];
    const all = roles.flatMap((role) => role.rules);
    expect(all.flatMap((rule) => [...rule.verbs, ...rule.resources, ...rule.apiGroups])).not.toContain("*");
    for (const list of [
      ...[rules.cluster, apiRules.cluster, apiRules.team],
      ...[backupRules.cluster, apiBackupRules.cluster, apiBackupRules.team],
    ])
      expect(list.flatMap((rule) => rule.resources)).not.toContain("secrets");
  });

  it.each(["rowferry-operator", "rowferry-api"])("to the ServiceAccount %s alone", async (name) => {
    const objects = await render();
    const account = { kind: "ServiceAccount", name, namespace: "rowferry-system" };
    for (const kind of ["ClusterRoleBinding", "RoleBinding"]) {
      expect(find<{ subjects: object[] }>(objects, kind, name).subjects).toEqual([account]);
    }
  });
});

it("users' roles are given Migrations, and never their status", async () => {
  const objects = await render();
  const edit = find<{ rules: Rule[] }>(objects, "ClusterRole", "rowferry-edit");
  const view = find<{ rules: Rule[] }>(objects, "ClusterRole", "rowferry-view");
  expect(edit.metadata.labels).toMatchObject({ "rbac.authorization.k8s.io/aggregate-to-edit": "true" });
  expect(view.metadata.labels).toMatchObject({ "rbac.authorization.k8s.io/aggregate-to-view": "true" });
  for (const role of [edit, view]) expect(role.rules.flatMap((rule) => rule.resources)).toEqual(["migrations"]);
  expect(view.rules.flatMap((rule) => rule.verbs).sort()).toEqual(["get", "list", "watch"]);
});

describe("the admission policies", () => {
  interface Policy {
    spec: { failurePolicy: string; matchConditions: { expression: string }[]; validations: { expression: string }[] };
  }
  interface Deployment {
    spec: { template: { spec: { containers: [{ env: { name: string; value?: string }[] }] } } };
  }
  const kind = "ValidatingAdmissionPolicy";

  it("hold the accounts of operator and API alone, but for who pays and who passes for a worker, and each is bound", async () => {
    const objects = await render();
    const policies = objects.filter((object) => object.kind === kind) as unknown as (Policy & Rendered)[];
    expect(policies.length).toBeGreaterThan(3);
    for (const { metadata, spec } of policies) {
      expect(find(objects, `${kind}Binding`, metadata.name).spec).toEqual({
        policyName: metadata.name,
        validationActions: ["Deny"],
      });
      expect(spec.failurePolicy).toBe("Fail");
      // Who pays is held for everybody.
      if (metadata.name === "rowferry-payment") {
        expect(spec.matchConditions).toBeUndefined();
        continue;
      }
      // Who passes for a worker is looked for among all, in the namespaces of teams.
      if (metadata.name === "rowferry-workers") {
        expect(spec.matchConditions.map(({ expression }) => expression)).toEqual([
          "request.?namespace.orValue('').startsWith('rowferry-') && request.namespace != 'rowferry-system'",
        ]);
        continue;
      }
      const account = metadata.name.startsWith("rowferry-api-") ? "rowferry-api" : "rowferry-operator";
      expect(spec.matchConditions.map(({ expression }) => expression)).toEqual([
        `request.userInfo.username == 'system:serviceaccount:rowferry-system:${account}'`,
      ]);
    }
  });

  it("follow the image and the worker's command", async () => {
    const objects = await render({
      image: { registry: "registry.example:5000/", repository: "a/b" },
      worker: { command: ["node", "x.js"] },
    });
    const { validations } = find<Policy>(objects, kind, "rowferry-operator-jobs").spec;
    const words = validations.map(({ expression }) => expression).join("\n");
    expect(words).toContain(String.raw`matches(r'^(registry\.example:5000/a/b)[:@][^/]+$')`);
    expect(words).toContain(`'--max-old-space-size' : word) == ["node","x.js"]`);
  });

  it("hold workers to the address that the operator tells them", async () => {
    const objects = await render({ service: { workersPort: 9443 } });
    const { validations } = find<Policy>(objects, kind, "rowferry-operator-jobs").spec;
    const told = find<Deployment>(objects, "Deployment").spec.template.spec.containers[0].env.find(
      ({ name }) => name === "ROWFERRY_ENDPOINT_URL",
    )?.value;
    expect(told).toBe("https://rowferry-operator.rowferry-system.svc:9443");
    expect(validations.map(({ expression }) => expression).join("\n")).toContain(
      `variable.name != 'ROWFERRY_OPERATOR_URL' || variable.?value.orValue('') == '${told}'`,
    );
  });

  it("let the images of further repositories through, as of before an upgrade or of a mirror", async () => {
    const admissionImages = ["old.example/a/b", "mirror.example:5000/c/"];
    const words = async (values: object) =>
      find<Policy>(await render(values), kind, "rowferry-operator-jobs")
        .spec.validations.map(({ expression }) => expression)
        .join("\n");
    expect(await words({ rbac: { admissionImages } })).toContain(
      String.raw`matches(r'^(rowferry\.dev/app|old\.example/a/b|mirror\.example:5000/c)[:@][^/]+$')`,
    );
    expect(await words({ rbac: { admissionImages: null } }), "the values of an earlier chart").toBe(await words({}));
    for (const image of ["a' || true || '", "mirror.example:5000/c:1.0", "old.example/a@sha256:00"])
      expect((await template({ rbac: { admissionImages: [image] } })).code, image).not.toBe(0);
  });

  it("are left out on demand", async () => {
    const kinds = (await render({ rbac: { admissionPolicies: false } })).map((object) => object.kind);
    expect(kinds.filter((one) => one.startsWith(kind))).toEqual([]);
  });
});

describe("an audit log held against the grants", () => {
  const user = "system:serviceaccount:own:rowferry-operator";
  const grants = grantsOf(
    {
      cluster: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }],
      namespace: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: ["mine"] }],
    },
    "own",
  );
  const asked = (verb: string, namespace: string, name: string, decision = "allow", username = user): AuditEvent => ({
    verb,
    user: { username },
    objectRef: { resource: "pods", namespace, name },
    annotations: { "authorization.k8s.io/decision": decision },
  });
  const everything = [asked("get", "own", "mine"), asked("get", "other", "theirs"), asked("list", "other", "")];

  it.each<[string, AuditEvent[], { unused: string[]; missing: string[] }]>([
    ["all used, none refused", everything, { unused: [], missing: [] }],
    ["a right that nothing used", everything.slice(0, 2), { unused: ["list pods"], missing: [] }],
    [
      "a wide right used only where the narrow one would do",
      everything.toSpliced(1, 1),
      { unused: ["get pods"], missing: [] },
    ],
    [
      "a refused request",
      [...everything, asked("delete", "other", "theirs", "forbid")],
      { unused: [], missing: ["delete pods theirs in other"] },
    ],
    [
      "another user's requests",
      [...everything, asked("delete", "x", "y", "forbid", "eve")],
      { unused: [], missing: [] },
    ],
    [
      "a path that is no resource",
      [...everything, { verb: "get", user: { username: user } }],
      { unused: [], missing: [] },
    ],
  ])("%s", (_name, events, judged) => {
    expect(judgeRights(events, grants, user)).toEqual(judged);
  });

  it("is read without its unfinished last line", () => {
    const line = JSON.stringify(everything[0]);
    expect(parseAuditLog(`${line}\n${line}\n${line.slice(0, 10)}`)).toHaveLength(2);
  });
});
