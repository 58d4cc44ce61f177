// Programs from Go modules, for machines that reach a Go proxy but not the releases.
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { lock } from "../../lock.mjs";
import { failure } from "../../terminal/failure.ts";
import type { Step } from "../../terminal/index.ts";
import { type RunOptions, run } from "../../terminal/run.ts";
import { goModule, type Tool } from "./tools.ts";

const neededGo = [1, 24] as const;

const requireGo = async (): Promise<void> => {
  const advice = `Install Go ${neededGo.join(".")} or newer (https://go.dev/dl), or Docker, and run the command again.`;
  const { stdout } = await run("go", ["env", "GOVERSION"]).catch((cause: Error) => {
    throw failure("The program's release cannot be downloaded, and Go is not installed to build it.", advice, {
      cause,
    });
  });
  const [, major = "0", minor = "0"] = /go(\d+)\.(\d+)/.exec(stdout) ?? [];
  const enough = Number(major) > neededGo[0] || (Number(major) === neededGo[0] && Number(minor) >= neededGo[1]);
  if (!enough)
    throw failure(`This program needs Go ${neededGo.join(".")} or newer to build; found ${stdout.trim()}.`, advice);
};

// What `go build -v` and `go install -v` say: a line for each package that they compile.
const packagesIn = (text: string): number => text.split("\n").filter((line) => /^[\w.-]+(\/\S+)?$/.test(line)).length;

/** Builds a tool's programs into `folder`, which exists. Static programs, without cgo. */
export const build = async (
  source: Tool["source"],
  folder: string,
  step: Step,
  signal?: AbortSignal,
): Promise<void> => {
  await requireGo();
  const work = join(folder, ".work");
  mkdirSync(work);
  let [done, total] = [0, 0];
  const options: RunOptions = {
    log: (text) => {
      step.log(text);
      done += packagesIn(text);
      if (total > 0) step.bar(Math.min(done, total), total, "packages");
      else if (done > 0) step.note(`from its Go module, ${done} packages`);
    },
    // Everything that go writes outside its caches is below `folder`, so that an interrupt leaves nothing.
    env: { ...process.env, CGO_ENABLED: "0", GOBIN: work, GOTMPDIR: work, GOFLAGS: "", GOWORK: "off" },
    ...(signal === undefined ? {} : { signal }),
  };
  try {
    if ("module" in source) {
      await run("go", ["install", "-v", "-trimpath", "-ldflags", "-s -w", source.module], { ...options, cwd: work });
      const name = source.module.replace(/@.*/, "").split("/").at(-1) ?? "";
      renameSync(join(work, name), join(folder, name));
      return;
    }
    const name = source.package.split("/").at(-1) ?? "";
    // One after the other: what two of them share is compiled once, and each compiles on all cores anyway.
    const release = await lock(goModule, {
      onWait: () => step.note("another program is being built"),
      ...(signal === undefined ? {} : { signal }),
    });
    try {
      step.note("from its Go module, fetching packages");
      const listed = await run("go", ["list", "-deps", source.package], { ...options, log: step.log, cwd: goModule });
      total = packagesIn(listed.stdout);
      step.note("from its Go module");
      const flags = ["-v", "-trimpath", "-ldflags", `-s -w ${source.ldflags}`, "-o", join(work, name)];
      await run("go", ["build", ...flags, source.package], { ...options, cwd: goModule });
    } finally {
      await release();
    }
    renameSync(join(work, name), join(folder, name));
    for (const link of source.links ?? []) symlinkSync(name, join(folder, link));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};
