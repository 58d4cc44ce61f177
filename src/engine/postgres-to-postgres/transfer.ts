import { hearAnswers } from "../answers.ts";
import { type Copied, type CopyHooks, type CopyReport, type CopyRequest, EngineError } from "../contract.ts";
import type { Fence } from "../fence.ts";
import { giveBack } from "../give-back.ts";
import { requireMemory } from "../memory/check.ts";
import { connect, type Session } from "../postgres/connection.ts";
import { lookName } from "../postgres/cut.ts";
import { applicationName, causeOf, openFence } from "../postgres/fence.ts";
import { createProgress } from "../progress.ts";
import { createWatchdog } from "../watchdog.ts";
import { diagnosePostgres } from "../watchdog-postgres.ts";
import { checkServers } from "./before.ts";
import { copyAll, type Run } from "./copy-all.ts";

/**
 * PostgreSQL to PostgreSQL: the schema by pg_dump, made object by object under the fence; the rows passed from socket
 * to socket by several workers on one snapshot; indexes in parallel; then keys, the rest, counts and inventory.
 */
export async function transfer(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  const failed = new AbortController();
  const signal = AbortSignal.any([hooks.signal, failed.signal]);
  const sessions: Session[] = [];
  const progress = createProgress(hooks.progress);
  const run: Run = {
    request,
    hooks,
    progress,
    signal,
    async open(role, name) {
      const session = await connect(request[role], {
        role,
        applicationName: name,
        signal,
        statementSeconds: request.options.statement_timeout,
      });
      sessions.push(session);
      return session;
    },
    fail: (error) => failed.abort(error),
  };
  let fence: Fence<Session> | undefined;
  let done = false;
  const watched = () => applicationName(request.owner, fence?.epoch ?? 0);
  const watchdog = createWatchdog({
    progress: () => progress.moved,
    diagnose: (["source", "target"] as const).map((role) =>
      diagnosePostgres(request[role], { role, applicationName: watched }),
    ),
    stallSeconds: request.options.stall_timeout,
    fail: run.fail,
    now: () => performance.now(),
  });
  try {
    progress.phase("connecting");
    refuseUnknown(request.options);
    const source = await run.open("source", applicationName(request.owner, 0));
    const asked = await run.open("target", lookName);
    hooks.measured(await checkServers(source, asked), "transfer");
    await asked.end();
    await requireMemory({ engine: "postgres", session: source }, "postgres", request.options);
    fence = await openFence(request.target, {
      owner: request.owner,
      ownerName: request.ownerName,
      signal,
      ...(request.reset && request.made ? { made: request.made } : {}),
      warn: (message) => hooks.log("warning", message),
    });
    const report = (await earlier(run, fence)) ?? (await copyAll(run, source, fence));
    const opened = fence;
    progress.phase("finished");
    done = true;
    return {
      report,
      async finish() {
        await opened.drop();
        await opened.close();
      },
    };
  } catch (error) {
    failed.abort(error);
    hooks.signal.throwIfAborted();
    // What ended the others is the cause: they only tell of sessions that were cut.
    const first: unknown = failed.signal.reason;
    const isStall = first instanceof EngineError && first.code === "stalled";
    throw fence === undefined || isStall ? first : await causeOf(first, request, fence);
  } finally {
    watchdog.stop();
    if (!done) await fence?.close();
    await Promise.all(sessions.map((session) => session.end()));
  }
}

/** The result of an earlier worker of this run, or undefined; a reset first drops what it made. */
async function earlier({ request, hooks, progress }: Run, fence: Fence<Session>): Promise<CopyReport | undefined> {
  const saved = request.reset ? undefined : await fence.savedResult();
  if (saved !== undefined) {
    hooks.log("info", "The copy had been finished and verified before; its stored result is used");
    return saved;
  }
  if (!request.reset) return undefined;
  const made = [...(request.made ?? []), ...(await fence.made())];
  if (made.length > 0) hooks.log("info", `Dropping ${made.length} objects that this migration had made in the target`);
  // In data alone, rows that were let into the user's tables are not objects: their marks say which to empty.
  await fence.claim([], made).catch(async (error: unknown) => {
    await giveBack(fence, error);
    throw error;
  });
  await hearAnswers(progress.touch, () => fence.clean(made, () => request.options.content === "data"));
  return undefined;
}

/** Names are in the text of views and routines as well, which pg_dump writes whole. Errors: `unsupported_option`. */
export function refuseUnknown({ schemas }: CopyRequest["options"]): void {
  const renamed = Object.entries(schemas ?? {}).filter(([from, to]) => from !== to);
  if (renamed.length === 0) return;
  throw new EngineError(
    "unsupported_option",
    `schemas cannot be renamed between PostgreSQL servers (asked for: ${renamed.map(([from, to]) => `${from} to ${to}`).join(", ")}), since the source's functions name them in their own text: copy under the same names, then ALTER SCHEMA … RENAME TO …`,
  );
}
