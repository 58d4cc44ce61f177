import { EngineError, type InventoryEntry } from "../../../contract/index.ts";
import type { Catalogue } from "../../../mysql/catalogue/catalogue.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import type { Snapshot } from "../../../mysql/source/snapshot.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import type { Life } from "../../../run/lifecycle.ts";
import type { Sessions } from "./sessions.ts";

/** What one pass over a source works with. */
export interface CopyRun
  extends Pick<Life, "request" | "hooks" | "progress" | "throttle" | "warn" | "signal" | "fail"> {
  snapshot: Snapshot;
  catalogue: Catalogue;
  fence: Fence<Writer>;
  open(): Promise<Writer>;
  sessions: Sessions<Writer>;
  excluded: InventoryEntry[];
  /** Of the source, in bytes. */
  size: number;
  schema: string;
}

export const firstReader = ({ readers }: Snapshot): Reader => {
  const [reader] = readers;
  if (reader === undefined) throw new EngineError("database_error", "no session on the source was opened");
  return reader;
};

/** Ends the run when the work fails, so that what else runs does not go on in vain. */
export const failing = <Result>({ fail }: Pick<CopyRun, "fail">, work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    fail(error);
    throw error;
  });
