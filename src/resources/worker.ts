import * as z from "zod";
import { rules } from "./schema.ts";

/** What a Migration may say of its worker's pod, each part only where the installation allows it. */

/** Names of parts that a Migration may have in `spec.worker`; the installation allows each or not. */
export const workerParts = [
  "nodeSelector",
  "tolerations",
  "affinity",
  "priorityClassName",
  "labels",
  "annotations",
  "resources",
  "activeDeadlineSeconds",
] as const;
export type WorkerPart = (typeof workerParts)[number];

const bounded = (what: string, more = {}) =>
  z
    .record(z.string(), z.string().max(1024))
    .describe(what)
    .meta({ maxProperties: 32, ...more });
/** Rowferry finds Jobs and pods by its own. */
const notOwn = (what: string) =>
  rules([
    "self.all(name, !name.startsWith('rowferry.dev/') && !name.startsWith('app.kubernetes.io/'))",
    `${what} of rowferry.dev/ and app.kubernetes.io/ are written by Rowferry: leave them out`,
  ]);
const quantities = (what: string) =>
  z.record(z.string(), z.string().max(32)).describe(what).meta({ maxProperties: 16 }).optional();

export const workerSpecSchema = z
  .object({
    nodeSelector: bounded("Labels that the node must have, beside the installation's.").optional(),
    tolerations: z
      .array(
        z.object({
          key: z.string().max(316).optional().describe("Key of the taint; every taint without it."),
          operator: z.enum(["Exists", "Equal"]).optional().describe("How the value counts; Equal by default."),
          value: z.string().max(63).optional().describe("Value of the taint."),
          effect: z
            .enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])
            .optional()
            .describe("Effect of the taint; every effect without it."),
          tolerationSeconds: z.int().min(0).optional().describe("How long a NoExecute taint is tolerated."),
        }),
      )
      .max(16)
      .optional()
      .describe("Taints of nodes that the pod tolerates, beside the installation's."),
    affinity: z
      .object({})
      .meta({ "x-kubernetes-preserve-unknown-fields": true })
      .optional()
      .describe("A pod's affinity, in place of the installation's."),
    priorityClassName: z.string().max(253).optional().describe("Priority of the pod, in place of the installation's."),
    labels: bounded("More labels of the pod.", notOwn("labels")).optional(),
    annotations: bounded("More annotations of the pod.", notOwn("annotations")).optional(),
    resources: z
      .object({
        requests: quantities("Resources that the pod gets at least."),
        limits: quantities("Resources that the pod can use at most."),
      })
      .optional()
      .describe("Resources of the worker's container; each quantity in place of the installation's."),
    activeDeadlineSeconds: z
      .int()
      .min(1)
      .max(31_536_000)
      .optional()
      .describe("Seconds after which the run is ended as failed, waiting for a node included."),
  })
  .describe("The worker's pod. Each part must be allowed by worker.allowed of the chart, else the run does not start.");
export type WorkerSpec = z.output<typeof workerSpecSchema>;

/** The parts that a spec has and the installation does not allow. */
export const forbiddenParts = (worker: WorkerSpec | undefined, allowed: readonly WorkerPart[]): WorkerPart[] =>
  workerParts.filter((part) => worker?.[part] !== undefined && !allowed.includes(part));
