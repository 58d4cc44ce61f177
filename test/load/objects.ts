import { randomBytes, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { readEmail } from "../../src/requests/accounts/email.ts";
import { marks } from "../../src/requests/migrations/view/marks.ts";
import { makeToken } from "../../src/requests/tokens/token.ts";
import type { Account } from "../../src/resources/account.ts";
import { archiveKey } from "../../src/resources/archive/archive.ts";
import { apiVersion, labels } from "../../src/resources/group.ts";
import { withIds } from "../../src/resources/log.ts";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import { type ConfigMap, kinds } from "../../src/resources/objects.ts";
import { namespaceOf, type Team } from "../../src/resources/team.ts";
import type { ApiToken } from "../../src/resources/token.ts";

/** The objects of a cluster that has been in use for a while: what the API would have made, and what runs left behind. */

export interface Owner {
  account: Account;
  team: Team;
  namespace: string;
}

export function newOwner(number: number): Owner {
  const { account: name, shown } = readEmail(`load-${number}-${randomBytes(4).toString("hex")}@example.com`);
  const team = `t${randomBytes(10).toString("hex")}`;
  return {
    account: { metadata: { name }, spec: { email: shown, plan: "free", actingTeam: team } },
    team: { metadata: { name: team }, spec: { title: "Personal", members: [{ account: name, role: "owner" }] } },
    namespace: namespaceOf(team),
  };
}

/** A token of an account that is stored already, and its plaintext. */
export function newToken({ metadata: { name, uid } }: Account): { token: ApiToken; plaintext: string } {
  const { digits, plaintext, hash } = makeToken(randomBytes);
  return {
    plaintext,
    token: {
      metadata: {
        name: digits,
        labels: { [labels.account]: name },
        ownerReferences: [{ apiVersion, kind: kinds.accounts.kind, name, uid: uid ?? "" }],
      },
      spec: { account: name, title: "load", hash },
    },
  };
}

/** As long as a sealed URL of 100 characters is. */
const sealed = () => `v1.k1.${randomBytes(32).toString("base64url")}.${randomBytes(116).toString("base64url")}`;

export function newMigration(namespace: string): Migration {
  return {
    metadata: {
      name: randomUUID(),
      namespace,
      annotations: {
        [marks.createdAt]: new Date().toISOString(),
        [marks.type]: "conversion",
        [marks.body]: randomBytes(24).toString("base64url"),
      },
    },
    spec: { source: { sealedUrl: sealed() }, target: { sealedUrl: sealed() }, attempt: 1, reset: 0 },
  } as unknown as Migration;
}

const milestones = ["The schema is made: 23 tables.", "Verified: every table has as many rows as its source."];

/** What a completed run leaves in the status; `report` names the ConfigMap. With what Kubernetes notes of its writers, just under 4 KB. */
export function completedStatus(at: Date, report: string): MigrationStatus {
  const time = at.toISOString();
  const log = [
    ...withIds(1, "c", [{ time, level: "info", message: "Run 1 started: Job made." }]),
    ...withIds(
      1,
      "w",
      milestones.map((message) => ({ time, level: "info" as const, message })),
    ),
  ];
  const condition = (type: string, status: "True" | "False", reason: string, message: string) => ({
    type,
    status,
    observedGeneration: 1,
    lastTransitionTime: time,
    reason,
    message,
  });
  return {
    observedGeneration: 1,
    state: "completed",
    run: 1,
    attempt: 1,
    reset: 0,
    job: { name: "made-1", uid: randomUUID() },
    queuedAt: time,
    startedAt: time,
    finishedAt: time,
    conditions: [
      condition("Complete", "True", "Verified", "23 tables with 9,204,117 rows were copied and verified."),
      condition("Failed", "False", "Verified", "The run completed."),
    ],
    type: "conversion",
    size: 823_000_000,
    log,
    progress: {
      phase: "finished",
      percent: 100,
      rows: { done: 9_204_117, total: 9_204_117 },
      bytes: { done: 823_000_000, total: 823_000_000 },
      tables: { done: 23, total: 23 },
      table: [],
      updatedAt: time,
    },
    report: { configMap: report, tables: 23, rows: 9_204_117, reported: 0 },
    result: { run: 1, outcome: "completed", reason: "Verified", message: "Copied and verified.", finishedAt: time },
  };
}

/** A report of 23 tables, as the operator keeps it. */
export function newReport(of: Migration, name: string): ConfigMap {
  const tables = Array.from({ length: 23 }, (_, at) => ({
    source: `shop.orders_${at}`,
    target: `shop.orders_${at}`,
    rows: { source: 400_179 + at, target: 400_179 + at },
  }));
  const report = {
    type: "conversion",
    source: { engine: "mysql", version: "9.7.1" },
    target: { engine: "postgres", version: "18.6" },
    startedAt: "2026-01-01T00:00:00.000Z",
    finishedAt: "2026-01-01T00:01:00.000Z",
    size: 823_000_000,
    tables,
    inventory: tables.map(({ source }) => ({ kind: "table", name: source, outcome: "converted" })),
    warnings: [],
    made: tables.map(({ target }) => ({ kind: "table", name: target.split(".") })),
  };
  const log = milestones.map((message) => ({ time: "2026-01-01T00:00:30.000Z", level: "info", message }));
  const { namespace, name: owner, uid } = of.metadata;
  return {
    metadata: {
      name,
      namespace,
      ownerReferences: [{ apiVersion, kind: kinds.migrations.kind, name: owner, uid }],
    },
    binaryData: { [archiveKey]: gzipSync(JSON.stringify({ report, log })).toString("base64") },
  };
}
