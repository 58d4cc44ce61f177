import { expect, test } from "vitest";
import { migrationWith } from "../../../../test/support/requests/migration-with.ts";
import type { Migration } from "../../../resources/migration.ts";
import { optionsSchema } from "../../../resources/options.ts";
import { one } from "./shown.ts";
import { trimmed, trimWithin, untrimmed } from "./trim.ts";

const at = "2026-01-01T00:00:00.000Z";
const log = [{ id: "0001-000000001-c00", time: at, level: "info" as const, message: "Run 1 started: Job made." }];
const options = optionsSchema.parse({ jobs: 3, include: ["shop.*"] });
const ca = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
const ran: Migration["status"] = { observedGeneration: 1, run: 1, attempt: 1, reset: 0, startedAt: at, log };

test.each<[string, Migration]>([
  ["one that was just made", migrationWith()],
  ["one with options", migrationWith({ spec: { options } })],
  ["one with options of kubectl that are none", migrationWith({ spec: { options: { jobs: "x" } as never } })],
  [
    "one that runs",
    migrationWith({
      status: {
        ...ran,
        state: "in_progress",
        progress: {
          phase: "copying",
          percent: 12,
          rows: { done: 1, total: 8 },
          bytes: { done: 1, total: 8 },
          tables: { done: 0, total: 1 },
          table: [{ name: "shop.orders", rows: 1, total: 8, state: "copying" }],
          updatedAt: at,
        },
      },
    }),
  ],
  [
    "one that failed",
    migrationWith({
      status: {
        ...ran,
        state: "failed",
        finishedAt: at,
        conditions: [
          { type: "Failed", status: "True", reason: "WrongPassword", message: "no", lastTransitionTime: at },
        ],
      },
    }),
  ],
  [
    "one that completed",
    migrationWith({
      status: {
        ...ran,
        state: "completed",
        type: "transfer",
        size: 7,
        cost: 2,
        finishedAt: at,
        report: { configMap: "c", tables: 1, rows: 8, reported: 0 },
      },
    }),
  ],
])("of %s all that is shown is kept", (_what, migration) => {
  const kept = untrimmed(trimmed(migration)) as Migration;
  expect(one(kept, "USD")).toEqual(one(migration, "USD"));
  expect(kept.status?.report).toEqual(migration.status?.report);
});

test("URLs, CAs and what others wrote are not kept", () => {
  const { rest, ...listed } = trimmed(
    migrationWith({
      metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "applied-before" } },
      spec: {
        source: { sealedUrl: "sealed-source" },
        target: { sealedUrl: "sealed-target" },
        options: { ...options, source_ca: ca, target_ca: ca },
      },
    }),
  );
  const text = JSON.stringify(listed) + new TextDecoder().decode(rest);
  expect(text).toContain("shop.*");
  for (const secret of ["sealed-", "CERTIFICATE", "applied-before"]) expect(text).not.toContain(secret);
});

test("a cache keeps to its bytes, whoever makes many large ones, and has room again for what comes when some are gone", () => {
  const { trim, changed } = trimWithin(5000);
  const include = Array.from({ length: 150 }, (_, number) => `table_${number}`);
  const large = migrationWith({ spec: { options: { ...options, include } } });
  const kept = Array.from({ length: 9 }, () => {
    const one = trim(large);
    changed(undefined, one);
    return one;
  });
  expect(kept.filter(({ rest }) => rest !== undefined)).toHaveLength(2);
  changed(kept[0], undefined);
  expect(trim(large).rest).toBeDefined();
});

test("of what one has made large the cache keeps what lists show", () => {
  const include = Array.from({ length: 900 }, (_, number) => `shop.table_${number}`);
  const large = trimmed(migrationWith({ spec: { options: { ...options, include } } }));
  expect(untrimmed(large)).toBeUndefined();
  expect(large.metadata.name).toBe(migrationWith().metadata.name);
  expect(JSON.stringify(large).length).toBeLessThan(1000);
});
