import { describe, expect, test } from "vitest";
import { kueueLabels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import type { WorkerTemplate } from "../jobs/template.ts";
import { decide } from "./decide.ts";
import { buildJob, specHash } from "./job.ts";
import type { Observed } from "./observed.ts";
import { isWaiting } from "./run.ts";

/** What a Migration says of its worker's pod, and when its run starts. */

const now = new Date("2026-03-01T12:00:00.000Z");
const template: WorkerTemplate = {
  ...{ image: "app:1", pullPolicy: "Never", pullSecrets: [], command: ["node"], uid: 1, memoryMax: 0, tmpSize: "1Gi" },
  ...{ guardSecrets: false, graceSeconds: 30, tokenSeconds: 3600, backoffLimit: 6, ttlSeconds: 60 },
  ...{ mostRunSeconds: 1000, silentSeconds: 300, endpointUrl: "https://o", ca: "" },
  resources: { requests: { cpu: "250m", memory: "128Mi" }, limits: { memory: "256Mi" } },
  placement: {
    nodeSelector: { pool: "copies" },
    tolerations: [{ key: "copies" }],
    labels: { team: "data", cost: "1" },
    priorityClassName: "low",
  },
  verify: { images: {}, resources: {}, dataSize: "1Gi" },
};
const migration = (spec: Partial<Migration["spec"]> = {}, labels: Record<string, string> = {}): Migration => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: {
    ...{ name: "shop", namespace: "team", uid: "m", generation: 1, resourceVersion: "1", labels },
    creationTimestamp: "2026-03-01T11:59:00Z",
  },
  spec: {
    ...{ source: { secretRef: { name: "a", key: "url" } }, target: { secretRef: { name: "b", key: "url" } } },
    ...{ attempt: 1, reset: 0 },
    ...spec,
  },
});
const jobOf = (of: Migration) => buildJob(of, 1, template);
const podOf = (of: Migration) => jobOf(of).spec.template;
const passOver = (of: Migration, more: Partial<Observed> = {}) =>
  decide({ migration: of, jobs: [], pods: [], slot: { free: true }, ...more }, now);
const running = (plan: ReturnType<typeof passOver>) => plan.status.conditions?.find(({ type }) => type === "Running");

describe("the pod of a Migration with spec.worker", () => {
  test("is placed by it and by the installation, whose node selector wins", () => {
    const { spec } = podOf(
      migration({
        worker: {
          nodeSelector: { pool: "other", disk: "ssd" },
          tolerations: [{ key: "gpu", operator: "Exists" }],
          affinity: { nodeAffinity: {} } as never,
          priorityClassName: "high",
        },
      }),
    );
    expect(spec).toMatchObject({
      nodeSelector: { pool: "copies", disk: "ssd" },
      tolerations: [{ key: "copies" }, { key: "gpu", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      priorityClassName: "high",
    });
  });

  test("has its resources, each quantity in place of the installation's", () => {
    const { spec } = podOf(migration({ worker: { resources: { limits: { memory: "2Gi", cpu: "2" } } } }));
    expect(spec.containers[0]?.resources).toEqual({
      requests: { cpu: "250m", memory: "128Mi" },
      limits: { memory: "2Gi", cpu: "2" },
    });
  });

  test("has its labels and annotations, and none that pass for Rowferry's", () => {
    const own = { "rowferry.dev/owner": "BackupRun/theirs", "app.kubernetes.io/component": "api", cost: "2" };
    const { metadata } = podOf(migration({ worker: { labels: own, annotations: own } }));
    expect(metadata.labels).toMatchObject({ team: "data", cost: "2", "app.kubernetes.io/component": "worker" });
    expect(metadata.labels).not.toHaveProperty("rowferry.dev/owner");
    expect(metadata.annotations).toMatchObject({ cost: "2" });
    expect(metadata.annotations).not.toHaveProperty("rowferry.dev/owner");
  });

  test("is not moved by autoscalers, unless it says so", () => {
    const mark = "cluster-autoscaler.kubernetes.io/safe-to-evict";
    expect(podOf(migration()).metadata.annotations).toMatchObject({
      [mark]: "false",
      "karpenter.sh/do-not-disrupt": "true",
    });
    expect(podOf(migration({ worker: { annotations: { [mark]: "true" } } })).metadata.annotations).toMatchObject({
      [mark]: "true",
    });
  });

  test.each<[string, Partial<Migration["spec"]>, number | undefined]>([
    ["its deadline", { worker: { activeDeadlineSeconds: 60 } }, 60],
    ["no deadline without one", {}, undefined],
    [
      "the installation's where that is shorter and its URLs came through the API",
      { source: { sealedUrl: "v1.a" }, worker: { activeDeadlineSeconds: 5000 } },
      1000,
    ],
  ])("has %s", (_name, spec, seconds) => {
    expect((jobOf(migration(spec)).spec as { activeDeadlineSeconds?: number }).activeDeadlineSeconds).toBe(seconds);
  });

  test("is made anew where that changes before the start, and else has the hash that it always had", () => {
    expect(specHash(migration({ worker: { priorityClassName: "high" } }))).not.toBe(specHash(migration()));
    expect(specHash(migration())).toBe("2cb38c9ec3435cca");
  });
});

describe("a run", () => {
  test("does not start while spec.suspend is true, and takes no place in the queue", () => {
    const suspended = migration({ suspend: true });
    expect(passOver(suspended).act).toBeUndefined();
    expect(running(passOver(suspended))?.reason).toBe("Suspended");
    expect(isWaiting(suspended)).toBe(false);
    expect(passOver(migration({ suspend: false })).act).toEqual({ kind: "make-job", run: 1 });
  });

  test("goes on where it is set after the start", () => {
    const status: Migration["status"] = {
      ...{ state: "in_progress", run: 1, attempt: 1, reset: 0, job: { name: "shop-1", uid: "j1" } },
    };
    const jobs = [{ metadata: { name: "shop-1", namespace: "team", uid: "j1", labels: { "rowferry.dev/run": "1" } } }];
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "shop-1", uid: "j1" };
    const pods = [{ metadata: { name: "p", ownerReferences: [owner] }, status: { phase: "Running" } }];
    const plan = passOver({ ...migration({ suspend: true }), status }, { jobs, pods });
    expect(plan.status.state).toBe("in_progress");
  });

  test("does not start with parts that the installation does not allow, and says which", () => {
    const asked = migration({ worker: { tolerations: [], resources: {}, labels: {} } });
    const plan = passOver(asked, { allowedParts: ["labels"] });
    expect(plan.act).toBeUndefined();
    expect(running(plan)).toMatchObject({
      reason: "WorkerNotAllowed",
      message:
        "The installation does not allow spec.worker.tolerations, spec.worker.resources: remove them, or add the names to worker.allowed of the chart.",
    });
    expect(passOver(asked, { allowedParts: ["labels", "tolerations", "resources"] }).act).toBeDefined();
  });
});

describe("a Migration with the name of a Kueue queue", () => {
  const queued = migration({}, { [kueueLabels.queue]: "copies", [kueueLabels.priority]: "night", other: "label" });

  test("has a Job that is made suspended, with the queue's and the priority's labels", () => {
    const { metadata, spec } = jobOf(queued);
    expect(spec).toMatchObject({ suspend: true });
    expect(metadata.labels).toMatchObject({ [kueueLabels.queue]: "copies", [kueueLabels.priority]: "night" });
    expect(metadata.labels).not.toHaveProperty("other");
    expect(jobOf(migration()).spec).not.toHaveProperty("suspend");
  });

  test("says that its Job waits for Kueue", () => {
    const status: Migration["status"] = {
      ...{ state: "pending", run: 1, attempt: 1, reset: 0, job: { name: "shop-1", uid: "j1" } },
    };
    const conditions = [{ type: "Suspended", status: "True" }];
    const job = { metadata: { name: "shop-1", namespace: "team", uid: "j1" }, status: { conditions } };
    const plan = passOver({ ...queued, status }, { jobs: [job] });
    expect(plan.status.state).toBe("pending");
    expect(running(plan)?.reason).toBe("JobSuspended");
  });
});
