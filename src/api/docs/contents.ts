/** Which pages of docs/ are served, in what order, and what each is for: a reader's way in, people and models alike. */

export interface Entry {
  /** Of the file in docs/, without `.md`. */
  name: string;
  /** One line. */
  about: string;
}

export interface Section {
  title: string;
  entries: Entry[];
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
    title: "The API",
    entries: [
      { name: "rest", about: "what all endpoints share: requests, lists, idempotency, events, limits" },
      { name: "authentication", about: "tokens, sessions, accounts and teams" },
      { name: "errors", about: "every code of an error, and what to do about it" },
    ],
  },
  {
    title: "Your databases",
    entries: [
      { name: "url-security", about: "what is done with a connection URL, and which are refused" },
      { name: "privileges", about: "the rights that a copy needs, by server and cloud" },
      { name: "servers", about: "the server versions that really ran" },
    ],
  },
  {
    title: "A copy",
    entries: [
      { name: "options", about: "every option of a copy" },
      { name: "objects", about: "what becomes of each type and kind of object, by direction" },
      { name: "translation", about: "which SQL is translated across engines, and how that is proven" },
      { name: "report", about: "the verification report of a run" },
      { name: "limits", about: "what is not done" },
    ],
  },
  {
    title: "Run it yourself",
    entries: [
      { name: "cli", about: "the same engine as a command line, without Kubernetes" },
      { name: "migration", about: "the Kubernetes resource: retry, reset, conditions" },
      { name: "operations", about: "install and operate: when something does not go on, security, upgrades" },
      { name: "performance", about: "speed and memory beside other programs" },
    ],
  },
];
