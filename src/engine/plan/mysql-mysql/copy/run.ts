import type { InventoryEntry } from "../../../contract/index.ts";
import type { Catalogue } from "../../../mysql/catalogue/catalogue.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import type { Snapshot } from "../../../mysql/source/snapshot.ts";
import type { Life } from "../../../run/lifecycle.ts";

/** One copy from the fence's opening to the proof: the order of all that is made. */
export interface CopyRun
  extends Pick<Life, "request" | "hooks" | "progress" | "throttle" | "warn" | "signal" | "fail"> {
  snapshot: Snapshot;
  catalogue: Catalogue;
  excluded: InventoryEntry[];
  /** Of the source, in bytes. */
  size: number;
  fence: MysqlFence;
  /** One for each reader. */
  writers: readonly Session[];
  prefix: string;
}
