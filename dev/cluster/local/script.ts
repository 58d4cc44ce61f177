// The first process of a cluster's namespaces, as a shell script: it prepares the mounts, starts the components stage
// by stage, starts again what ends, and reaps orphans. When it ends, the kernel ends everything else in there.
import { type Component, home, programs } from "./plan.ts";

/** Text as one word of the shell. */
export const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const keep = ({ name, command }: Component): string => `keep ${name} ${command.map(quote).join(" ")}`;

// The kubelet wants these values and would set them for the whole machine.
const sysctls = {
  "vm/overcommit_memory": "1",
  "vm/panic_on_oom": "0",
  "kernel/panic": "10",
  "kernel/panic_on_oops": "1",
  "kernel/keys/root_maxkeys": "1000000",
  "kernel/keys/root_maxbytes": "25000000",
};

export type ScriptInput = {
  /** Folders as the host sees them. */
  folder: string;
  binaries: string;
  path: string[];
  first: Component[];
  afterApi: Component[];
  afterImages: Component[];
};

/**
 * The words on standard input move it on: `network` when the link is up, `api` when the API server answers, `images`
 * when the pause image is there, `keep` when the cluster is whole. Before `keep`, the end of standard input ends it: a
 * cluster does not outlive an `up` that was killed.
 */
export const initScript = (input: ScriptInput): string => `#!/bin/sh
set -eu
export PATH=${quote([...input.path.map((folder) => `${programs}/${folder}`), "/usr/sbin:/usr/bin:/sbin:/bin"].join(":"))}
export HOME=${home}
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p ${home} ${programs} /run/sysctl /run/lock
mount --bind ${quote(input.folder)} ${home}
mount --rbind ${quote(input.binaries)} ${programs}
mount -t tmpfs -o mode=755 tmpfs /var/lib
mount -t tmpfs -o mode=755 tmpfs /var/log
${Object.entries(sysctls)
  .map(([name, value]) => {
    const file = `/run/sysctl/${name.replaceAll("/", ".")}`;
    return `echo ${value} > ${file}; [ ! -e /proc/sys/${name} ] || mount --bind ${file} /proc/sys/${name}`;
  })
  .join("\n")}
cd ${home}
keep() {
  name=$1; shift
  while :; do
    "$@" >> log/$name.log 2>&1 < /dev/null && code=0 || code=$?
    echo "rowferry: $name ended with $code" >> log/$name.log
    sleep 0.3
  done &
}
await() { read -r word && [ "$word" = "$1" ] || exit 1; }
await network
echo 1 > /proc/sys/net/ipv4/ip_forward
${input.first.map(keep).join("\n")}
await api
${input.afterApi.map(keep).join("\n")}
await images
${input.afterImages.map(keep).join("\n")}
await keep
wait
`;
