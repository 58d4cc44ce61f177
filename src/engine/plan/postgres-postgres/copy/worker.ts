import type { Session } from "../../../postgres/driver/connection.ts";
import type { Pool } from "../../../rows/copy-pipe.ts";

/** A pair of sessions that copies. */

export interface Worker {
  source: Session;
  target: Session;
  pool: Pool;
}
