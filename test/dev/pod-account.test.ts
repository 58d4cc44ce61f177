// Root's kubelet writes into folders of an account without rights: in a process of its own, since it changes its account.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clone } from "./sandbox.ts";

const id = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
const [uid, gid] = [id("-u"), id("-g")];
let folder: string;

beforeEach(() => {
  // The account cannot enter the folder of this run.
  folder = mkdtempSync("/tmp/rowferry-account-");
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "pod"));
  chownSync(join(folder, "pod"), uid, gid);
  mkdirSync(join(folder, "roots"));
  chmodSync(join(folder, "roots"), 0o770);
  writeFileSync(join(folder, "roots", "file"), "root's");
  chmodSync(join(folder, "roots", "file"), 0o664);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string): Record<string, unknown> => {
  const from = (file: string): string => JSON.stringify(join(clone, "dev/cluster/processes/kubelet", file));
  const words = `import { asAccount } from ${from("account.ts")};
    import { writeFiles } from ${from("volumes.ts")};
    process.setgroups([0]);
    const before = process.getgroups();
    let failed;
    try {
      asAccount({ uid: ${uid}, gid: ${gid} }, () => writeFiles(${JSON.stringify(path)}, { token: "new" }));
    } catch (error) {
      failed = error.code;
    }
    const groups = JSON.stringify(process.getgroups()) === JSON.stringify(before);
    console.log(JSON.stringify({ failed, uid: process.geteuid(), gid: process.getegid(), groups }));`;
  const node = [process.execPath, ["--input-type=module-typescript", "-e", words], { encoding: "utf8" }] as const;
  return JSON.parse(execFileSync(...node)) as Record<string, unknown>;
};

test("a pod's files are its account's, and the kubelet is root again", () => {
  expect(write(join(folder, "pod"))).toEqual({ uid: 0, gid: 0, groups: true });
  expect(statSync(join(folder, "pod", "token"))).toMatchObject({ uid, gid });
});

test.each([
  ["to a folder of root", (): void => symlinkSync(join(folder, "roots"), join(folder, "pod", "volume"))],
  [
    "to a file of root",
    (): void => {
      mkdirSync(join(folder, "pod", "volume"));
      chownSync(join(folder, "pod", "volume"), uid, gid);
      symlinkSync(join(folder, "roots", "file"), join(folder, "pod", "volume", "token.part"));
    },
  ],
])("a link of the account %s is not followed", (_, plant) => {
  plant();
  expect(write(join(folder, "pod", "volume"))).toEqual({ failed: "EACCES", uid: 0, gid: 0, groups: true });
  expect(readFileSync(join(folder, "roots", "file"), "utf8")).toBe("root's");
});
