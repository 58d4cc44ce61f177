// The address of the Debian archive that this machine's apt uses.
import { run } from "../terminal/run.ts";

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
