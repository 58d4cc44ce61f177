import { backupDesk } from "../../controllers/backup-run/desk.ts";
import { createKeyRing } from "../../controllers/backup-run/key-ring.ts";
import type { WorkOptions } from "../../controllers/backup-run/work.ts";
import { type DeskOptions, migrationDesk } from "../../controllers/migration/endpoint/desk.ts";
import type { EndpointOptions } from "../../controllers/migration/endpoint/endpoint.ts";
import { ownNames } from "../../controllers/rbac.ts";
import { installedStorage } from "./backups.ts";
import type { OperatorEnvironment } from "./config.ts";

/** What the workers' endpoint does for each kind of work, by the settings. */
export function desksOf(
  config: OperatorEnvironment,
  {
    namespace,
    isBillingOff,
    ...given
  }: Pick<DeskOptions & WorkOptions, "client" | "sealing" | "isTeam" | "now"> & {
    namespace: string;
    isBillingOff: boolean;
  },
): EndpointOptions["desk"] {
  const options: DeskOptions & WorkOptions = {
    ...given,
    guard: {
      allow: config.ROWFERRY_GUARD_ALLOW,
      refuse: config.ROWFERRY_GUARD_REFUSE,
      minTls: config.ROWFERRY_GUARD_MIN_TLS,
      secrets: config.ROWFERRY_GUARD_SECRETS,
    },
    prices: isBillingOff ? undefined : { currency: config.ROWFERRY_CURRENCY, list: config.ROWFERRY_PRICES },
    storage: installedStorage(config),
    verifyImages: config.ROWFERRY_VERIFY_IMAGES,
    keyRing: createKeyRing({ client: given.client, namespace, name: ownNames.backupKeys }),
  };
  return (caller) =>
    caller.kind === "Migration" ? migrationDesk(caller.object, options) : backupDesk(caller, options);
}
