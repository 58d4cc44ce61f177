import type { Diagnose, Diagnosis } from "./watchdog.ts";

/** Asks a server on a session of its own. A server that cannot be asked counts as silent. */
export function diagnoseOnSession<Session extends { end(): Promise<unknown> }>(
  where: string,
  connect: (signal: AbortSignal) => Promise<Session>,
  look: (session: Session) => Promise<Diagnosis>,
): Diagnose {
  return async (withinMs) => {
    const cut = new AbortController();
    const timer = setTimeout(() => cut.abort(new Error(`no answer within ${withinMs / 1000} s`)), withinMs);
    try {
      const session = await connect(cut.signal);
      try {
        return await look(session);
      } finally {
        void session.end();
      }
    } catch (error) {
      return lost("silent", `${where} does not answer (${error instanceof Error ? error.message : String(error)})`);
    } finally {
      clearTimeout(timer);
    }
  };
}

const lost = (mark: string, words: string): Diagnosis => ({ working: false, mark, causes: [{ kind: "lost", words }] });

/** The server has none of the run's sessions. */
export const noSession = (where: string): Diagnosis =>
  lost("gone", `${where} knows no session of this run: the connections to it are lost`);

const objects = "TABLE|INDEX|VIEW|MATERIALIZED VIEW|SEQUENCE|FUNCTION|TRIGGER|SCHEMA|TYPE|INTO|FROM|CONCURRENTLY";
const statement = new RegExp(
  `(?:SET LOCAL [^;]*;\\s*|SELECT pg_catalog\\.set_config[^;]*;\\s*)*([A-Z]+)(?:\\s+(?:UNIQUE\\s+)?(${objects}))?`,
  "i",
);

/** The statement's first words, which hold no values. */
export function statementKind(query: string | null): string {
  const found = statement.exec(query?.replace(/^[\s(]+/, "") ?? "");
  if (found === null || found.index !== 0 || found[1] === undefined) return "an unknown statement";
  return [found[1], found[2]]
    .filter((word) => word !== undefined)
    .join(" ")
    .toUpperCase();
}
