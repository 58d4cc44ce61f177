/**
 * What shared modules clear up after a file or a test. Files of a job share one process and its modules, so a hook of vitest at
 * a module's top would belong to the first file alone; `each-file.ts` calls these for every file.
 */
type Work = () => unknown;

const once: Work[] = [];
const eachFile: Work[] = [];
const always: Work[] = [];

/** At the end of the file that runs now, the latest first. */
export const atFileEnd = (work: Work): void => void once.push(work);

/** At the end of the file that runs now, and of each later one. */
export const atEachFileEnd = (work: Work): void => void eachFile.push(work);

/** After each test from now on. */
export const afterEachTest = (work: Work): void => void always.push(work);

export async function endFile(): Promise<void> {
  for (const work of [...once.splice(0).reverse(), ...eachFile]) await work();
}

export async function endTest(): Promise<void> {
  for (const work of always) await work();
}
