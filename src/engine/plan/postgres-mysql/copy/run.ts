import type { CopyHooks, CopyRequest } from "../../../contract/index.ts";
import type { Session as Writer } from "../../../mysql/driver/session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import type { Session as Reader } from "../../../postgres/driver/connection.ts";
import type { ProgressAccount } from "../../../run/progress.ts";
import type { Throttle } from "../../../run/throttle.ts";

/** What one copy works with. */
export interface CopyRun {
  request: CopyRequest;
  hooks: CopyHooks;
  progress: ProgressAccount;
  throttle: Throttle;
  signal: AbortSignal;
  fence: MysqlFence;
  first: Reader;
  openReader(): Promise<Reader>;
  openWriter(): Promise<Writer>;
  fail(error: unknown): void;
}
