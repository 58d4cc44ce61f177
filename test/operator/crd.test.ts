import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { optionsSchema } from "../../src/resources/options.ts";
import type { PlaneClient } from "./control-plane.ts";
import { borrowControlPlane } from "./shared.ts";

let plane: PlaneClient;

beforeAll(async () => {
  plane = borrowControlPlane();
});
afterAll(() => plane?.stop());

const secretRef = (name: string, key?: string) => ({ secretRef: key === undefined ? { name } : { name, key } });

function migration(name: string, spec: object): string {
  return JSON.stringify({
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Migration",
    metadata: { name, namespace: "default" },
    spec,
  });
}
const apply = (name: string, spec: object) => plane.kubectl(["apply", "-f", "-"], { input: migration(name, spec) });

describe("a bad spec is rejected with a sentence that tells the fix", () => {
  test.each([
    [
      "the same Secret twice",
      { source: secretRef("a"), target: secretRef("a", "url") },
      "source and target are the same Secret and key: name two different databases",
    ],
    [
      "two ways to name a database",
      { source: { ...secretRef("a"), sealedUrl: "v1.x" }, target: secretRef("b") },
      "name the database in exactly one way",
    ],
    ["no way to name a database", { source: {}, target: secretRef("b") }, "name the database in exactly one way"],
    ["no target", { source: secretRef("a") }, "spec.target: Required value"],
    [
      "too many streams",
      { source: secretRef("a"), target: secretRef("b"), options: { jobs: 17 } },
      "should be less than or equal to 16",
    ],
    [
      "a date that is none",
      { source: secretRef("a"), target: secretRef("b"), options: { zero_dates: "0000-00-00" } },
      "zero_dates is null, fail or a date such as 1970-01-01",
    ],
    [
      "a path in place of a CA",
      { source: secretRef("a"), target: secretRef("b"), options: { target_ca: "/etc/ssl/ca.crt" } },
      "a CA is PEM: it begins with -----BEGIN CERTIFICATE-----",
    ],
    [
      "a type without a column",
      { source: secretRef("a"), target: secretRef("b"), options: { types: { amount: "text" } } },
      "write a column in types as table.column or schema.table.column",
    ],
    [
      "an unknown option",
      { source: secretRef("a"), target: secretRef("b"), options: { includes: ["t"] } },
      'unknown field "spec.options.includes"',
    ],
    [
      "attempt 0",
      { source: secretRef("a"), target: secretRef("b"), attempt: 0 },
      "should be greater than or equal to 1",
    ],
    ["an unknown field", { source: secretRef("a"), target: secretRef("b"), atempt: 2 }, 'unknown field "spec.atempt"'],
  ])("%s", async (_what, spec, words) => {
    const { code, err } = await apply("bad", spec);
    expect(code).not.toBe(0);
    expect(err).toContain(words);
  });
});

test("defaults are filled in, and two keys of one Secret are two databases", async () => {
  expect(await apply("defaults", { source: secretRef("a", "old"), target: secretRef("a"), options: {} })).toMatchObject(
    { code: 0 },
  );
  const { out } = await plane.kubectl(["get", "migration", "defaults", "-o", "json"]);
  expect(JSON.parse(out).spec).toEqual({
    source: { secretRef: { name: "a", key: "old" } },
    target: { secretRef: { name: "a", key: "url" } },
    options: optionsSchema.parse({}),
    attempt: 1,
    reset: 0,
  });
});

test("every option is stored as it was given", async () => {
  const options = {
    jobs: 4,
    include: ["shop.*", "a.b"],
    exclude: ["*_log"],
    schemas: { shop: "public", other: "" },
    content: "data",
    drop: ["public.orders"],
    verify: "checksum",
    bandwidth: 1_000_000,
    definers: "invoker",
    zero_dates: "1970-01-01",
    types: { "orders.total": "numeric(20,4)" },
    statement_timeout: 60,
    source_locks: "require",
    on_object_error: "fail",
    blocking_timeout: 3600,
    stall_timeout: 0,
    source_ca: "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n",
    target_ca: "-----BEGIN TRUSTED CERTIFICATE-----\nx\n-----END TRUSTED CERTIFICATE-----\n",
  };
  expect(Object.keys(options)).toEqual(Object.keys(optionsSchema.shape));
  const applied = await apply("options", { source: secretRef("a"), target: secretRef("b"), options });
  expect(applied).toMatchObject({ code: 0 });
  const { out } = await plane.kubectl(["get", "migration", "options", "-o", "json"]);
  expect(JSON.parse(out).spec.options).toEqual(options);
});

describe("once started", () => {
  const spec = { source: secretRef("a"), target: secretRef("b"), attempt: 2, reset: 1 };
  beforeAll(async () => {
    expect(await apply("started", spec)).toMatchObject({ code: 0 });
    const change = { ...spec, target: secretRef("c") };
    expect(await apply("started", change), "before the start everything may change").toMatchObject({ code: 0 });
    expect(await apply("started", spec)).toMatchObject({ code: 0 });
    const status = JSON.stringify({ status: { startedAt: "2026-01-01T00:00:00Z", state: "in_progress" } });
    const patched = await plane.kubectl([
      "patch",
      "migration",
      "started",
      "--subresource=status",
      "--type=merge",
      "-p",
      status,
    ]);
    expect(patched).toMatchObject({ code: 0 });
  });

  test.each([
    ["another source", { ...spec, source: secretRef("z") }, "cannot be changed once the Migration has started"],
    ["another target", { ...spec, target: secretRef("z") }, "cannot be changed once the Migration has started"],
    [
      "options that were not there",
      { ...spec, options: { jobs: 3 } },
      "cannot be changed once the Migration has started",
    ],
    ["a lower attempt", { ...spec, attempt: 1 }, "attempt can only be raised"],
    ["a lower reset", { ...spec, reset: 0 }, "reset can only be raised"],
  ])("%s is refused", async (_what, changed, words) => {
    const { code, err } = await apply("started", changed);
    expect(code).not.toBe(0);
    expect(err).toContain(words);
  });

  test("attempt and reset can be raised", async () => {
    expect(await apply("started", { ...spec, attempt: 3, reset: 2 })).toMatchObject({ code: 0 });
  });
});

describe("a sealed URL", () => {
  const sealed = (source: string, target = source) => ({
    source: { sealedUrl: source },
    target: { sealedUrl: target },
  });
  const state = async (name: string, state: string) => {
    const status = JSON.stringify({ status: { startedAt: "2026-01-01T00:00:00Z", state } });
    await plane.kubectl(["patch", "migration", name, "--subresource=status", "--type=merge", "-p", status]);
  };

  test.each([
    ["taken out while the run goes on", "in_progress", sealed("expired")],
    ["replaced by another after the end", "completed", sealed("v1.other")],
    ["replaced by a Secret after the end", "failed", { source: secretRef("a"), target: { sealedUrl: "v1.a" } }],
    ["taken out with another change", "completed", { ...sealed("expired"), options: { jobs: 2 } }],
  ])("%s is refused", async (_what, over, changed) => {
    expect(await apply(`sealed-${over.replace("_", "-")}`, sealed("v1.a"))).toMatchObject({ code: 0 });
    await state(`sealed-${over.replace("_", "-")}`, over);
    const { code, err } = await apply(`sealed-${over.replace("_", "-")}`, changed);
    expect(err).toContain("cannot be changed once the Migration has started");
    expect(code).not.toBe(0);
  });

  test("may be taken out after the end, one or both, and never comes back", async () => {
    expect(await apply("sealed", sealed("v1.a"))).toMatchObject({ code: 0 });
    await state("sealed", "failed");
    expect(await apply("sealed", sealed("expired", "v1.a"))).toMatchObject({ code: 0 });
    expect(await apply("sealed", sealed("expired"))).toMatchObject({ code: 0 });
    expect((await apply("sealed", sealed("v1.a"))).err).toContain("cannot be changed once the Migration has started");
  });

  test("is replaced by another only together with the other side's, by a retry or a reset of a failed Migration", async () => {
    expect(await apply("resealed", sealed("v1.a"))).toMatchObject({ code: 0 });
    const refused = "cannot be changed once the Migration has started";
    await state("resealed", "in_progress");
    expect((await apply("resealed", { ...sealed("v1.b"), attempt: 2 })).err).toContain(refused);
    await state("resealed", "failed");
    for (const changed of [
      sealed("v1.b"),
      { ...sealed("v1.a", "v1.b"), attempt: 2 },
      { ...sealed("v1.b", "v1.a"), attempt: 2 },
      { source: secretRef("a"), target: { sealedUrl: "v1.b" }, attempt: 2 },
      { ...sealed("v1.b"), attempt: 2, options: { jobs: 2 } },
    ])
      expect((await apply("resealed", changed)).err, JSON.stringify(changed)).toContain(refused);
    expect(await apply("resealed", { ...sealed("v1.b"), attempt: 2 })).toMatchObject({ code: 0 });
    expect(await apply("resealed", { ...sealed("expired"), attempt: 2 })).toMatchObject({ code: 0 });
    expect(await apply("resealed", { ...sealed("v1.c"), attempt: 2, reset: 1 })).toMatchObject({ code: 0 });
  });

  test("a Secret's name is not taken out", async () => {
    expect(await apply("named", { source: secretRef("a"), target: secretRef("b") })).toMatchObject({ code: 0 });
    await state("named", "completed");
    const { err } = await apply("named", { source: { sealedUrl: "expired" }, target: secretRef("b") });
    expect(err).toContain("cannot be changed once the Migration has started");
  });
});

describe("the API's kinds", () => {
  const hash = "0".repeat(64);
  const make = (kind: string, name: string, spec: object) =>
    plane.kubectl(["apply", "-f", "-"], {
      input: JSON.stringify({ apiVersion: "rowferry.dev/v1alpha1", kind, metadata: { name }, spec }),
    });
  const owner = { account: "a1", role: "owner" };

  test.each<[string, string, string, object, string]>([
    ["a Team of a name with a dot", "Team", "a.b", { title: "A", members: [owner] }, "part of its namespace's"],
    ["a Team of a long name", "Team", "a".repeat(51), { title: "A", members: [owner] }, "at most 50"],
    [
      "a Team without an owner",
      "Team",
      "none",
      { title: "A", members: [{ account: "a1", role: "member" }] },
      "a team has at least one owner",
    ],
    ["a member twice", "Team", "twice", { title: "A", members: [owner, owner] }, "Duplicate value"],
    ["a token whose hash is none", "ApiToken", "1", { account: "a1", title: "t", hash: "x" }, "spec.hash"],
    ["an unknown plan", "Account", "a1", { email: "a@b.c", plan: "gold", actingTeam: "t" }, "spec.plan"],
  ])("%s is refused", async (_what, kind, name, spec, words) => {
    const { code, err } = await make(kind, name, spec);
    expect(err).toContain(words);
    expect(code).not.toBe(0);
  });

  test("a token's owner and hash never change, its title may", async () => {
    const token = { account: "a1", title: "t", hash };
    expect(await make("ApiToken", "123", token)).toMatchObject({ code: 0 });
    expect(await make("ApiToken", "123", { ...token, title: "u" })).toMatchObject({ code: 0 });
    for (const change of [{ account: "a2" }, { hash: "1".repeat(64) }])
      expect((await make("ApiToken", "123", { ...token, ...change })).err).toContain("delete it and make another one");
  });

  test("each field is explained", async () => {
    expect(await make("Account", "a1", { email: "a@b.c", actingTeam: "t" })).toMatchObject({ code: 0 });
    for (const path of [
      "team.spec",
      "team.spec.members",
      "team.status",
      "account.spec",
      "accountlog.spec",
      "accountlog.spec.events",
      "apitoken.spec",
      "apitoken.status",
    ]) {
      const { code, out } = await plane.kubectl(["explain", path]);
      expect(code, path).toBe(0);
      expect(out, path).not.toContain("<no description>");
    }
  });
});

test("kubectl explain describes the fields, and the short name and category work", async () => {
  const explained = await plane.kubectl(["explain", "migration.spec"]);
  expect(explained.out).toContain("Raise it by one to run a failed Migration again");
  expect((await plane.kubectl(["explain", "mig.spec.source.secretRef"])).out).toContain(
    "Name of a Secret in the same namespace",
  );
  expect((await plane.kubectl(["explain", "mig.status.queuePosition"])).out).toContain("Place in the queue");
  for (const path of ["spec.options", "status"]) {
    const { out } = await plane.kubectl(["explain", `mig.${path}`, "--recursive=false"]);
    expect(out).not.toContain("<no description>");
  }
  expect((await plane.kubectl(["get", "rowferry", "-o", "name"])).out).toContain("migration.rowferry.dev/defaults");
});

test("kubectl get shows the columns", async () => {
  const status = {
    status: {
      state: "in_progress",
      type: "conversion",
      columns: { size: "823 MB", progress: "41% copying", eta: "3m20s" },
    },
  };
  await plane.kubectl([
    "patch",
    "mig",
    "defaults",
    "--subresource=status",
    "--type=merge",
    "-p",
    JSON.stringify(status),
  ]);
  const { out } = await plane.kubectl(["get", "mig", "defaults"]);
  const [head, row] = out.trim().split("\n");
  expect(head?.split(/\s{2,}/)).toEqual(["NAME", "STATE", "TYPE", "SIZE", "PROGRESS", "ETA", "AGE"]);
  expect(row?.split(/\s{2,}/).slice(0, 6)).toEqual([
    "defaults",
    "in_progress",
    "conversion",
    "823 MB",
    "41% copying",
    "3m20s",
  ]);
  const selected = await plane.kubectl(["get", "mig", "--field-selector", "status.state=in_progress", "-o", "name"]);
  expect(selected.out.trim().split("\n").sort()).toEqual([
    "migration.rowferry.dev/defaults",
    "migration.rowferry.dev/sealed-in-progress",
    "migration.rowferry.dev/started",
  ]);
});

const folder = new URL("../../examples/", import.meta.url);
test.each(readdirSync(folder).filter((name) => name.endsWith(".yaml")))(
  "examples/%s is applied as it stands",
  async (name) => {
    const text = readFileSync(new URL(name, folder), "utf8");
    const { code, out, err } = await plane.kubectl(["apply", "-f", "-"], { input: text });
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out.trim().split("\n")).toHaveLength(parseAllDocuments(text).length);
  },
);
