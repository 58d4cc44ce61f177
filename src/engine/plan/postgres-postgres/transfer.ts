import { counted } from "../../../guard/text.ts";
import type { CopyReport } from "../../contract/index.ts";
import { connect, type Session } from "../../postgres/driver/connection.ts";
import { lookName } from "../../postgres/fence/cut.ts";
import { applicationName, causeOf, openFence } from "../../postgres/fence/fence.ts";
import type { Fence } from "../../run/fence/fence.ts";
import { giveBack } from "../../run/fence/give-back.ts";
import { type Direction, fenceOptions, type Life } from "../../run/lifecycle.ts";
import { requireMemory } from "../../run/memory/check.ts";
import { diagnosePostgres } from "../../run/watchdog/postgres.ts";
import { withReplyListener } from "../../run/watchdog/replies.ts";
import { type CopyRun, compare, copyRows, finish, type PlannedCopy, plan } from "./copy/phases.ts";
import { refuseUnknown } from "./options.ts";
import { checkServers } from "./schema/preconditions.ts";

interface Source {
  open: CopyRun["open"];
  session: Session;
  /** Bytes. */
  size: number;
}

/**
 * PostgreSQL to PostgreSQL: the schema by pg_dump, made object by object under the fence; the rows passed from socket
 * to socket by several workers on one snapshot; indexes in parallel; then keys, the rest, counts and inventory.
 */
export const postgresToPostgres: Direction<Source, Fence<Session>, CopyRun, PlannedCopy, CopyReport["tables"], void> = {
  type: "transfer",
  async open(life) {
    const { request } = life;
    const open = opener(life);
    refuseUnknown(request.options);
    const session = await open("source", applicationName(request.owner, 0));
    const target = await open("target", lookName);
    const size = await checkServers(session, target);
    await target.end();
    await requireMemory({ engine: "postgres", session }, "postgres", request.options);
    return { open, session, size };
  },
  fence: (life) =>
    openFence(life.request.target, {
      ...fenceOptions(life),
      signal: life.signal,
      ...(life.request.reset && life.request.made ? { made: life.request.made } : {}),
    }),
  diagnose: ({ request }, _source, fence) =>
    (["source", "target"] as const).map((role) =>
      diagnosePostgres(request[role], { role, applicationName: () => applicationName(request.owner, fence.epoch) }),
    ),
  async begin(life, { open, session }, fence) {
    const { request, hooks } = life;
    if (request.reset) await dropEarlier(life, fence);
    const target = await open("target", applicationName(request.owner, fence.epoch));
    const log = (message: string) => hooks.log("info", message);
    return { ...life, open, source: session, target, fence, content: request.options.content ?? "all", log };
  },
  plan,
  copyRows,
  finish,
  compare,
  cause: (reason, { request }, _source, fence) => causeOf(reason, request, fence),
};

/** Opens sessions that end with the copy. */
function opener({ request, signal, atEnd }: Life): CopyRun["open"] {
  const sessions: Session[] = [];
  atEnd(() => Promise.all(sessions.map((session) => session.end())));
  return async (role, name) => {
    const session = await connect(request[role], {
      role,
      applicationName: name,
      signal,
      statementTimeout: request.options.statement_timeout,
    });
    sessions.push(session);
    return session;
  };
}

/** What this run made before its reset. */
async function dropEarlier({ request, hooks, progress }: Life, fence: Fence<Session>): Promise<void> {
  const made = [...(request.made ?? []), ...(await fence.made())];
  if (made.length > 0)
    hooks.log("info", `Dropping ${counted(made.length, "object")} that this migration had made in the target`);
  // In data alone, rows that were let into the user's tables are not objects: their marks say which to empty.
  await fence.claim([], made).catch(giveBack(fence));
  await withReplyListener(progress.touch, () => fence.clean(made, () => request.options.content === "data"));
}
