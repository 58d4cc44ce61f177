import { constants } from "node:os";
import { BackupError } from "../backup/contract.ts";
import type { RunCode } from "../engine/contract/codes/index.ts";
import { EngineError } from "../engine/contract/index.ts";
import { UrlError } from "../guard/url.ts";

/** What the command line says at the end: exit code, code of the error, and words that name the fix. */

export const exitCodes = {
  /** Done, and verified where something was copied. */
  done: 0,
  /** A server, a database, a storage or their state did not let it be done. */
  failed: 1,
  /** A word, a flag, a URL or a named file of the command line is invalid, or one is missing; nothing was changed. */
  usage: 2,
  /** Source and target differ. */
  different: 3,
} as const;

/** The command line cannot be followed as it stands. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Ended by a signal. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP";
  constructor(signal: Interrupted["signal"]) {
    super(`ended by ${signal}`);
    this.signal = signal;
  }
}

/** The shell's: 128 and the signal's number. */
export const signalCode = (signal: Interrupted["signal"]): number => 128 + constants.signals[signal];

/** What was to be done is done, and what it found could not be written. `body`: that, for a way out. */
export class ResultNotWritten extends EngineError {
  readonly body: object | undefined;
  constructor(message: string, body?: object) {
    super("result_not_written", message, { retryable: true });
    this.body = body;
  }
}

const fileErrors: Record<string, string> = {
  ENOENT: "the file does not exist",
  EACCES: "it may not be read",
  EISDIR: "it is a folder",
};

/** Why a file cannot be read. */
export function fileMessage(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return fileErrors[code] ?? (code || String(error));
}

/** The engine's codes for a target that is not as the source. */
const differences = new Set<string>([
  "verification_failed",
  "row_count_mismatch",
  "inventory_incomplete",
] satisfies RunCode[]);

/** The engine's codes of flags that cannot be followed: they come before the first write. */
const optionUsage = new Set<string>(["option_invalid", "option_unmatched", "unsupported_option"] satisfies RunCode[]);

/** The backups' codes of a command line that cannot be followed as it is. */
const backupUsage = new Set(["recipient_invalid", "identity_invalid", "storage_invalid", "name_invalid"]);

/** The code after the message; a usage error that is only of the command line has none. */
export const exitMessage = (exitCode: number, code: string): string =>
  exitCode === exitCodes.usage && !optionUsage.has(code) ? "" : ` (${code})`;

interface CommandFailure {
  exitCode: number;
  code: string;
  message: string;
  retryable: boolean;
}

export function commandFailure(error: unknown): CommandFailure {
  if (error instanceof Interrupted)
    return { exitCode: signalCode(error.signal), code: "interrupted", message: error.message, retryable: true };
  if (error instanceof UsageError || error instanceof UrlError) {
    const code = error instanceof UrlError ? error.code : "usage";
    return { exitCode: exitCodes.usage, code, message: error.message, retryable: false };
  }
  if (error instanceof EngineError) {
    const { code, message, retryable } = error;
    const exitCode = differences.has(code)
      ? exitCodes.different
      : optionUsage.has(code)
        ? exitCodes.usage
        : exitCodes.failed;
    return { exitCode, code, message, retryable };
  }
  if (error instanceof BackupError) {
    const { code, message, retryable } = error;
    return { exitCode: backupUsage.has(code) ? exitCodes.usage : exitCodes.failed, code, message, retryable };
  }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const message = `an error that Rowferry did not expect: ${words}`;
  return { exitCode: exitCodes.failed, code: "internal_error", message, retryable: false };
}
