import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { lauxlib, lua, lualib, to_luastring as text } from "fengari";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { decide } from "../../controllers/migration/decide.ts";
import type { Observed } from "../../controllers/migration/observed.ts";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";

/** The health check of docs/gitops.md, run as Argo CD runs it, on the statuses that the operator writes. */

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(resolve(root, "docs/gitops.md"), "utf8");
const script = /```lua\n(.*?)```/s.exec(page)?.[1] ?? "";

function push(state: unknown, value: unknown): void {
  if (value === null || value === undefined) lua.lua_pushnil(state);
  else if (typeof value === "object") {
    lua.lua_createtable(state, 0, 0);
    const entries = Array.isArray(value) ? value.map((one, index) => [index + 1, one] as const) : Object.entries(value);
    for (const [key, one] of entries) {
      push(state, key);
      push(state, one);
      lua.lua_settable(state, -3);
    }
  } else if (typeof value === "number") lua.lua_pushnumber(state, value);
  else if (typeof value === "boolean") lua.lua_pushboolean(state, value);
  else lua.lua_pushstring(state, text(String(value)));
}

/** What Argo CD would show of the object. */
function health(obj: object): { status: string; message: string } {
  const state = lauxlib.luaL_newstate();
  lualib.luaL_openlibs(state);
  push(state, JSON.parse(JSON.stringify(obj)));
  lua.lua_setglobal(state, text("obj"));
  if (lauxlib.luaL_dostring(state, text(script)) !== lua.LUA_OK) throw new Error(lua.lua_tojsstring(state, -1));
  const field = (name: string): string => {
    lua.lua_getfield(state, -1, text(name));
    const value = lua.lua_tojsstring(state, -1);
    lua.lua_settop(state, -2);
    return value;
  };
  return { status: field("status"), message: field("message") };
}

const now = new Date("2026-03-01T12:00:00.000Z");
const fresh: Migration = {
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: {
    ...{ name: "shop", namespace: "team", uid: "m", generation: 1, resourceVersion: "1" },
    creationTimestamp: "2026-03-01T11:59:00Z",
  },
  spec: {
    ...{ source: { secretRef: { name: "a", key: "url" } }, target: { secretRef: { name: "b", key: "url" } } },
    ...{ attempt: 1, reset: 0 },
  },
};
/** The Migration after passes of the operator that see this, one after the other. */
function after(...seen: Partial<Observed>[]): Migration {
  let migration = fresh;
  for (const more of seen) {
    const { status } = decide({ migration, jobs: [], pods: [], slot: { free: true }, ...more }, now);
    migration = { ...migration, status: { ...migration.status, ...status } as MigrationStatus };
  }
  return migration;
}
const made: Partial<Observed> = { made: { outcome: "made", name: "shop-1", uid: "j1" } };
const job = { metadata: { name: "shop-1", namespace: "team", uid: "j1", labels: { "rowferry.dev/run": "1" } } };
const owner = { apiVersion: "batch/v1", kind: "Job", name: "shop-1", uid: "j1" };
const runs: Partial<Observed> = {
  jobs: [job],
  pods: [{ metadata: { name: "shop-1-x", ownerReferences: [owner] }, status: { phase: "Running" } }],
};
function ended(outcome: "completed" | "failed", reason: string, message: string): Migration {
  const migration = after(made, runs);
  const result = { run: 1, outcome, reason, message, finishedAt: now.toISOString() };
  const told: Migration = { ...migration, status: { ...migration.status, result } };
  const { status } = decide({ migration: told, jobs: [], pods: [], slot: { free: true } }, now);
  return { ...told, status: { ...told.status, ...status } };
}
const completed = ended("completed", "Verified", "All is equal.");
const failed = ended("failed", "wrong_password", "The password is wrong.");
const unpaid: Migration["spec"]["payment"] = {
  ...{ by: "hold", account: "a-1", amount: 500, currency: "USD", quotedSize: 1 },
  checkout: { number: 1, run: 1, session: "cs_1", url: "https://pay.example/1", expiresAt: now.toISOString() },
} as NonNullable<Migration["spec"]["payment"]>;

const scenes: [string, Migration, { status: string; message: string; reason: string | undefined }][] = [
  ["is new", fresh, { status: "Progressing", message: "not seen this version", reason: undefined }],
  [
    "waits",
    after({ slot: { free: false, position: 2, scope: "cluster", limit: 20 } }),
    { status: "Progressing", message: "Queued: 20 runs", reason: "Queued" },
  ],
  ["has a Job", after(made), { status: "Progressing", message: "PodPending", reason: "PodPending" }],
  ["runs", after(made, runs), { status: "Progressing", message: "PodRunning", reason: "PodRunning" }],
  ["is completed", completed, { status: "Healthy", message: "Verified: All is equal.", reason: "Verified" }],
  ["failed", failed, { status: "Degraded", message: "WrongPassword: The password is wrong.", reason: "WrongPassword" }],
  [
    "failed, and is retried by a spec that the operator has not seen",
    { ...failed, metadata: { ...failed.metadata, generation: 2 } },
    { status: "Progressing", message: "not seen this version", reason: "WrongPassword" },
  ],
  [
    "awaits payment",
    {
      ...fresh,
      spec: { ...fresh.spec, payment: unpaid },
      status: decide(
        {
          migration: { ...fresh, spec: { ...fresh.spec, payment: unpaid } },
          jobs: [],
          pods: [],
          slot: { free: true },
        },
        now,
      ).status as MigrationStatus,
    },
    { status: "Suspended", message: "AwaitingPayment", reason: "AwaitingPayment" },
  ],
];

describe("a Migration that", () => {
  test.each(scenes)("%s has this health in Argo CD", (_name, migration, { status, message }) => {
    const shown = health(migration);
    expect(shown.status).toBe(status);
    expect(shown.message).toContain(message);
  });

  test.each(scenes)("%s shows its real reason in kubectl's wide column", (_name, { status }, { reason }) => {
    const crd = parse(readFileSync(resolve(root, "crds/migrations.rowferry.dev.yaml"), "utf8")) as {
      spec: { versions: [{ additionalPrinterColumns: { name: string; jsonPath: string }[] }] };
    };
    const path = crd.spec.versions[0].additionalPrinterColumns.find(({ name }) => name === "Reason")?.jsonPath;
    const type = /^\.status\.conditions\[\?\(@\.type=="(\w+)"\)\]\.reason$/.exec(path ?? "")?.[1];
    expect(type).toBeDefined();
    expect(status?.conditions?.find((condition) => condition.type === type)?.reason).toBe(reason);
  });
});

test("a later pass over an ended Migration keeps its health", () => {
  const migration = { ...failed, metadata: { ...failed.metadata, generation: 2 } };
  const { status } = decide({ migration, jobs: [], pods: [], slot: { free: true } }, now);
  expect(health({ ...migration, status: { ...migration.status, ...status } })).toEqual(health(failed));
});
