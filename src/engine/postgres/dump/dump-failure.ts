import type { RunCode } from "../../contract/codes/index.ts";
import { EngineError } from "../../contract/index.ts";
import type { Session } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";
import { refuseUnreadableSequences } from "../source/unreadable-sequences.ts";

/** Why pg_dump failed, as an error of the engine: its exit code says nothing, and its text has no SQLSTATE. */

interface Meaning {
  pattern: RegExp;
  code: RunCode;
  retryable: boolean;
  fix?: string;
}

/** The first that matches. libpq's own messages are in English (LC_ALL=C); a server's are in the server's language. */
const meanings: readonly Meaning[] = [
  {
    pattern: /unsupported startup parameter/,
    code: "setting_not_kept",
    retryable: false,
    fix: "connect to the server itself, or let the pooler ignore it (PgBouncer: ignore_startup_parameters = options)",
  },
  {
    pattern: /too many clients|too many connections|connection slots are reserved/,
    code: "too_many_connections",
    retryable: true,
  },
  {
    pattern: /password authentication failed|no pg_hba\.conf entry|pg_hba\.conf rejects/,
    code: "access_denied",
    retryable: false,
  },
  {
    pattern:
      /could not connect|connection to server|terminating connection|server closed|closed unexpectedly|could not (receive|send) data|SSL SYSCALL error|unexpected eof|no connection to the server/i,
    code: "connection_lost",
    retryable: true,
  },
  // --lock-wait-timeout is a statement_timeout of its LOCK TABLE.
  {
    pattern: /canceling statement due to (statement|lock) timeout|deadlock detected/,
    code: "lock_timeout",
    retryable: true,
  },
];

const failedTransaction = "25P02";

/** `text`: what pg_dump wrote, without the password. Errors that are not known: `schema_unreadable`. */
export function dumpFailure(text: string): EngineError {
  const { code, retryable, fix }: Omit<Meaning, "pattern"> = meanings.find(({ pattern }) => pattern.test(text)) ?? {
    code: "schema_unreadable",
    retryable: false,
  };
  return new EngineError(
    code,
    `pg_dump could not read the source's schema: ${text}${fix === undefined ? "" : `; ${fix}`}`,
    { retryable, side: "source" },
  );
}

/**
 * Throws the cause of pg_dump's failure where the session that exported its snapshot knows more. A snapshot ends with its
 * session: pg_dump then only reports that it does not exist. Returns where the session knows nothing.
 */
export async function throwCause(error: unknown, source: Session): Promise<void> {
  if (!(error instanceof EngineError) || error.code !== "schema_unreadable") return;
  await source.query("SELECT 1").catch((lost: unknown) => {
    // In a transaction that has failed the session still answers.
    if (sqlState(lost) !== failedTransaction) throw lost;
  });
  // pg_dump reads every sequence, and names the first that it may not read.
  if (/sequence/.test(error.message)) await refuseUnreadableSequences(source);
}
