/** Which pages of docs/ are served, in what order, and what each is for: a reader's way in, people and models alike. */

interface ContentsEntry {
  /** Of the file in docs/, without `.md`. */
  name: string;
  /** One line. */
  about: string;
}

interface Section {
  title: string;
  entries: ContentsEntry[];
}

export const product = "Rowferry";

export const summary =
  "Rowferry copies MySQL, MariaDB and PostgreSQL databases from one connection URL to another, in all four directions, on Kubernetes, and verifies what it copied.";

export const contents: readonly Section[] = [
  {
    title: "Begin",
    entries: [
      { name: "quick-start", about: "from nothing to a copied database, with curl, TypeScript and Python" },
      { name: "overview", about: 'how a copy is made, and what "completed" promises' },
    ],
  },
  {
    title: "Guides",
    entries: [
      { name: "guide-mysql-to-postgres", about: "convert a MySQL or MariaDB application's database to PostgreSQL" },
      { name: "guide-postgres-upgrade", about: "move to a newer major version of PostgreSQL by a copy" },
      { name: "guide-between-clouds", about: "network, TLS, users, cost and cut-over between two services" },
    ],
  },
  {
    title: "The API",
    entries: [
      { name: "rest", about: "conventions of all endpoints: requests, idempotency, lists, events" },
      { name: "endpoints", about: "every endpoint with its fields, examples, errors and limit" },
      { name: "mcp", about: "the two MCP servers, for agents: tools, confirmation, errors, limits" },
      { name: "backups", about: "schedules, runs, verification and restore of backups" },
      {
        name: "restore-without-rowferry",
        about: "restoring a backup by hand with age, zstd and the database's client",
      },
      { name: "authentication", about: "tokens, sessions, accounts and teams" },
      { name: "billing", about: "prices, checkout, Pro and the free migration; Stripe for administrators" },
      { name: "errors", about: "every code of an error, and what to do about it" },
      { name: "limits", about: "rate limits, size limits and unsupported features" },
      { name: "not-supported", about: "features that do not exist, and what to use instead" },
    ],
  },
  {
    title: "Your databases",
    entries: [
      { name: "url-security", about: "storage of connection URLs, and which are refused" },
      { name: "privileges", about: "the rights that a copy needs, by server and cloud" },
      { name: "servers", about: "tested server versions" },
    ],
  },
  {
    title: "A copy",
    entries: [
      { name: "options", about: "every option of a copy" },
      { name: "types", about: "column types by direction" },
      { name: "objects", about: "kinds of objects by direction: copied, converted or reported" },
      { name: "translation", about: "which SQL is translated across engines, and how that is tested" },
      { name: "report", about: "the verification report of a run" },
      {
        name: "engine",
        about: "the copy engine for contributors: life of a copy, way of a row, where each rule lives",
      },
    ],
  },
  {
    title: "Run it yourself",
    entries: [
      { name: "install", about: "install, values, keys and their backup, observability, sizing, upgrade, removal" },
      { name: "operations", about: "troubleshooting: reasons and fixes" },
      { name: "run-errors", about: "every code that a run can end with, whether it is retried, and what to do" },
      { name: "migration", about: "the Kubernetes resource: retry, reset, conditions" },
      { name: "gitops", about: "Argo CD and Flux: health of a Migration, and a retry of one that is in Git" },
      { name: "cli", about: "the same engine as a command line, without Kubernetes" },
      { name: "performance", about: "speed and memory beside other programs" },
    ],
  },
];
