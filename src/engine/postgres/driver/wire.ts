import type { EventEmitter } from "node:events";
import { isIP, type Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import pg from "pg";
import { dial } from "../../../guard/dial.ts";
import type { Endpoint } from "../../contract/index.ts";
import { boundAnswers } from "./bounds.ts";

/** The parts of the `pg` driver below its typed surface that COPY needs. Held by the exact version in package.json. */

/** The driver's connection: it emits one event per message of the server. */
export interface WireConnection extends EventEmitter {
  /** Replaced by the TLS socket once the session is encrypted. */
  readonly stream: Socket;
  query(text: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
  connect(port: number, host: string): void;
}

/** A COPY's handlers of messages that it does not have; a direction has its own handler of one of them. */
export const unexpectedInCopy = (refuse: () => void) => ({
  handleCopyInResponse: refuse,
  handleCopyData: refuse,
  handleRowDescription: refuse,
  handleDataRow: refuse,
  handleEmptyQuery: refuse,
  handlePortalSuspended: refuse,
});

/** A query of our own: the driver calls the handlers while it is the active one. */
export interface Submittable {
  submit(connection: WireConnection): void;
  /** A server's error, or a lost connection. After a server's error the driver waits for ReadyForQuery by itself. */
  handleError(error: Error): void;
  handleCommandComplete(message: { text: string }): void;
  handleReadyForQuery(): void;
  handleCopyInResponse(connection: WireConnection): void;
  /** Of COPY TO: the bytes are good during the call only. */
  handleCopyData(message: { chunk: Buffer }): void;
  handleRowDescription(): void;
  handleDataRow(): void;
  handleEmptyQuery(): void;
  handlePortalSuspended(): void;
}

interface Internals {
  readonly connection: WireConnection;
  readonly processID: number;
  readonly secretKey: number;
  query(query: Submittable): void;
}

export const internals = (client: pg.Client): Internals => client as unknown as Internals;

/** The server's name stays the host of the URL, whichever address is dialled. */
export function tlsOptions({ tls, host }: Endpoint): ConnectionOptions {
  const ca = tls.ca === undefined ? {} : { ca: tls.ca };
  const named = isIP(host) === 0 ? { servername: host } : {};
  switch (tls.mode) {
    case "verify-full":
      return { ...ca, ...named, host, rejectUnauthorized: true };
    case "verify-ca":
      return { ...ca, ...named, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    default:
      return { ...named, rejectUnauthorized: false };
  }
}

const cancelTimeoutMs = 5_000;

/** What names a session to its server's other sessions. */
interface BackendKey {
  encrypted: boolean;
  processId: number;
  secretKey: number;
  /** Where the session is: with a guard the cancel goes there, whatever the name stands for by now. */
  address: string | undefined;
}

/** Asks the server to cancel what the process runs. Resolves when it was asked or could not be; never rejects. */
export async function sendCancel(endpoint: Endpoint, running: BackendKey): Promise<void> {
  const { guard } = endpoint;
  const host = guard === undefined ? endpoint.host : running.address;
  if (host === undefined) return;
  await dial({ host, ...(guard === undefined ? {} : { guard }) }, (at) => cancelAt(at, endpoint, running)).catch(
    () => undefined,
  );
}

function cancelAt(host: string, endpoint: Endpoint, running: BackendKey): Promise<void> {
  const { encrypted, processId, secretKey } = running;
  return new Promise((resolve) => {
    const Connection = pg.Connection as unknown as new (config: object) => WireConnection;
    const connection = new Connection({ ssl: encrypted ? tlsOptions(endpoint) : false });
    const done = () => {
      clearTimeout(timer);
      connection.stream.destroy();
      resolve();
    };
    const timer = setTimeout(done, cancelTimeoutMs);
    connection.on("error", done);
    connection.on("end", done);
    const cancel = () => {
      boundAnswers(connection.stream);
      connection.cancel(processId, secretKey);
    };
    connection.on("connect", () => (encrypted ? connection.requestSsl() : cancel()));
    connection.on("sslconnect", cancel);
    connection.connect(endpoint.port, host);
  });
}
