// The programs that people back up and restore with, in one go: each step's time is read from what it writes between them.
import type { Database } from "../../dev/databases/index.ts";
import { inPeers, type Peers } from "../peers.ts";
import { type Engine, mariadb, postgres } from "../servers.ts";
import { createMemoryWatch } from "../tables/memory.ts";

export type Taken = { ms: number; peakMib: number };

const words: Record<Engine, { dump(from: Database): string; load(into: Database): string }> = {
  postgres: {
    dump: (from) => `pg_dump -Fc -Z0 "${postgres(from, "src")}"`,
    load: (into) => `pg_restore --exit-on-error -d "${postgres(into, "dst")}"`,
  },
  mysql: {
    dump: (from) => `${mariadb(from).replace(/^mariadb /, "mariadb-dump ")} --single-transaction --quick src`,
    load: (into) => `${mariadb(into)} dst`,
  },
};

export const names: Record<Engine, { backup: string; restore: string }> = {
  postgres: { backup: "pg_dump | zstd", restore: "zstd -d | pg_restore" },
  mysql: { backup: "mysqldump | zstd", restore: "zstd -d | mysql" },
};

/** Backs `src` up and restores it into `dst`. Errors: the programs' last words. */
export const byPeers = async (
  engine: Engine,
  source: Database,
  target: Database,
  peers: Peers,
): Promise<{ backup: Taken; restore: Taken }> => {
  const { dump, load } = words[engine];
  const marks: number[] = [];
  const peaks: number[] = [];
  let memory: { end(): number } | undefined;
  let pid = 0;
  const mark = () => {
    marks.push(performance.now());
    if (memory !== undefined) peaks.push(memory.end());
    const { watch, peakMib } = createMemoryWatch();
    const callOff = watch(pid);
    memory = {
      end() {
        callOff();
        return peakMib();
      },
    };
  };
  const script = [
    "set -o pipefail",
    "echo MARK",
    `${dump(source)} | zstd -q > /mnt/dump.zst`,
    "echo MARK",
    `zstd -q -d < /mnt/dump.zst | ${load(target)}`,
    "echo MARK",
  ].join("\n");
  const log = (text: string) => {
    for (const _one of text.startsWith("$") ? [] : text.matchAll(/^MARK$/gm)) mark();
    peers.log(text);
  };
  try {
    await inPeers({ ...peers, log }, "bash -e /mnt/script", {
      files: { script },
      started: (child) => {
        pid = child;
      },
    });
  } finally {
    memory?.end();
  }
  const [begun = Number.NaN, dumped = Number.NaN, loaded = Number.NaN] = marks;
  const [first = Number.NaN, second = Number.NaN] = peaks;
  return { backup: { ms: dumped - begun, peakMib: first }, restore: { ms: loaded - dumped, peakMib: second } };
};
