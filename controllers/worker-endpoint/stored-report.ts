import { alreadyExists, type Client, kinds } from "../../src/cluster/index.ts";
import { clean } from "../../src/guard/text.ts";
import { archiveKey } from "../../src/resources/archive/archive.ts";
import { apiVersion } from "../../src/resources/group.ts";
import type { RunOutcome } from "../../src/worker/protocol.ts";

interface ReportOf {
  /** Owns the ConfigMap. */
  of: { kind: string; metadata: { name: string; namespace: string; uid: string } };
  name: string;
  marks: Record<string, string>;
}

/**
 * Makes the ConfigMap of a run's report; one that is there already is this run's, from a pod whose result was cut off. Answers whether it is
 * there. Errors: ClusterError.
 */
export async function storeReport(
  client: Client,
  { of, name: configMap, marks }: ReportOf,
  outcome: RunOutcome,
): Promise<boolean> {
  const { kind, metadata } = of;
  const { name, namespace, uid } = metadata;
  const note =
    outcome.archive === undefined
      ? { note: "The report was too large to be kept, or does not exist: see the log of the pod." }
      : {};
  try {
    await client.create(kinds.configMaps, {
      metadata: {
        name: configMap,
        namespace,
        labels: { ...marks, "app.kubernetes.io/managed-by": "rowferry" },
        ownerReferences: [{ apiVersion, kind, name, uid }],
      },
      data: { outcome: outcome.outcome, message: clean(outcome.message, 2048), ...note },
      ...(outcome.archive === undefined ? {} : { binaryData: { [archiveKey]: outcome.archive } }),
    });
    return true;
  } catch (error) {
    if (!alreadyExists(error)) throw error;
    const found = await client.get(kinds.configMaps, namespace, configMap);
    // One of this name that is somebody else's: the result is worth more than the report.
    return found?.metadata.ownerReferences?.some((other) => other.uid === uid) ?? false;
  }
}
