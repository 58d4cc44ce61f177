/** Whether backups survived what was done to them, from what is there when all work has ended. Pure. */

export interface Facts {
  /** BackupRuns that exist, in the order in which they were made. */
  runs: RunFact[];
  /** Restores into a database of a test, and proofs. */
  restores: RestoreFact[];
  /** Names in the bucket, without its prefix. */
  objects: string[];
  /** Names of objects whose upload was begun and not ended, likewise. */
  uploads: string[];
}

export interface RunFact {
  name: string;
  state: string;
  /** Folder of the parts. */
  location?: string | undefined;
  rows?: number | undefined;
  /** Whether its last verification found it good; undefined: it was not verified. */
  verified?: boolean | undefined;
  /** The archive as a restore would find it; undefined: it was not looked at. */
  archive?: { rows: number } | { error: string } | undefined;
}

export interface RestoreFact {
  name: string;
  state: string;
  /** Whether the target had the rows that the source had when the run began. */
  isEqual: boolean;
}

export interface Known {
  /** Runs that were completed at any time, in the order in which they were made. */
  completed: readonly string[];
  /** Rows of the source. */
  rows: number;
  /** The schedule's retention. */
  keepLast: number;
}

/** Complete runs, in the order in which they were made, that retention does not keep: the last ones stay, and the newest verified one. */
export function surplusOf(whole: readonly Pick<RunFact, "name" | "verified">[], keepLast: number): string[] {
  const proven = whole.findLast(({ verified }) => verified === true);
  return whole.slice(0, -keepLast).flatMap(({ name }) => (name === proven?.name ? [] : [name]));
}

/** One sentence for each violation: `lost`, `falsely complete` or `orphan`. */
export function judge({ runs, restores, objects, uploads }: Facts, { completed, rows, keepLast }: Known): string[] {
  const there = new Map(runs.map((run) => [run.name, run]));
  const lost = completed.slice(-keepLast).flatMap((name) => {
    const run = there.get(name);
    if (run?.state === "completed") return [];
    return [`lost: run ${name} was completed, retention keeps it, and it is ${run?.state ?? "gone"}`];
  });
  const whole = runs.filter(({ state }) => state === "completed");
  const surplus = surplusOf(whole, keepLast).length;
  const untrue = whole.flatMap((run) => untruths(run, rows));
  const unequal = restores
    .filter(({ state, isEqual }) => state === "completed" && !isEqual)
    .map(({ name }) => `falsely complete: restore ${name} is completed, and its target differs from the backup`);
  const folders = whole.flatMap(({ location }) => (location === undefined ? [] : [`${location}/`]));
  const orphans = objects.filter((name) => !folders.some((folder) => name.startsWith(folder)));
  return [
    ...lost,
    ...untrue,
    ...unequal,
    ...orphans.map((name) => `orphan: ${name} is in the bucket, and is of no complete run`),
    ...uploads.map((name) => `orphan: the upload of ${name} was never ended`),
    ...(surplus > 0 ? [`orphan: ${surplus} complete runs are there that retention does not keep`] : []),
  ];
}

function untruths({ name, rows: told, archive, verified }: RunFact, rows: number): string[] {
  const wrong = (why: string) => [`falsely complete: run ${name} is completed, and ${why}`];
  if (told !== rows) return wrong(`has ${told} rows instead of ${rows}`);
  if (archive === undefined) return wrong("nobody looked at its archive");
  if ("error" in archive) return wrong(`its archive cannot be restored: ${archive.error}`);
  if (archive.rows !== rows) return wrong(`its archive has ${archive.rows} rows instead of ${rows}`);
  return verified === false ? wrong("its verification failed") : [];
}
