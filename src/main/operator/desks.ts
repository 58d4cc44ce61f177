import type { WorkOptions } from "../../../controllers/backup-run/work.ts";
import { ownNames } from "../../../controllers/rbac.ts";
import { type DeskOptions, migrationDesk } from "../../../controllers/worker-endpoint/desk.ts";
import type { EndpointOptions } from "../../../controllers/worker-endpoint/endpoint.ts";
import { guardOf } from "../settings.ts";
import type { OperatorEnvironment } from "./config.ts";
import { isMadeForTeam } from "./teams.ts";

/** What the workers' endpoint does for each kind of work, by the settings. Without backups their code is not loaded. */
export async function desksOf(
  config: OperatorEnvironment,
  {
    namespace,
    isBillingOff,
    ...given
  }: Pick<DeskOptions & WorkOptions, "client" | "sealing" | "reports" | "now"> & {
    namespace: string;
    isBillingOff: boolean;
  },
): Promise<EndpointOptions["desk"]> {
  const options: DeskOptions = {
    ...given,
    guard: { ...guardOf(config), secrets: config.ROWFERRY_GUARD_SECRETS },
    prices: isBillingOff ? undefined : { currency: config.ROWFERRY_CURRENCY, list: config.ROWFERRY_PRICES },
  };
  if (!config.ROWFERRY_BACKUPS)
    return (caller) => {
      if (caller.kind !== "Migration") throw new Error(`A worker of a ${caller.kind} asks, and backups are off`);
      return migrationDesk(caller.object, options);
    };
  const [{ backupDesk }, { createKeyRing }, { installedStorage }] = await Promise.all([
    import("../../../controllers/backup-run/desk.ts"),
    import("../../../controllers/backup-run/key-ring.ts"),
    import("./backups.ts"),
  ]);
  const ofBackups: DeskOptions & WorkOptions = {
    ...options,
    ...given,
    storage: installedStorage(config),
    // Without a right on the cluster there are no Teams to read.
    isTeam: async (of) => config.ROWFERRY_WATCH_NAMESPACES.length === 0 && isMadeForTeam(given.client, of),
    verifyImages: config.ROWFERRY_VERIFY_IMAGES,
    keyRing: createKeyRing({ client: given.client, namespace, name: ownNames.backupKeys }),
  };
  return (caller) =>
    caller.kind === "Migration" ? migrationDesk(caller.object, options) : backupDesk(caller, ofBackups);
}
