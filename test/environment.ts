/** The environment that a job's process started with. */
const before = { ...process.env };

/** At the start of a file: removes what the file before has changed. */
export function restoreEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
}

/** The variables that a process gets which is given no others: those by which the runner finds it, Node's compile cache, and the folder of temporary files. */
export const inherited = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(ROWFERRY_TEST|(NODE_COMPILE_CACHE|TMPDIR)$)/.test(name)),
  );
