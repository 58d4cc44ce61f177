import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { binariesFolder, need } from "../../dev/cluster/binaries/index.ts";
import { buildDemoImages } from "../../dev/image/index.ts";
import { cacheFolder } from "../../dev/terminal/cache.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { clone, openClone } from "./clone.ts";
import type { Machine, Share } from "./machine.ts";

const terminal = openTerminal({ name: "test-first-hour" });
let machine: Machine;
let mounts: string[];

/** The programs that are built from source, and the images: all else has to come from Debian's packages. */
const built = async (): Promise<Share[]> => {
  const tools = await Promise.all(
    (["kubernetes", "coredns", "helm", "versitygw"] as const).map((name) => need(name, { terminal })),
  );
  await buildDemoImages({ terminal });
  const cache = "/root/.cache/rowferry";
  return [
    ...tools.map((tool) => ({ here: join(binariesFolder(), tool), there: `${cache}/binaries/${tool}`, own: false })),
    { here: join(cacheFolder(), "images"), there: `${cache}/images`, own: true },
  ];
};

beforeAll(async () => {
  machine = await openClone("bookworm", terminal, { more: await built() });
  mounts = await machine.mounts();
});

afterAll(async () => {
  await machine?.close();
  terminal.close();
});

const play = async (command: string[], cwd = clone): Promise<{ code: number; output: string }> => {
  let output = "";
  const code = await machine.run(command, {
    cwd,
    log: (text) => {
      output += text;
    },
  });
  return { code, output };
};

// A write lock on the file that apt and dpkg lock, in the form of the kernel's struct flock, until its input ends.
const holdLock = `use Fcntl; open(my $lock, ">>", "/var/lib/dpkg/lock-frontend") or die;
my $all = pack("s s x4 q q l x4", F_WRLCK, 0, 0, 0, 0);
fcntl($lock, F_SETLK, $all) or die "locked: $!";
$| = 1; print "held\\n"; sleep 1 until -e "/root/let-go";`;

test("a clean Debian runs the demo: missing packages are installed at once, when apt's lock is free", async () => {
  expect((await play(["sh", "-c", "for name in ip iptables mmdebstrap; do command -v $name; done; true"])).output).toBe(
    "",
  );
  let holder = "";
  const held = machine.run(["perl", "-e", holdLock], {
    log: (text) => {
      holder += text;
    },
  });
  await expect.poll(() => holder, { timeout: 10_000 }).toBe("held\n");

  let output = "";
  const log = (text: string): void => {
    output += text;
    if (text.includes("Waiting for another program that uses apt: ")) void machine.write("/root/let-go", "");
  };
  const code = await machine.run(["npm", "run", "demo", "--", "--once"], { cwd: clone, log });
  expect(code, output).toBe(0);
  expect(await held, holder).toBe(0);
  expect(output).toMatch(/Waiting for another program that uses apt: process \d+ \(perl\)/);
  expect(output.match(/✓ Install Debian packages: .*/g)).toEqual([
    expect.stringMatching(/: iproute2, iptables, mmdebstrap {2}[\d.]+ s$/),
  ]);
  expect(output).toContain("Remove the cluster");
});

test("a clean Debian makes a root file system", async () => {
  const words = `import { rootFileSystem } from "./dev/image/root.ts"; import { openTerminal } from "./dev/terminal/index.ts";
    console.log(await rootFileSystem("redis", openTerminal({ name: "root" })));`;
  await machine.run(["rm", "-rf", "/root/.cache/rowferry/images/roots"], { log: terminal.log });
  const { code, output } = await play(["node_modules/.bin/node", "--input-type=module-typescript", "-e", words]);
  expect(code, output).toBe(0);
  expect(output).toContain("/root/.cache/rowferry/images/roots/redis-");
});

test("nothing is left running or mounted by the demo", async () => {
  await expect.poll(() => machine.processes(), { timeout: 10_000 }).toEqual([]);
  expect(await machine.mounts()).toEqual(mounts);
});
