/**
 * Regular expressions that take more than linear time for some text, and only ever see short text of the project's own. An expression
 * that meets input is not listed here: it is written so that it is linear.
 */
export const known: readonly { path: string; source: string; sees: string }[] = [
  { path: "controllers/jobs/names.ts", source: "-+$", sees: "an object's name, of 253 characters at most" },
  { path: "controllers/jobs/state-reason.ts", source: "\\.+$", sees: "a message that is cut before" },
  {
    path: "src/api/docs/llms.ts",
    source: "\\]\\((?!#)([a-z0-9.-]+\\.(?:md|json)(?:#[^)\\s]*)?)\\)",
    sees: "the documentation, at the start",
  },
  { path: "src/api/docs/llms.ts", source: "\\]\\(#([^)\\s]*)\\)", sees: "the documentation, at the start" },
  { path: "src/api/docs/render.ts", source: "<!--[\\s\\S]*?-->", sees: "the documentation, at the start" },
  { path: "src/api/send.ts", source: "\\{\\/([^}]+)\\}", sees: "a path of the table of operations" },
  { path: "src/billing/prices.ts", source: "\\.?0+$", sees: "a number with nine digits behind the point" },
  { path: "src/cluster/connection.ts", source: "\\/+$", sees: "the API server's URL of the kubeconfig" },
  {
    path: "src/cluster/errors.ts",
    source: "\\b([a-z][a-z0-9+.-]*:\\/\\/)[^\\s\"'`<>]+",
    sees: "a message of the API server, cut before",
  },
  {
    path: "src/cluster/errors.ts",
    source: "\\beyJ[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*",
    sees: "a message of the API server, cut before",
  },
  {
    path: "src/engine/plan/mysql-postgres/finish/grants.ts",
    source: '"(?:[^"]|"")*"(?= WITH GRANT OPTION$|$)',
    sees: "a GRANT that the engine wrote, of names of 63 bytes",
  },
  { path: "src/engine/run/public-ca.ts", source: "[a-z]{2}(?:-[a-z]+)+-\\d+", sees: "certificates of the package" },
  {
    path: "src/engine/plan/translate/refusal.ts",
    source: "[\\\\/]translate[\\\\/]([^\\s()]+:\\d+):\\d+",
    sees: "the stack of an error of the engine's own",
  },
  { path: "src/guard/address.ts", source: "[\\d.]+$", sees: "an address that Node has parsed" },
  { path: "src/guard/redact.ts", source: "=+$", sees: "base64, which ends with two of them at most" },
  { path: "src/guard/redact.ts", source: "(\\\\+[su]|[a-f])", sees: "the pattern of one character" },
  { path: "src/main/api/config.ts", source: "\\/+$", sees: "a setting" },
  {
    path: "src/requests/client-address.ts",
    source: "(\\d+\\.\\d+\\.\\d+\\.\\d+)$",
    sees: "an address that Node has parsed",
  },
  { path: "src/requests/accounts/password.ts", source: "=+$", sees: "base64, which ends with two of them at most" },
];
