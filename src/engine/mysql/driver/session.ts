import type { Endpoint } from "../../contract/index.ts";
import type { ErrorOrigin } from "../../contract/server-errors.ts";
import { awaited } from "../../run/watchdog/replies.ts";
import { firstResponse, nextResponse } from "./auth.ts";
import { engineError, LostError, MysqlError, ProtocolError, silent } from "./errors.ts";
import { type Channel, type Consume, openChannel } from "./input.ts";
import { type LocalStream, localStream } from "./local-stream.ts";
import type { ResponseCallbacks } from "./packets.ts";
import { createBudget, readPackets } from "./packets.ts";
import { closeCommand, executeCommand, prepareCommand, readPrepared, type Statement } from "./prepared.ts";
import { type ResultHandler, readResult } from "./result.ts";
import type { Row, Server, Session } from "./session-types.ts";
import { pin } from "./settings.ts";
import { unknownDatabase } from "./unknown-database.ts";
import {
  capability,
  loginResponse,
  packet,
  parseGreeting,
  type StatementOutcome,
  tlsRequest,
  versionNumber,
} from "./wire.ts";

export type { Row, RowSink, Server, Session } from "./session-types.ts";

/** Sessions on MySQL and MariaDB, pinned (settings.ts). One statement at a time; more are queued. */

export interface SessionPurpose {
  role: "source" | "target";
  program: string;
  signal?: AbortSignal;
  /** Announce that this session may LOAD DATA LOCAL. */
  loads?: boolean;
  /** Seconds that one statement may take; 0, the default, for no limit. */
  statementTimeout?: number | undefined;
  /** How long the login may take. 20 s. */
  loginMs?: number | undefined;
}

const loginTimeoutMs = 20_000;
/** Answers of the server in a login: an honest one changes the plugin once, and asks twice by it. */
const mostRounds = 8;
const endTimeoutMs = 2_000;
/** Far more than a login takes: what is above is no login. */
const loginBytes = 1 << 20;
const query = 0x03;
const quit = 0x01;

/** Opens, logs in and pins. Errors: EngineError of errors.ts. */
export async function connect(endpoint: Endpoint, purpose: SessionPurpose): Promise<Session> {
  const place: ErrorOrigin = { role: purpose.role, endpoint };
  const { signal } = purpose;
  signal?.throwIfAborted();
  let lost: Error | undefined;
  let onLost: (error: Error) => void = () => undefined;
  const gone = Promise.withResolvers<void>();
  const closed = (error: Error | undefined) => {
    lost = error ?? new LostError("the server closed the connection");
    onLost(lost);
    gone.resolve();
  };
  let channel: Channel | undefined;
  const abort = () => channel?.destroy();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    channel = await openChannel(endpoint, { closed });
    signal?.throwIfAborted();
    const opened = channel;
    const login = await new Promise<Login>((resolve, reject) => {
      let greeted = false;
      const timer = setTimeout(
        () => reject(Object.assign(new Error("login timed out"), { code: greeted ? "ETIMEDOUT" : silent })),
        purpose.loginMs ?? loginTimeoutMs,
      );
      onLost = reject;
      logIn(opened, endpoint, purpose, () => {
        greeted = true;
      })
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
    const session = wrap(
      opened,
      login,
      place,
      signal,
      () => lost,
      (listener) => {
        onLost = listener;
      },
      gone.promise,
    );
    const late = () => opened.destroy(Object.assign(new Error("login timed out"), { code: "ETIMEDOUT" }));
    const timer = setTimeout(late, purpose.loginMs ?? loginTimeoutMs);
    await pin(session, purpose.statementTimeout).finally(() => clearTimeout(timer));
    return session;
  } catch (error) {
    channel?.destroy();
    signal?.throwIfAborted();
    const unknown = await unknownDatabase(error, place, () => connect({ ...endpoint, database: "" }, purpose));
    signal?.throwIfAborted();
    throw unknown ?? engineError(error, place);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

interface Login {
  server: Server;
  threadId: number;
}

async function logIn(
  channel: Channel,
  endpoint: Endpoint,
  { program, loads = false }: SessionPurpose,
  greeted: () => void,
): Promise<Login> {
  const packets: { sequence: number; payload: Buffer }[] = [];
  let wake: (() => void) | undefined;
  const budget = createBudget(loginBytes, "the login");
  // Before the choice of TLS only the greeting is read: no byte after it may count as an answer once TLS has started.
  let started = false;
  let greetingRead = false;
  const read = readPackets((payload, sequence) => {
    packets.push({ sequence, payload: Buffer.from(payload) });
    wake?.();
    return started;
  }, budget);
  channel.reader((buffer, start, end) => {
    if (greetingRead && !started) return start;
    const at = read(buffer, start, end);
    greetingRead ||= packets.length > 0;
    return at;
  });
  const next = async () => {
    for (;;) {
      const got = packets.shift();
      if (got !== undefined) {
        if (got.payload[0] === 0xff) throw new MysqlError(got.payload);
        return got;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };

  const hello = await next();
  greeted();
  const greeting = parseGreeting(hello.payload);
  let sequence = hello.sequence + 1;
  let flags =
    capability.longPassword |
    capability.longFlag |
    capability.connectWithDatabase |
    capability.protocol41 |
    capability.transactions |
    capability.secureConnection |
    capability.pluginAuth |
    capability.pluginAuthLengthEncoded |
    capability.connectAttributes |
    (loads ? capability.localFiles : 0);
  const offered = (greeting.capabilities & capability.tls) !== 0;
  const { mode, ca } = endpoint.tls;
  if (mode !== "disable" && !offered && (mode !== "prefer" || ca !== undefined)) {
    throw Object.assign(
      new Error("the server does not offer it; use sslmode=prefer or disable, or switch TLS on there"),
      { code: "ERR_TLS_NOT_OFFERED" },
    );
  }
  if (mode !== "disable" && offered) {
    flags |= capability.tls;
    channel.send(packet(sequence++, tlsRequest(flags)));
    await channel.secure();
  }
  started = true;
  const encrypted = channel.encrypted();
  let plugin = greeting.plugin === "" ? "mysql_native_password" : greeting.plugin;
  let secret = { password: endpoint.password, scramble: greeting.scramble, encrypted };
  // A server's default plugin need not be the user's: one that we do not do may still be switched away from.
  if (!["mysql_native_password", "caching_sha2_password", "client_ed25519"].includes(plugin))
    plugin = "mysql_native_password";
  const { user, database } = endpoint;
  channel.send(
    packet(sequence, loginResponse(flags, { user, database, plugin, answer: firstResponse(plugin, secret), program })),
  );

  for (let round = 0; ; round++) {
    const { payload, sequence: got } = await next();
    sequence = got + 1;
    if (payload[0] === 0x00) break;
    if (round === mostRounds) throw new ProtocolError("the server asks for another password again and again");
    let answer: Buffer | undefined;
    if (payload[0] === 0xfe) {
      const nameEnd = payload.indexOf(0, 1);
      plugin = nameEnd < 0 ? "mysql_old_password" : payload.toString("latin1", 1, nameEnd);
      const scramble = payload.subarray(nameEnd + 1);
      secret = { ...secret, scramble: scramble[scramble.length - 1] === 0 ? scramble.subarray(0, -1) : scramble };
      answer = firstResponse(plugin, secret);
    } else if (payload[0] === 0x01) answer = nextResponse(plugin, payload.subarray(1), secret);
    else throw new ProtocolError("the server says something unexpected during the login");
    if (answer !== undefined) channel.send(packet(sequence, answer));
  }
  const { maria, versionText, threadId } = greeting;
  return { server: { maria, versionText, version: versionNumber(versionText) }, threadId };
}

function wrap(
  channel: Channel,
  { server, threadId }: Login,
  place: ErrorOrigin,
  signal: AbortSignal | undefined,
  lost: () => Error | undefined,
  whenLost: (listener: (error: Error) => void) => void,
  gone: Promise<void>,
): Session {
  let running: Promise<unknown> = Promise.resolve();
  let ended: Promise<void> | undefined;
  const abort = () => channel.destroy();
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();

  const ask = <T>(command: Buffer, reader: (ending: ResponseCallbacks<T>) => Consume): Promise<T> =>
    new Promise((resolve, reject) => {
      const already = lost();
      if (already !== undefined) return reject(already);
      whenLost(reject);
      channel.reader(reader({ done: resolve, failed: reject }));
      channel.send(packet(0, command));
    });

  const send = (sql: string | Buffer, result: ResultHandler): Promise<StatementOutcome | undefined> =>
    ask(Buffer.concat([Buffer.from([query]), typeof sql === "string" ? Buffer.from(sql) : sql]), (ending) =>
      readResult(channel, result, ending),
    );

  const asking = { ...place, id: threadId };
  const queued = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = running
      .then(() => awaited(asking, work))
      .catch((error: unknown) => {
        signal?.throwIfAborted();
        throw engineError(error, place);
      });
    running = mine.catch(() => undefined);
    return mine;
  };

  return {
    server,
    place,
    threadId,
    encrypted: channel.encrypted(),
    query: (sql, encoding) =>
      queued(async () => {
        const rows: Row[] = [];
        await send(sql, { rows: (row) => rows.push(row), encoding });
        return rows;
      }),
    stream: (sql, columns, sink) =>
      queued(async () => {
        await send(sql, { columns, sink });
      }),
    prepare: (sql) =>
      queued(async () => {
        const { id, columns } = await ask<Statement>(prepareCommand(sql), (ending) => readPrepared(channel, ending));
        return {
          columns,
          stream: (sink) =>
            queued(async () => {
              await ask<StatementOutcome | undefined>(executeCommand(id), (ending) =>
                readResult(channel, { columns, sink }, ending),
              );
            }),
          close: () =>
            queued(async () => {
              if (lost() === undefined) channel.send(packet(0, closeCommand(id)));
            }),
        };
      }),
    run: (sql) => queued(async () => outcomeOf(await send(sql, { local: undefined }))),
    load(sql, file) {
      const opened = Promise.withResolvers<LocalStream>();
      const answered = queued(async () => {
        const begin = (first: number) => opened.resolve(localStream(channel, first, answered));
        return outcomeOf(await send(sql, { local: { name: file, begin } }));
      });
      answered.then(
        () => opened.reject(engineError(new ProtocolError("the server did not ask for the data"), place)),
        opened.reject,
      );
      return opened.promise;
    },
    destroy: () => channel.destroy(),
    end() {
      signal?.removeEventListener("abort", abort);
      // A statement that waits its turn begins meanwhile, and hears of the loss in its own way.
      ended ??= (async () => {
        if (lost() !== undefined) return;
        const timer = setTimeout(() => channel.destroy(), endTimeoutMs);
        channel.send(packet(0, Buffer.from([quit])));
        await gone.finally(() => clearTimeout(timer));
      })();
      return ended;
    },
  };
}

function outcomeOf(outcome: StatementOutcome | undefined): StatementOutcome {
  if (outcome === undefined) throw new ProtocolError("the server did not say what the statement did");
  return outcome;
}
