import type { InventoryEntry } from "../../../contract/index.ts";
import type { Catalogue } from "../../../mysql/catalogue/catalogue.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import type { Snapshot } from "../../../mysql/source/snapshot.ts";
import type { Life } from "../../../run/lifecycle.ts";
import type { Throttle } from "../../../run/throttle.ts";

/** One copy from the fence's opening to the proof: the order of all that is made. */
export interface CopyRun extends Pick<Life, "request" | "hooks" | "progress" | "warn" | "signal"> {
  snapshot: Snapshot;
  catalogue: Catalogue;
  excluded: InventoryEntry[];
  fence: MysqlFence;
  /** One for each reader. */
  writers: readonly Session[];
  prefix: string;
  throttle: Throttle;
  failed(error: unknown): void;
}
