import { posix } from "node:path";

/** Finds relative paths in a file's text that lead outside the repository. */

/** Skips paths inside an absolute path (`/var/../x`), but not after a template variable (`${root}/` and then up). */
const relative = /(?<![\w./-])(?:\$\{\w+\}\/)?((?:\.\.\/)*\.\.)(?!\.)(?:\/([\w.@-]+))?/g;
const fromRoot = /\b(?:root|repository)\s*,\s*["'`]\.\.(?:["'`/])/g;

/**
 * Returns each such path as written. `path`: of the file, from the root. `entries`: names in the root folder; a path that ends in the
 * root with another name was meant from the root and leads outside.
 */
export function pathsOutside(path: string, text: string, entries: ReadonlySet<string>): string[] {
  const climbing = [...text.matchAll(relative)].flatMap(([written, up = "", first]) => {
    const folder = posix.normalize(posix.join(posix.dirname(path), up));
    const outside = folder.startsWith("..") || (folder === "." && first !== undefined && !entries.has(first));
    return outside || /^\$\{root\}/.test(written) ? [written] : [];
  });
  return [...climbing, ...[...text.matchAll(fromRoot)].map(([written]) => written)];
}
