import type { Copied, CopyHooks, CopyRequest } from "./contract/index.ts";
import { hasReached } from "./contract/phase.ts";
import { printable } from "./contract/text/printable.ts";
import { mysqlToMysql } from "./plan/mysql-mysql/transfer.ts";
import { mysqlToPostgres } from "./plan/mysql-postgres/convert.ts";
import { postgresToMysql } from "./plan/postgres-mysql/convert.ts";
import { postgresToPostgres } from "./plan/postgres-postgres/transfer.ts";
import { requireJobs } from "./run/jobs.ts";
import { runCopy } from "./run/lifecycle.ts";
import { readableReport } from "./run/readable-report.ts";
import { checkSourceSize, limitReading } from "./run/source-limit.ts";
import { onlyOwnList, readPlace } from "./run/target-place.ts";
import { watchBeginning } from "./run/watchdog/beginning.ts";
import { reportLockWaits } from "./run/watchdog/lock-waits.ts";

/**
 * Copies a database and verifies the copy. Resolves once the result is stored in the target; `finish` then removes
 * the checkpoint. Errors: EngineError; the signal's reason when it was aborted.
 */
export async function copy(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  requireJobs(request.options);
  return await reportLockWaits(hooks.log, () => copyWatched(request, hooks));
}

async function copyWatched(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  const beginning = watchBeginning(hooks.signal, request.options.stall_timeout);
  try {
    const watched: CopyHooks = {
      ...hooks,
      signal: beginning.signal,
      progress(progress) {
        if (hasReached(progress.phase)) beginning.over();
        hooks.progress(progress);
      },
      log: (level, message) => hooks.log(level, printable(message)),
    };
    return await beginning.hear(() => copyAndPlace(request, watched));
  } catch (error) {
    throw beginning.explain(error);
  } finally {
    beginning.over();
  }
}

async function copyAndPlace(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  const { content } = request.options;
  const reading = limitReading(hooks.signal, await checkSourceSize(request, hooks), request.source.engine);
  const limited: CopyHooks = {
    ...hooks,
    signal: reading.signal,
    progress(progress) {
      reading.heard(progress.read);
      hooks.progress(progress);
    },
  };
  const place = await readPlace(request.target, hooks.signal);
  const own = onlyOwnList(request, place, hooks.log);
  const copied = await copyBetween(own.request, limited).catch((error: unknown) => {
    throw own.explained(reading.explain(error));
  });
  const target = { ...copied.report.target, database: request.target.database, ...place };
  const report = readableReport({ ...copied.report, target });
  return {
    report: content === undefined || content === "all" ? report : { ...report, content },
    finish: copied.finish,
  };
}

function copyBetween(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  const { source, target } = request;
  if (source.engine === "postgres" && target.engine === "postgres") return runCopy(request, hooks, postgresToPostgres);
  if (source.engine === "mysql" && target.engine === "postgres") return runCopy(request, hooks, mysqlToPostgres);
  if (source.engine === "postgres") return runCopy(request, hooks, postgresToMysql);
  return runCopy(request, hooks, mysqlToMysql);
}
