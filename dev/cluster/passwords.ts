// The passwords of a demo's databases and accounts: random for each cluster, since every user of this machine reaches the
// ports that they guard, and kept in the cluster's folder for this user alone.
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failure } from "../terminal/failure.ts";

export type Passwords = {
  /** Of the administrators of both databases. */
  databases: string;
  /** Of the accounts of the API. */
  accounts: string;
};

const random = (): string => randomBytes(16).toString("hex");

const read = (file: string): Passwords => {
  try {
    const { databases, accounts } = JSON.parse(readFileSync(file, "utf8")) as Partial<Passwords>;
    if (databases && accounts) return { databases, accounts };
  } catch {
    // Cut off, or edited by hand.
  }
  throw failure(`${file} has no passwords.`, "Run `npm run down` and start the cluster again.");
};

/** The cluster's passwords; the first call makes them. Two commands at once get the same. */
export const passwordsIn = (folder: string): Passwords => {
  const file = join(folder, "passwords.json");
  if (existsSync(file)) return read(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const part = `${file}.${process.pid}`;
  try {
    writeFileSync(part, JSON.stringify({ databases: random(), accounts: random() }), { mode: 0o600, flush: true });
    linkSync(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return read(file);
};
