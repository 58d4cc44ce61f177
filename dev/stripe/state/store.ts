import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/**
 * All that the simulator knows, as plain JSON in named collections, in memory. With a file, each commit appends one line
 * to it before the answer leaves, so that a simulator that was killed goes on where it was. Values are replaced, never
 * changed in place.
 */
export interface Store {
  get<T>(collection: string, id: string): T | undefined;
  /** Oldest first. */
  all<T>(collection: string): T[];
  /** `undefined` removes. */
  set(collection: string, id: string, value: unknown): void;
  /** Writes what changed since the last commit to the file. */
  commit(): void;
}

type Write = [collection: string, id: string, value?: unknown];

export const openStore = (file?: string): Store => {
  const collections = new Map<string, Map<string, unknown>>();
  const collection = (name: string): Map<string, unknown> => {
    const known = collections.get(name) ?? new Map<string, unknown>();
    collections.set(name, known);
    return known;
  };
  const apply = ([name, id, value]: Write): void => {
    if (value === undefined) collection(name).delete(id);
    else collection(name).set(id, value);
  };

  if (file !== undefined && existsSync(file)) {
    for (const line of readFileSync(file, "utf8").split("\n")) {
      // The last line of a killed process can be cut off: nobody had an answer that rests on it.
      const writes = parse(line);
      if (writes === undefined) break;
      for (const write of writes) apply(write);
    }
    // One line again, so that the file does not grow from start to start.
    const compact = [...collections].flatMap(([name, values]) => [...values].map(([id, value]) => [name, id, value]));
    writeFileSync(`${file}.new`, `${JSON.stringify(compact)}\n`);
    renameSync(`${file}.new`, file);
  }

  let pending: Write[] = [];
  return {
    get: <T>(name: string, id: string) => collection(name).get(id) as T | undefined,
    all: <T>(name: string) => [...collection(name).values()] as T[],
    set(name, id, value) {
      apply([name, id, value]);
      if (file !== undefined) pending.push(value === undefined ? [name, id] : [name, id, value]);
    },
    commit() {
      if (file === undefined || pending.length === 0) return;
      const line = JSON.stringify(pending);
      pending = [];
      appendFileSync(file, `${line}\n`);
    },
  };
};

const parse = (line: string): Write[] | undefined => {
  try {
    return line === "" ? undefined : (JSON.parse(line) as Write[]);
  } catch {
    return undefined;
  }
};
