import type pg from "pg";
import type { Endpoint } from "../../contract/index.ts";
import { internals, type WireConnection } from "./wire.ts";

/**
 * Limits what a PostgreSQL server can learn during the login.
 *
 * - A clear-text password goes only to a server whose certificate was verified: over TLS without verification, a man in the
 *   middle is the server.
 * - An MD5 answer goes only over TLS.
 * - `channel_binding=require`: only SCRAM-SHA-256-PLUS is answered, and the login ends only after the server's own proof.
 *   Source: libpq's documentation of `channel_binding`; RFC 5929 (tls-server-end-point).
 */

const plus = "SCRAM-SHA-256-PLUS";

/** Whether the server's certificate is checked. */
const verifiesServer = ({ tls: { mode } }: Endpoint): boolean => mode === "verify-ca" || mode === "verify-full";

/** Call it after `client.connect()`, which attaches the driver's listeners. A refused login fails with SQLSTATE 28000. */
export function guardLogin(client: pg.Client, endpoint: Endpoint, encrypted: boolean): void {
  const { connection } = internals(client);
  const { binding = "prefer" } = endpoint.tls;
  const required = binding === "require";
  if (required || !encrypted || !verifiesServer(endpoint))
    refuse(
      connection,
      "authenticationCleartextPassword",
      required
        ? noBinding("it requests a clear-text password")
        : "the server requests a clear-text password, which is sent only to a server with a verified certificate. Use sslmode=verify-full, with the CA if it is private, or scram-sha-256 on the server",
    );
  if (required || !encrypted)
    refuse(
      connection,
      "authenticationMD5Password",
      required
        ? noBinding("it requests an MD5 password")
        : "the server requests an MD5 password, which is sent only over TLS: use sslmode=require, or scram-sha-256 on the server",
    );
  if (required) requireBinding(connection);
}

const noBinding = (why: string) => `channel_binding=require, but the server does not bind the login to TLS: ${why}`;

function requireBinding(connection: WireConnection): void {
  let proven = false;
  replace<{ mechanisms: readonly string[] }>(connection, "authenticationSASL", (message, answer) => {
    if (message.mechanisms.includes(plus)) answer(message);
    else fail(connection, noBinding(`it does not offer ${plus}`));
  });
  connection.on("authenticationSASLFinal", () => {
    proven = true;
  });
  connection.on("authenticationOk", () => {
    if (!proven) fail(connection, noBinding(`it ended the login before ${plus} was complete`));
  });
}

function refuse(connection: WireConnection, request: string, message: string): void {
  replace(connection, request, () => fail(connection, message));
}

/** Puts `handle` before the driver's own listeners, which run only if it calls `answer`. */
function replace<T>(
  connection: WireConnection,
  event: string,
  handle: (message: T, answer: (message: T) => void) => void,
) {
  const listeners = connection.listeners(event) as ((message: T) => void)[];
  connection.removeAllListeners(event);
  connection.on(event, (message: T) =>
    handle(message, (passed) => {
      for (const listener of listeners) listener(passed);
    }),
  );
}

function fail(connection: WireConnection, message: string): void {
  connection.emit("error", Object.assign(new Error(message), { severity: "FATAL", code: "28000" }));
}
