// With a stand-in for `docker` that takes its time: how the images that are made side by side end together.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../../dev/terminal/run.ts";
import { clone } from "./sandbox.ts";

let folder: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-docker-images-"));
  mkdirSync(join(folder, "bin"));
  env = { ...process.env, ROWFERRY_CACHE: folder, PATH: `${join(folder, "bin")}:${process.env["PATH"]}` };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const docker = (words: string): void =>
  writeFileSync(join(folder, "bin", "docker"), `#!/bin/sh\n${words}\n`, { mode: 0o755 });

const build = () => {
  const from = (path: string): string => JSON.stringify(join(clone, path));
  const words = `import { buildImagesByDocker } from ${from("dev/image/docker.ts")};
    import { runCommand } from ${from("dev/terminal/command.ts")};
    await runCommand({ name: "images", about: "" }, async ({ terminal, signal }) => {
      console.log(JSON.stringify(await buildImagesByDocker(["app", "mysql", "postgres"], { terminal, signal })));
    });`;
  return run(process.execPath, ["--input-type=module-typescript", "-e", words], { env });
};

test("a pull that fails ends the build, and is the failure", async () => {
  docker(`case "$1" in
  build) echo $$ > ${folder}/building; exec sleep 60 ;;
  image) exit 1 ;;
  pull) until [ -s ${folder}/building ]; do sleep 0.02; done; echo "toomanyrequests: rate limit" >&2; exit 1 ;;
esac`);
  const failed = await build().catch((error: Error) => error);
  expect(failed).toMatchObject({ code: 1 });
  const { stderr } = failed as unknown as { stderr: string };
  expect(stderr).toMatch(/^✗ images: docker pull --quiet failed with exit code 1: toomanyrequests: rate limit$/m);
  expect(stderr).toMatch(/^– Build the application's image by Docker: stopped/m);
  expect(existsSync(`/proc/${readFileSync(join(folder, "building"), "utf8").trim()}`)).toBe(false);
});

test("all images are built or pulled side by side", async () => {
  const id = `sha256:${"ab".repeat(32)}`;
  docker(`case "$1" in
  build) while [ "$1" != --iidfile ]; do shift; done; printf ${id} > "$2"; touch ${folder}/built ;;
  image) [ -e ${folder}/pulled-"$(echo "$5" | cut -d: -f1)" ] && echo ${id} || exit 1 ;;
  pull) until [ -e ${folder}/built ]; do sleep 0.02; done; touch ${folder}/pulled-"$(echo "$3" | cut -d: -f1)" ;;
esac`);
  const { stdout } = await build();
  const image = (name: string) => ({
    ref: `rowferry.dev/${name}:abababababab`,
    docker: `rowferry.dev/${name}:abababababab`,
  });
  expect(JSON.parse(stdout)).toEqual({ app: image("app"), mysql: image("mysql"), postgres: image("postgres") });
});
