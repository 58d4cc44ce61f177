import { readFile } from "node:fs/promises";

/** A certificate, its key and the CA that both sides trust, as PEM: fields of a Secret, mounted as files, which change when it is renewed. */
export interface TlsFiles {
  cert: string;
  key: string;
  ca: string;
}

/** `paths`: of the files. */
export async function readTlsFiles(paths: TlsFiles): Promise<TlsFiles> {
  const [cert, key, ca] = await Promise.all([paths.cert, paths.key, paths.ca].map((path) => readFile(path, "utf8")));
  return { cert: cert as string, key: key as string, ca: ca as string };
}

/**
 * Looks every `everyMs` whether the files have other contents (a mounted Secret changes by a link to another folder, which
 * watching misses) and calls `changed` until it takes them. `problem` is told what could not be read or was not taken.
 * Stops when the answered function is called.
 */
export function watchTlsFiles(
  paths: TlsFiles,
  first: TlsFiles,
  changed: (files: TlsFiles) => void,
  problem: (error: unknown) => void,
  everyMs: number,
): () => void {
  let known = JSON.stringify(first);
  let looking = false;
  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      const files = await readTlsFiles(paths);
      const found = JSON.stringify(files);
      if (found === known) return;
      changed(files);
      known = found;
    } catch (error) {
      problem(error);
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
