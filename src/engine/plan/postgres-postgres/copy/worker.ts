import type { Session } from "../../../postgres/driver/connection.ts";
import type { PipeBlocks } from "../../../rows/copy-pipe.ts";

/** A pair of sessions that copies. */

export interface CopyWorker {
  source: Session;
  target: Session;
  pool: PipeBlocks;
}
