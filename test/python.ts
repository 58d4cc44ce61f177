import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { needPackages } from "../dev/debian/index.ts";
import { keep } from "../dev/image/store.ts";
import { cacheFolder } from "../dev/terminal/cache.ts";
import { openTerminal, type Terminal } from "../dev/terminal/index.ts";
import { run } from "../dev/terminal/run.ts";

/** Packages from PyPI, each set in a virtual environment of its own in the cache, at the exact versions of a requirements file. */

const oldest = "3.11";

/** The version and path of a Python that can make virtual environments; undefined if there is none. */
const pythonHere = (): Promise<string | undefined> =>
  run("python3", [
    "-c",
    `import sys, venv, ensurepip; assert sys.version_info >= (${oldest.replace(".", ", ")}); print(sys.version, sys.executable)`,
  ]).then(
    ({ stdout }) => stdout,
    () => undefined,
  );

/** The path of a Python with the packages of `requirements`; `name` names the environment. */
export async function pythonWith(
  name: string,
  requirements: string,
  terminal: Terminal = openTerminal({ name }),
): Promise<string> {
  if ((await pythonHere()) === undefined) await needPackages(["python"], terminal);
  const python = await pythonHere();
  if (python === undefined) throw new Error(`Python ${oldest} or newer with venv is needed for ${name}: install it.`);
  const key = createHash("sha256").update(readFileSync(requirements)).update(python).digest("hex").slice(0, 16);
  const folder = await keep({ folder: join(cacheFolder(), "tools"), name, key }, (part) =>
    terminal.step(`Install ${name}`, async ({ log }) => {
      await run("python3", ["-m", "venv", part], { log });
      const words = ["install", "--no-deps", "--disable-pip-version-check", "--requirement", requirements];
      await run(join(part, "bin/python"), ["-m", "pip", ...words], { log });
    }),
  );
  return join(folder, "bin/python");
}
