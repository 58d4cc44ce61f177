import type { Operation } from "./openapi/operation.ts";
import { accountOperations } from "./operations/account.ts";
import { backupRunOperations } from "./operations/backup-runs.ts";
import { backupOperations } from "./operations/backups.ts";
import { billingOperations } from "./operations/billing.ts";
import { migrationActionOperations } from "./operations/migration-actions.ts";
import { migrationRunOperations } from "./operations/migration-runs.ts";
import { migrationOperations } from "./operations/migrations.ts";
import { oidcOperations } from "./operations/oidc.ts";
import { probeOperations } from "./operations/probes.ts";
import { restoreOperations } from "./operations/restores.ts";
import { type Service, serviceOperations } from "./operations/service.ts";
import { teamOperations } from "./operations/teams.ts";
import { tokenOperations } from "./operations/tokens.ts";

/** Every operation of REST, in the order of the document. */
export const operationsOf = (service: Service): Operation[] => [
  ...migrationOperations,
  ...migrationRunOperations,
  ...migrationActionOperations,
  ...probeOperations,
  ...backupOperations,
  ...backupRunOperations,
  ...restoreOperations,
  ...accountOperations,
  ...oidcOperations,
  ...tokenOperations,
  ...teamOperations,
  ...billingOperations,
  ...serviceOperations(service),
];
