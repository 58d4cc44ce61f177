import { randomBytes } from "node:crypto";
import { ownNames } from "../../../controllers/rbac.ts";
import { readExternalKeys } from "../../../controllers/worker-endpoint/external-keys.ts";
import { ensureInstallation } from "../../../controllers/worker-endpoint/installation.ts";
import { ensureKeys, type KeysOptions, type OperatorKeys } from "../../../controllers/worker-endpoint/keys.ts";
import type { Client } from "../../cluster/index.ts";
import type { OperatorEnvironment } from "./config.ts";

/** Reads the operator's keys, and makes or renews what it keeps for itself, for backups, and for the API where that is installed. */
export async function readKeysOf(
  config: OperatorEnvironment,
  { client, endpointUrl, named, now }: { client: Client; endpointUrl: string } & Pick<KeysOptions, "named" | "now">,
): Promise<OperatorKeys> {
  const { ROWFERRY_NAMESPACE: namespace, ROWFERRY_SEALING_KEYS_FILE: file } = config;
  const found = await ensureKeys({
    client,
    namespace,
    names: { keys: ownNames.keys, publicKeys: ownNames.publicKeys },
    hosts: [new URL(endpointUrl).hostname],
    sealingLasts: config.ROWFERRY_SEALING_KEY_DAYS,
    ...(file === undefined ? {} : { external: () => readExternalKeys(file) }),
    named,
    now,
    id: () => randomBytes(5).toString("hex"),
  });
  const hosts = { api: config.ROWFERRY_API_HOSTS, prober: config.ROWFERRY_PROBER_HOSTS };
  if (config.ROWFERRY_API) await ensureInstallation({ client, namespace, ca: found.ca, hosts, now, randomBytes });
  if (config.ROWFERRY_BACKUPS)
    await (await import("../../../controllers/backup-run/key-ring.ts")).ensureBackupKeys({
      client,
      namespace,
      name: ownNames.backupKeys,
      now,
      randomBytes,
    });
  return found;
}
