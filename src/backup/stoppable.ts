/** Work that one of its parts can stop, and whose sessions end with it. */

interface Stoppable {
  /** Aborted by the caller, by `stop`, and once the work has ended. */
  signal: AbortSignal;
  stop(error: unknown): void;
}

/** Errors: the caller's reason before what stopped the work, and that before what the work threw. `close`: after the signal. */
export async function stoppable<Result>(
  outer: AbortSignal,
  work: (own: Stoppable) => Promise<Result>,
  close: () => Promise<unknown> = async () => undefined,
): Promise<Result> {
  const own = new AbortController();
  try {
    return await work({ signal: AbortSignal.any([outer, own.signal]), stop: (error) => own.abort(error) });
  } catch (error) {
    outer.throwIfAborted();
    throw own.signal.aborted ? own.signal.reason : error;
  } finally {
    own.abort();
    await close();
  }
}

export function withSessions<Session extends { end(): Promise<unknown> }, Result>(
  outer: AbortSignal,
  connect: (signal: AbortSignal) => Promise<Session>,
  work: (own: Stoppable & { open(): Promise<Session> }) => Promise<Result>,
): Promise<Result> {
  const sessions: Session[] = [];
  return stoppable(
    outer,
    (own) =>
      work({
        ...own,
        async open() {
          const session = await connect(own.signal);
          sessions.push(session);
          return session;
        },
      }),
    () => Promise.all(sessions.map((session) => session.end())),
  );
}
