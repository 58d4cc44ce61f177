import pg from "pg";
import { dial } from "../../../guard/dial.ts";
import type { Endpoint } from "../../contract/index.ts";
import type { ErrorOrigin } from "../../contract/server-errors.ts";
import { sharedText } from "../../run/memory/shared-text.ts";
import { awaited } from "../../run/watchdog/replies.ts";
import { createBlockSocket } from "./block-socket.ts";
import { type Bounds, boundAnswers } from "./bounds.ts";
import { engineError } from "./errors.ts";
import { guardLogin } from "./login.ts";
import type { Session } from "./session-types.ts";
import { occupy, pin } from "./settings.ts";
import { internals, sendCancel, tlsOptions } from "./wire.ts";

export type { Session } from "./session-types.ts";

/**
 * Sessions on PostgreSQL. Every session is pinned, so that neither a role's nor a database's settings change what
 * is read or written (settings.ts).
 */

export interface SessionPurpose {
  role: "source" | "target";
  /** Shown in pg_stat_activity; the fence finds a predecessor's sessions by it. 63 bytes at most. */
  applicationName: string;
  /** Aborting cancels the running statement and closes the session. */
  signal?: AbortSignal;
  /** Seconds that one statement may take; 0, the default, for no limit. */
  statementTimeout?: number | undefined;
  /** How long connecting and the login may take together. 15 s. */
  loginMs?: number | undefined;
}

interface ExtendedQuery extends pg.QueryConfig {
  queryMode: "extended";
}

const connectTimeoutMs = 15_000;
const endTimeoutMs = 5_000;

const int8 = 20;
/** "char", name, text and varchar. */
const texts = new Set([18, 19, 25, 1043]);
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === int8) return Number;
    if (format !== "binary" && texts.has(oid)) return sharedText;
    return pg.types.getTypeParser(oid, format === "binary" ? "binary" : "text");
  },
} as pg.CustomTypesConfig;

/** Opens and pins a session. A source's is read-only by default. Errors: EngineError of errors.ts. */
export async function connect(endpoint: Endpoint, purpose: SessionPurpose): Promise<Session> {
  const place: ErrorOrigin = { role: purpose.role, endpoint };
  purpose.signal?.throwIfAborted();
  const { mode } = endpoint.tls;
  let opened: Opened;
  try {
    if (mode === "prefer") opened = await openPreferringTls(endpoint, purpose);
    else opened = await open(endpoint, purpose, mode !== "disable");
  } catch (error) {
    purpose.signal?.throwIfAborted();
    throw engineError(error, place);
  }
  const session = wrap(opened, place, purpose.signal);
  const { stream } = internals(opened.client).connection;
  const late = () => stream.destroy(Object.assign(new Error("the login timed out"), { code: "ETIMEDOUT" }));
  const timer = setTimeout(late, purpose.loginMs ?? connectTimeoutMs);
  try {
    const backend = await pin(session, purpose.statementTimeout);
    const leave = occupy(place, backend);
    stream.once("close", leave);
    return {
      ...session,
      processId: backend.pid,
      destroy() {
        leave();
        session.destroy();
      },
      end() {
        leave();
        return session.end();
      },
    };
  } catch (error) {
    await session.end();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

interface Opened {
  client: pg.Client;
  encrypted: boolean;
  version: number;
  bounds: Bounds;
}

async function openPreferringTls(endpoint: Endpoint, purpose: SessionPurpose): Promise<Opened> {
  try {
    return await open(endpoint, purpose, true);
  } catch (error) {
    if (!(error instanceof Error) || !/does not support SSL/.test(error.message)) throw error;
    return open(endpoint, purpose, false);
  }
}

const open = (endpoint: Endpoint, purpose: SessionPurpose, encrypted: boolean): Promise<Opened> =>
  dial(endpoint, (host) => openAt(host, endpoint, purpose, encrypted));

async function openAt(host: string, endpoint: Endpoint, purpose: SessionPurpose, encrypted: boolean): Promise<Opened> {
  const client = new pg.Client({
    host,
    port: endpoint.port,
    user: endpoint.user,
    database: endpoint.database,
    // A function: the driver then looks neither into the environment nor into a password file.
    password: () => endpoint.password,
    ssl: encrypted ? tlsOptions(endpoint) : false,
    enableChannelBinding: encrypted && endpoint.tls.binding !== "disable",
    ...(encrypted ? {} : { stream: createBlockSocket }),
    application_name: purpose.applicationName,
    connectionTimeoutMillis: purpose.loginMs ?? connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    types,
  });
  // Without a listener a lost idle connection would end the process; the next query reports it.
  client.on("error", () => undefined);
  const abort = () => internals(client).connection.stream.destroy(new Error("aborted"));
  purpose.signal?.addEventListener("abort", abort, { once: true });
  let version = 0;
  let reached = false;
  let bounds: Bounds | undefined;
  const bound = () => {
    bounds = boundAnswers(internals(client).connection.stream);
  };
  internals(client).connection.on("parameterStatus", (status: { parameterName: string; parameterValue: string }) => {
    if (status.parameterName === "server_version") version = versionNumber(status.parameterValue);
  });
  try {
    const connected = client.connect();
    internals(client).connection.stream.once("connect", () => {
      reached = true;
    });
    if (encrypted) internals(client).connection.once("sslconnect", bound);
    else bound();
    guardLogin(client, endpoint, encrypted);
    await connected;
    if (bounds === undefined) throw new Error("the connection was never bounded");
    return { client, encrypted, version, bounds };
  } catch (error) {
    internals(client).connection.stream.destroy();
    purpose.signal?.throwIfAborted();
    throw reached ? error : nobodyThere(error);
  } finally {
    purpose.signal?.removeEventListener("abort", abort);
  }
}

/** The driver's own time-out has no code, by which the next address of a name is tried. */
const nobodyThere = (error: unknown): unknown =>
  error instanceof Error && error.message === "timeout expired" ? Object.assign(error, { code: "ETIMEDOUT" }) : error;

function wrap(
  { client, encrypted, version, bounds }: Opened,
  place: ErrorOrigin,
  signal: AbortSignal | undefined,
): Session {
  const { connection, processID, secretKey } = internals(client);
  const address = connection.stream.remoteAddress;
  let ended: Promise<void> | undefined;

  const destroy = () => {
    connection.stream.destroy();
  };
  const abort = () => {
    // The cancel ends a statement that does not look at its socket (an index build); the socket ends the rest.
    void sendCancel(place.endpoint, { encrypted, processId: processID, secretKey, address }).finally(destroy);
  };
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();

  const asking = { ...place, id: processID };
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    // The cancel takes its time; nothing more begins meanwhile, so that a run that was stopped does not come to its end.
    signal?.throwIfAborted();
    try {
      return await awaited(asking, work);
    } catch (error) {
      signal?.throwIfAborted();
      throw engineError(error, place);
    }
  };

  return {
    version,
    place,
    encrypted,
    address,
    processId: processID,
    query: (text, values) =>
      guarded(async () => {
        bounds.asked(false);
        if (values === undefined) return (await client.query(text)).rows;
        const bound: ExtendedQuery = { text, values: [...values], queryMode: "extended" };
        return (await client.query(bound)).rows;
      }),
    run: (text) =>
      guarded(async () => {
        bounds.asked(false);
        await client.query(text);
      }),
    hear(listener) {
      client.on("notice", listener);
      return () => void client.off("notice", listener);
    },
    submit(query) {
      bounds.asked(true);
      internals(client).query(query);
    },
    destroy,
    end() {
      signal?.removeEventListener("abort", abort);
      ended ??= new Promise<void>((resolve) => {
        const timer = setTimeout(destroy, endTimeoutMs);
        client.end().then(
          () => resolve(clearTimeout(timer)),
          () => resolve(clearTimeout(timer)),
        );
      });
      return ended;
    },
  };
}

/** `15.18 (Debian …)` → 150018, `9.6.24` → 90624, `18beta1` → 180000. */
function versionNumber(text: string): number {
  const [major = 0, minor = 0, patch = 0] = (/^\d+(\.\d+)*/.exec(text)?.[0] ?? "").split(".").map(Number);
  return major >= 10 ? major * 10_000 + minor : major * 10_000 + minor * 100 + patch;
}
