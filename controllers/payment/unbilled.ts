import { assertLeads, type Client, type Informer, kinds } from "../../src/cluster/index.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { paymentFinalizer } from "../../src/resources/payment.ts";
import { unlessOutdated } from "../runtime/loop.ts";
import type { PaymentController } from "./controller.ts";
import { stopRuns } from "./stop-runs.ts";

/**
 * The payments of an installation that has no Stripe key any more: a Migration that is deleted goes at once. Without the key nothing can be captured; an
 * open page closes and a hold lapses by itself, and the sweep releases both earlier if the key returns.
 */
export function createUnbilledController({
  client,
  leads,
  migrations,
}: {
  client: Client;
  leads: () => boolean;
  migrations: Informer<Migration>;
}): PaymentController {
  const mayAct = () => assertLeads(leads);
  return {
    async reconcile(key) {
      const [namespace = "", name = ""] = key.split("/");
      const migration = migrations.get(namespace, name);
      if (migration?.metadata.deletionTimestamp === undefined) return {};
      const { uid, resourceVersion, finalizers = [] } = migration.metadata;
      if (!finalizers.includes(paymentFinalizer)) return {};
      return unlessOutdated(async () => {
        await stopRuns(client, mayAct, migration);
        mayAct();
        await client.mergePatch(kinds.migrations, namespace, name, {
          metadata: { uid, resourceVersion, finalizers: finalizers.filter((one) => one !== paymentFinalizer) },
        });
        return {};
      });
    },
  };
}
