import { homedir } from "node:os";
import { join } from "node:path";

/** Where everything that can be made again is kept: ROWFERRY_CACHE, or `rowferry` in the user's cache folder. */
export const cacheFolder = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment["ROWFERRY_CACHE"] || join(environment["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "rowferry");
