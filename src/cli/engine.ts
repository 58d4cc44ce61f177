import type { Assessor } from "../engine/assess/assess-first.ts";
import type { Copied, CopyHooks, CopyRequest } from "../engine/contract/index.ts";
import type { Reset, ResetRequest } from "../engine/run/reset.ts";
import type { VerifyHooks, VerifyReport, VerifyRequest } from "../engine/verify/index.ts";
import type { BackupModule } from "./backup/room.ts";

/** The engine, as the command line uses it. */
export interface CliEngine extends Assessor {
  copy(request: CopyRequest, hooks: CopyHooks): Promise<Copied>;
  verify(request: VerifyRequest, hooks: VerifyHooks): Promise<VerifyReport>;
  refuseElsewhere(list: Pick<ResetRequest, "target" | "made" | "madeIn">, signal: AbortSignal): Promise<void>;
  reset(request: ResetRequest, hooks: Pick<CopyHooks, "signal" | "log">): Promise<Reset>;
  /** Loads the code of backups. */
  backups(): Promise<BackupModule>;
}
