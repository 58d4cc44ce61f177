import type { RunCodeEntry } from "./types.ts";

/** The way to a server, and what it allows. */
export const connecting = {
  url_unreadable: {
    means: "The worker cannot read a connection URL from its Secret",
    fix: "Correct the Secret that the message names",
  },
  address_refused: {
    means: "The URL's host has an address that Rowferry does not connect to",
    fix: "Use a public host, or see [URL security](url-security.md)",
  },
  host_not_found: {
    retryable: "depends",
    means:
      "The URL's host name has no address, or one that Rowferry does not connect to. It is retried only if the name cannot be looked up for the moment",
    fix: "Correct the host name in the connection URL",
  },
  connection_refused: {
    retryable: "yes",
    means: "No server listens on the URL's host and port",
    fix: "Correct host and port in the connection URL, or start the server",
  },
  connection_timeout: {
    retryable: "yes",
    means: "The server does not respond in time",
    fix: "Check host, port and firewall",
  },
  connection_lost: {
    retryable: "yes",
    means: "The connection to a server broke",
    fix: "Nothing; if it happens again, see the server's log and the network's idle timeout",
  },
  server_shutdown: {
    retryable: "yes",
    means: "The server ended the session, mostly because it is shutting down",
    fix: "Nothing; start the server if it is off",
  },
  too_many_connections: {
    retryable: "yes",
    means: "The server has no free connection",
    fix: "Raise `max_connections`, or lower `options.jobs`",
  },
  tls_failed: {
    means: "TLS with the server failed",
    fix: "Correct `sslmode` in the connection URL, or the CA beside it",
  },
  tls_required: {
    means: "The server requests the password over a connection without TLS",
    fix: "Turn on TLS at the server, or use a user whose login sends no password; see [TLS](operations.md#tls)",
  },
  protocol_error: {
    means: "The server does not speak the protocol of the URL's scheme",
    fix: "Check that host, port and scheme of the connection URL are those of one server",
  },
  source_refused: {
    means: "The source sends what no honest server sends, so the worker stops reading",
    fix: "Check that the connection URL names the right server",
  },
  access_denied: {
    means: "The server refuses the user or the password",
    fix: "Correct user and password, or let the worker's address in",
  },
  database_not_found: {
    means: "The server has no database of the URL's name",
    fix: "Create the database, or correct the connection URL",
  },
  permission_denied: {
    means: "The user lacks a right that the copy needs",
    fix: "Grant the right that the message names; see [privileges](privileges.md)",
  },
  right_missing: {
    means: "The assessment found that the user lacks a right",
    fix: "Grant the right that the message names; see [privileges](privileges.md)",
  },
  row_security: {
    means: "Row-level security hides rows of the source from the user",
    fix: "Connect as a role with `BYPASSRLS`, or as the tables' owner if their row security is not forced",
  },
  read_only: {
    means: "The target accepts no writes",
    fix: "Name the primary server, or turn off its read-only mode",
  },
  connections: {
    means: "The assessment found that a server has too few free connections for the copy",
    fix: "Raise the limit that the message names, or lower `options.jobs`",
  },
  setting_not_kept: {
    means: "A pooler or proxy does not keep a setting of the session, or refuses it",
    fix: "Connect to the server itself, or to a pooler in session mode",
  },
  same_database: {
    means: "Source and target are the same database",
    fix: "Name two different databases",
  },
} as const satisfies Record<string, RunCodeEntry>;
