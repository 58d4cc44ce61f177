// An account of this machine without any right (`nobody`) in a sandbox, with a home folder, this clone and the built programs.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { program } from "../../dev/cluster/binaries/index.ts";
import { postgresTools, processImages } from "../../dev/cluster/processes/images.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { clone, type Ended, openSandbox, type Sandbox } from "./sandbox.ts";

export type OrdinaryAccount = {
  box: Sandbox;
  home: string;
  /** Runs a command in the clone, as the account. */
  run(command: string, ...args: string[]): Promise<Ended>;
  /** Starts one, in a process group of its own. */
  start(command: string, ...args: string[]): ReturnType<Sandbox["start"]>;
  /** The command lines of the sandbox's processes, sorted. */
  processes(): Promise<string[]>;
  close(): Promise<void>;
};

// The sandbox has its own mounts: nothing of this is there outside, and nothing of root's folders is in the way inside.
const place = "/mnt";
const home = `${place}/home`;
const cache = `${home}/.cache/rowferry`;

const setup = (binaries: string, images: readonly string[]): string => `set -e
mount -t tmpfs -o mode=755 tmpfs ${place}
mkdir -p ${place}/clone ${home}/tmp ${cache}/binaries ${cache}/images/processes
mount --bind '${clone}' ${place}/clone
mount --bind '${binaries}' ${cache}/binaries
mount -o remount,ro,bind ${cache}/binaries
cp -a ${images.map((image) => `'${image}'`).join(" ")} ${cache}/images/processes
chown -R nobody ${home}/tmp ${cache}/images
chown nobody ${home} ${home}/.cache ${cache}
`;

/** Makes what the caches lack, as root: the account has no network. */
export const openOrdinaryAccount = async (): Promise<OrdinaryAccount> => {
  const terminal = openTerminal({ name: "ordinary-account" });
  const kubernetes = await program("kubernetes", "kubectl", { terminal });
  await program("helm", "helm", { terminal });
  const { mysql, postgres } = await processImages({ terminal });
  const tools = await postgresTools({ terminal });
  terminal.close();
  const box = await openSandbox();
  const made = await box.run("sh", [
    "-c",
    setup(dirname(dirname(kubernetes)), [mysql.archive, postgres.archive, tools.archive]),
  ]);
  if (made.code !== 0) throw new Error(made.output);
  const id = (flag: string): string => spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout.trim();
  const account = [`--reuid=${id("-u")}`, `--regid=${id("-g")}`, "--clear-groups"];
  const env = [
    ...["-C", `${place}/clone`, `HOME=${home}`, `TMPDIR=${home}/tmp`, `ROWFERRY_CACHE=${cache}`],
    // npm would keep one in TMPDIR.
    "NODE_DISABLE_COMPILE_CACHE=1",
    `PATH=${join(place, "clone/node_modules/.bin")}:${process.env["PATH"]}`,
  ];
  return {
    box,
    home,
    run: (command, ...args) => box.run("setpriv", [...account, "env", ...env, command, ...args]),
    start: (command, ...args) => box.start("setpriv", [...account, "env", ...env, command, ...args]),
    processes: async () => {
      const words = 'for one in /proc/[0-9]*; do tr "\\0" " " < $one/cmdline; echo; done 2> /dev/null';
      const { output } = await box.run("sh", ["-c", words]);
      return output
        .split("\n")
        .filter((line) => line.trim() !== "" && !line.includes("/proc/[0-9]*"))
        .sort();
    },
    close: () => box.close(),
  };
};
