import { lock } from "../lock.mjs";
import type { Terminal } from "../terminal/index.ts";
import type { Place } from "./place.ts";

/** A shorter wait needs no line. */
const quietMs = 2_000;

/** Works on a cluster's place while no other command does; waits for the one that does, with a line that names it. */
export const withLock = async <T>(
  place: Place,
  { terminal, signal }: { terminal: Pick<Terminal, "line">; signal?: AbortSignal },
  work: () => Promise<T>,
): Promise<T> => {
  let holder = "another command";
  let patience: NodeJS.Timeout | undefined;
  const say = () => terminal.line(`  Waiting for ${holder}, which starts or removes cluster "${place.name}"`);
  const release = await lock(place.folder, {
    onWait: () => {
      patience = setTimeout(say, quietMs);
    },
    onHolder: (name) => {
      holder = name;
    },
    ...(signal === undefined ? {} : { signal }),
  }).finally(() => clearTimeout(patience));
  try {
    return await work();
  } finally {
    await release();
  }
};
