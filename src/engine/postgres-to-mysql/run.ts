import type { CopyHooks, CopyRequest } from "../contract.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import type { Session as Writer } from "../mysql/session.ts";
import type { Session as Reader } from "../postgres/connection.ts";
import type { ProgressAccount } from "../progress.ts";
import type { Throttle } from "../throttle.ts";

/** What one copy works with. */
export interface Run {
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
