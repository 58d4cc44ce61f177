/**
 * A server names who connects to it, in its words for a refusal. From a service that is the address of a pod, which tells a caller
 * nothing that the caller can use.
 */

const address = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{0,4}(?::[0-9a-fA-F.]{0,15}){2,8}(?:%\w{1,16})?)`;

const withAddress: readonly [RegExp, string][] = [
  // Node: the address that was dialled, and our own.
  [/\bconnect (E[A-Z]{2,}) \S+(?: - Local \([^)]*\))?/g, "connect $1"],
  // MySQL and MariaDB: an address, or the name that they looked up for it. With % it is of a grant.
  [/( denied (?:for|to) user '.{0,128}?'@)'(?!localhost')[^'%]{1,256}'/g, "$1'…'"],
  [/\bHost '[^'%]{1,256}' is (not allowed|blocked)/g, "Host '…' is $1"],
  // PostgreSQL, of pg_hba.conf.
  [new RegExp(`\\b(for|from) host "${address}"`, "g"), '$1 host "…"'],
];

/** The text without the addresses from which the service connects and those that a name stands for. */
export const withoutOwnAddress = (text: string): string =>
  withAddress.reduce((words, [pattern, by]) => words.replace(pattern, by), text);
