import type { Session } from "../postgres/connection.ts";
import type { Pool } from "./pass.ts";

/** A pair of sessions that copies. */

export interface Worker {
  source: Session;
  target: Session;
  pool: Pool;
}
