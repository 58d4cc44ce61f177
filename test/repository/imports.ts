import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, normalize } from "node:path";

/** Reads which file imports what, and judges it by the rooms' directions (`rooms.ts`). */

export interface Room {
  /** A folder, or one file that is stricter than the folder around it. The longest match is a file's room. */
  path: string;
  /** Folders and files that it may import from, beside its own room. */
  rooms: string[];
  /** npm packages that it may import; `"*"`: any. */
  packages: string[];
  /** Node's own modules that it may import; any, unless listed. */
  builtins?: string[];
}

export interface SourceFile {
  /** From the root of the repository. */
  path: string;
  text: string;
}

const statement = /^\s*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']/gm;
const bareStatement = /^\s*import\s*["']([^"']+)["']/gm;
const call = /\b(?:import|require|createRequire\([^)]*\))\s*\(\s*(["'`]([^"'`$]+)["'`])?/g;

/** What a file imports, types included. A computed `import()` is returned as `"(computed)"`. */
export function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const found = [...code.matchAll(statement), ...code.matchAll(bareStatement)].map((match) => match[1] ?? "");
  return [...found, ...[...code.matchAll(call)].map((match) => match[2] ?? "(computed)")];
}

/** One sentence for each import that the rooms do not allow. */
export function violations(files: readonly SourceFile[], rooms: readonly Room[]): string[] {
  return files.flatMap(({ path, text }) => {
    const room = roomOf(path, rooms);
    if (room === undefined) return [`${path} stands in no room: give its folder a place in test/repository/rooms.ts`];
    return importsOf(text).flatMap((specifier) => {
      const reason = judge(path, specifier, room, rooms);
      return reason === undefined ? [] : [`${path} imports ${specifier}: ${reason}`];
    });
  });
}

function judge(path: string, specifier: string, room: Room, rooms: readonly Room[]): string | undefined {
  const isTest = path.endsWith(".test.ts");
  if (specifier.startsWith(".")) {
    const target = normalize(join(path, "..", specifier));
    const allowed = roomOf(target, rooms)?.path === room.path || room.rooms.some((prefix) => within(target, prefix));
    return allowed || (isTest && within(target, "test")) ? undefined : `${room.path} may not import from there`;
  }
  if (specifier === "(computed)") return room.packages.includes("*") ? undefined : "its target cannot be checked";
  if (isBuiltin(specifier)) {
    if (isTest || room.builtins === undefined || room.builtins.includes(specifier)) return undefined;
    return `${room.path} does no input or output`;
  }
  const name = packageOf(specifier);
  const allowed = room.packages.includes("*") || room.packages.includes(name) || (isTest && name === "vitest");
  return allowed ? undefined : `${room.path} may not use this package`;
}

/** One sentence for each allowance that no file needs: of a folder, a file or a package, or of a room without files. */
export function unusedAllowances(files: readonly SourceFile[], rooms: readonly Room[]): string[] {
  const byRoom = Map.groupBy(files, ({ path }) => roomOf(path, rooms));
  return rooms.flatMap((room) => {
    const own = byRoom.get(room);
    if (own === undefined) return [`${room.path} has no code`];
    const imported = own.flatMap(({ path, text }) =>
      importsOf(text).map((name) => (name.startsWith(".") ? normalize(join(path, "..", name)) : packageOf(name))),
    );
    const isUsed = (allowed: string) => allowed === "*" || imported.some((name) => within(name, allowed));
    return [...room.rooms, ...room.packages].flatMap((one) =>
      isUsed(one) ? [] : [`${room.path} may import ${one} and does not`],
    );
  });
}

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

/** A test beside the code lives by the rules of the file that it tests. */
function roomOf(path: string, rooms: readonly Room[]): Room | undefined {
  const tested = path.replace(/\.test\.ts$/, ".ts");
  return rooms.filter((room) => within(tested, room.path)).sort((a, b) => b.path.length - a.path.length)[0];
}

function within(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** Every TypeScript file below the folders, in the order of the alphabet. */
export function sourceFiles(root: string, folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: normalize(file.slice(root.length + 1)), text: readFileSync(file, "utf8") }));
}

/** For each file the files that it imports, types included; files outside of the list are left out. */
export function graphOf(files: readonly SourceFile[]): Map<string, string[]> {
  const known = new Set(files.map(({ path }) => path));
  return new Map(
    files.map(({ path, text }) => {
      const targets = importsOf(text)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => normalize(join(path, "..", specifier)));
      return [path, [...new Set(targets)].filter((target) => known.has(target)).sort()];
    }),
  );
}

/** `from -> to` for each import from a file that `from` accepts to another that `to` accepts. */
export function crossings(
  graph: ReadonlyMap<string, readonly string[]>,
  crosses: (from: string, to: string) => boolean,
): string[] {
  return [...graph].flatMap(([from, targets]) =>
    targets.filter((to) => crosses(from, to)).map((to) => `${from} -> ${to}`),
  );
}

/** The product's files that no path of imports reaches but from tests. Programs, the tools of `dev` and the bench begin paths. */
export function onlyOfTests(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const isTest = (path: string) => path.endsWith(".test.ts") || path.startsWith("test/");
  const begins = (path: string) => /^(?:src\/main|dev|bench)\//.test(path) && !isTest(path);
  const reached = new Set([...graph.keys()].filter(begins));
  for (const file of reached) for (const target of graph.get(file) ?? []) reached.add(target);
  return [...graph.keys()].filter((path) => /^(?:src|controllers)\//.test(path) && !isTest(path) && !reached.has(path));
}

/** Groups of files that import each other in a circle, each in the order of the alphabet (Tarjan's algorithm). */
export function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const lower = (file: string, value: number) => low.set(file, Math.min(low.get(file) ?? value, value));
  const visit = (file: string): void => {
    order.set(file, order.size);
    lower(file, order.size - 1);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) {
        visit(target);
        lower(file, low.get(target) ?? 0);
      } else if (stack.includes(target)) lower(file, order.get(target) ?? 0);
    }
    if (low.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group.sort());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found.sort((a, b) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1));
}
