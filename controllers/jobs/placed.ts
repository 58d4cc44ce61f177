import { group } from "../../src/resources/group.ts";
import type { WorkerSpec } from "../../src/resources/worker.ts";
import type { Placement, WorkerTemplate } from "./template.ts";

/** The template of a worker's pod with what its owner says of it. Pure. */

/** By these Rowferry, and whatever watches its pods, finds them. */
const isOwn = (name: string): boolean => name.startsWith(`${group}/`) || name.startsWith("app.kubernetes.io/");

const others = (all: Record<string, string> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(all ?? {}).filter(([name]) => !isOwn(name)));

export function placed(template: WorkerTemplate, worker: WorkerSpec | undefined): WorkerTemplate {
  if (worker === undefined) return template;
  const { placement, resources } = template;
  const { nodeSelector, tolerations, affinity, priorityClassName, labels, annotations } = worker;
  const next: Placement = {
    ...placement,
    ...(nodeSelector === undefined ? {} : { nodeSelector: { ...nodeSelector, ...placement.nodeSelector } }),
    ...(tolerations === undefined ? {} : { tolerations: [...(placement.tolerations ?? []), ...tolerations] }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(labels === undefined ? {} : { labels: { ...placement.labels, ...others(labels) } }),
    ...(annotations === undefined ? {} : { annotations: { ...placement.annotations, ...others(annotations) } }),
  };
  if (worker.resources === undefined) return { ...template, placement: next };
  const { requests, limits } = worker.resources;
  return {
    ...template,
    placement: next,
    resources: {
      ...resources,
      ...(requests === undefined ? {} : { requests: { ...resources.requests, ...requests } }),
      ...(limits === undefined ? {} : { limits: { ...resources.limits, ...limits } }),
    },
  };
}
