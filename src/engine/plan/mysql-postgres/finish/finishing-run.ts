import type { KnownEntry } from "../../../contract/known.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import type { ProgressAccount } from "../../../run/progress.ts";
import type { Scheme } from "../columns/column-plan.ts";
import type { Sessions } from "../copy/sessions.ts";

/** What follows a table's data: its indexes at once, then constraints, sequence values, triggers, statistics; at the end foreign keys. */
export interface Finishing {
  scheme: Scheme;
  sessions: Sessions<Writer>;
  fence: Fence<Writer>;
  /** Streams. */
  jobs: number;
  /** Entries that became known here; they stand for the plan's of the same kind and name. */
  inventory: KnownEntry[];
  warn(message: string): void;
  /** `on_object_error: fail`: what the server refuses of the schema ends the run. */
  strict: boolean;
  progress: Pick<ProgressAccount, "did">;
}
