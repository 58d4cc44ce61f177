import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { keep } from "../../dev/image/store.ts";
import { cacheFolder } from "../../dev/terminal/cache.ts";

/** Public programs that read the API's description. Their trees are large, so they are installed when a test asks, into the cache. */
const packages = {
  "@redocly/cli": "2.77.0",
  "@hey-api/openapi-ts": "0.99.0",
  typescript: "5.9.3",
};

export const execute = promisify(execFile);

/** The folder whose node_modules has them. */
export async function openApiTools(): Promise<string> {
  const key = createHash("sha256").update(JSON.stringify(packages)).digest("hex").slice(0, 16);
  return keep({ folder: join(cacheFolder(), "tools"), name: "openapi", key }, async (part) => {
    await mkdir(part, { recursive: true });
    await writeFile(join(part, "package.json"), JSON.stringify({ private: true, dependencies: packages }));
    await execute("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], { cwd: part });
  });
}
