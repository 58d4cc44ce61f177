// What the offline build needs of a Debian or Ubuntu machine: its packages and the address of its mirror.
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Terminal } from "../terminal/index.ts";
import { run } from "../terminal/run.ts";

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Whether a program of that name is on PATH. */
const hasProgram = async (name: string): Promise<boolean> => {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    if (await exists(join(folder, name))) return true;
  }
  return false;
};

/** Installs Debian packages of which a part is missing, saying `why`. `parts`: package → a program's name or a file. */
export const needPackages = async (parts: Record<string, string>, why: string, terminal: Terminal): Promise<void> => {
  const missing: string[] = [];
  for (const [name, part] of Object.entries(parts)) {
    if (!(await (part.startsWith("/") ? exists(part) : hasProgram(part)))) missing.push(name);
  }
  if (missing.length === 0) return;
  const names = missing.join(" and ");
  if (process.getuid?.() !== 0 || !(await hasProgram("apt-get"))) {
    throw new Error(`${names} needed ${why}: install it, and run this as root on Debian or Ubuntu.`);
  }
  await terminal.step(`Install ${names} by apt, ${why}`, async (step) => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const install = () =>
      run("apt-get", ["install", "-y", "--no-install-recommends", ...missing], { env, log: step.log });
    // A fresh machine has no package lists, or old ones that name files no longer there.
    await install().catch(async () => {
      await run("apt-get", ["update"], { env, log: step.log });
      await install();
    });
  });
};

/** Picks the mirror from lines of `origin release uri`; undefined: none of them is Debian's own archive. */
export const chooseMirror = (lines: string): string | undefined => {
  const sources = lines
    .split("\n")
    .map((line) => line.trim().split(" "))
    .filter(([origin, release]) => origin === "Debian" && !/-(security|updates|backports)/.test(release ?? ""));
  return sources[0]?.[2]?.replace(/\/$/, "");
};

/** The Debian mirror that this machine's apt uses; undefined leaves the choice to mmdebstrap's default. */
export const debianMirror = async (): Promise<string | undefined> => {
  const format = "$(ORIGIN) $(CODENAME) $(REPO_URI)";
  const args = ["indextargets", "--format", format, "Identifier: Packages"];
  return chooseMirror(
    await run("apt-get", args).then(
      ({ stdout }) => stdout,
      () => "",
    ),
  );
};
