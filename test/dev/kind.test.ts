// test/first-hour/docker runs real kind on a real engine. Here stand-ins for `docker` and `kind` write down how they are called and
// keep a list of clusters: what is tested is which commands are given and what is made of their answers, not kind.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { platform } from "../../dev/cluster/binaries/index.ts";
import { folderOf, tools } from "../../dev/cluster/binaries/tools.ts";
import { run } from "../../dev/terminal/run.ts";
import { clone } from "./sandbox.ts";
import { trialArchive, trialImage } from "./trial-image.ts";

let folder: string;
let env: NodeJS.ProcessEnv;

const program = (path: string, words: string): void => writeFileSync(path, `#!/bin/sh\n${words}\n`, { mode: 0o755 });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-kind-"));
  const bin = join(folder, "bin");
  const kind = join(folder, "binaries", folderOf(tools.kind, platform()));
  for (const one of [bin, kind]) mkdirSync(one, { recursive: true });
  program(
    join(bin, "docker"),
    `echo "docker $*" >> ${folder}/calls
case "$*" in
  info*) [ -e ${folder}/no-docker ] && { echo "no engine here" >&2; exit 1; }; echo 28.0.0 ;;
  *"images list"*) echo "REF TYPE DIGEST"; cat ${folder}/images 2>/dev/null || true ;;
  *readyz*) [ -e ${folder}/sick ] && exit 1
    [ -e ${folder}/slow-answers ] && { sed -i 1d ${folder}/slow-answers; [ -s ${folder}/slow-answers ] && exit 1; }; echo ok ;;
  "network ls"*) cat ${folder}/networks 2>/dev/null || true ;;
  "network rm"*) rm ${folder}/networks ;;
  "image ls"*) echo 0123456789ab ;;
  "port "*) echo "30443/tcp -> 127.0.0.1:4711" ;;
  save*) echo an image ;;
  version*) echo linux/arm64 ;;
  *"images import --platform linux/arm64 -") cat > ${folder}/imported ;;
esac`,
  );
  program(
    join(kind, "kind"),
    `echo "kind $*" >> ${folder}/calls
case "$1 $2" in
  "get clusters") cat ${folder}/kind-clusters 2>/dev/null || echo "No kind clusters found." >&2 ;;
  "create cluster")
    cat > ${folder}/config
    echo "$KIND_EXPERIMENTAL_DOCKER_NETWORK" > ${folder}/networks
    while [ "$1" != --kubeconfig ]; do [ "$1" = --name ] && echo "$2" > ${folder}/kind-clusters; shift; done
    [ -e ${folder}/slow ] && sleep 30
    echo "{}" > "$2" ;;
  "delete cluster") rm -f ${folder}/kind-clusters ${folder}/sick ;;
esac`,
  );
  program(join(bin, "kubectl"), `echo '{"clientVersion":{"gitVersion":"v1.34.4"}}'`);
  program(join(bin, "helm"), "echo v3.19.0");
  env = { ...process.env, ROWFERRY_CACHE: folder, PATH: `${bin}:${process.env["PATH"]}` };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const script = async (name: string, ...args: string[]): Promise<string> =>
  (await run(process.execPath, [join(clone, "dev", name), ...args], { env })).stderr;

const calls = (): string[] => {
  const file = join(folder, "calls");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  rmSync(file, { force: true });
  return text.split("\n").filter(Boolean);
};

const called = (words: string): unknown => expect.stringContaining(words);

test("where a Docker engine answers, kind makes the cluster, finds it again and deletes it", async () => {
  expect(await script("up.ts")).toContain("Kubernetes is up (kind)");
  const created = calls();
  expect(created).toContainEqual(
    expect.stringMatching(/^kind create cluster --name rowferry-dev-[0-9a-f]{8} --image kindest\/node:v1\.34/),
  );
  await script("up.ts");
  const again = calls();
  expect(again).toContainEqual(called("get --raw /readyz"));
  expect(again).not.toContainEqual(called("kind create"));
  expect(readFileSync(join(folder, "config"), "utf8")).toContain('"listenAddress":"127.0.0.1"');
  const network = readFileSync(join(folder, "networks"), "utf8").trim();
  expect(network).toMatch(/^rowferry-dev-[0-9a-f]{8}$/);
  expect(await script("down.ts")).toContain("images stay in Docker");
  const removed = calls();
  expect(removed).toContainEqual(called("kind delete cluster --name rowferry-dev-"));
  expect(removed).toContainEqual(called(`docker network rm ${network}`));
  expect(readdirSync(join(folder, "clusters"))).toEqual([]);
  expect(await script("down.ts")).toContain("this clone has no cluster");
});

test("a cluster in Docker that does not answer is made anew", async () => {
  await script("up.ts");
  calls();
  writeFileSync(join(folder, "sick"), "");
  await script("up.ts");
  const verbs = calls()
    .filter((line) => line.startsWith("kind "))
    .map((line) => line.split(" ")[1]);
  expect(verbs.slice(-2)).toEqual(["delete", "create"]);
});

test("a cluster in Docker that answers after a while is found again, with its passwords", async () => {
  await script("up.ts");
  calls();
  const file = join(folder, "clusters", readdirSync(join(folder, "clusters"))[0] ?? "", "passwords.json");
  const passwords = readFileSync(file, "utf8");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(join(folder, "slow-answers"), "1\n2\n3\n");
  await script("up.ts");
  const again = calls();
  expect(again.filter((line) => line.includes("readyz"))).toHaveLength(3);
  expect(again).not.toContainEqual(called("kind create"));
  expect(again).not.toContainEqual(called("kind delete"));
  expect(readFileSync(file, "utf8")).toBe(passwords);
});

test("an interrupt while a cluster in Docker does not answer leaves it is", async () => {
  await script("up.ts");
  calls();
  writeFileSync(join(folder, "sick"), "");
  const abort = new AbortController();
  const ended = run(process.execPath, [join(clone, "dev/up.ts")], { env, signal: abort.signal }).catch(
    (error: Error) => error,
  );
  const asked = (): boolean =>
    existsSync(join(folder, "calls")) && readFileSync(join(folder, "calls"), "utf8").includes("readyz");
  await expect.poll(asked, { timeout: 10_000 }).toBe(true);
  abort.abort();
  expect(await ended).toBeInstanceOf(Error);
  expect(calls()).not.toContainEqual(called("kind delete"));
  expect(existsSync(join(folder, "kind-clusters"))).toBe(true);
});

test("an installed Docker whose engine does not answer is named, with the next step", async () => {
  writeFileSync(join(folder, "no-docker"), "");
  const words = `import { openTerminal } from ${JSON.stringify(join(clone, "dev/terminal/index.ts"))};
    import { clusterKind } from ${JSON.stringify(join(clone, "dev/cluster/index.ts"))};
    console.log(await clusterKind({ terminal: openTerminal({ name: "kind" }) }));`;
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module-typescript", "-e", words], { env });
  expect(stdout.trim()).toMatch(/^(local|processes)$/);
  expect(stderr).toContain("Docker is installed, but its engine does not answer (no engine here).");
  expect(stderr).toContain("start its engine");
});

test("an interrupt while kind creates the cluster deletes what there is of it", async () => {
  writeFileSync(join(folder, "slow"), "");
  const abort = new AbortController();
  const ended = run(process.execPath, [join(clone, "dev/up.ts")], { env, signal: abort.signal }).catch(
    (error: Error) => error,
  );
  while (!existsSync(join(folder, "kind-clusters"))) await new Promise((done) => setTimeout(done, 20));
  abort.abort();
  expect(await ended).toBeInstanceOf(Error);
  const ending = calls().slice(-3);
  expect(ending).toContainEqual(called("kind delete cluster"));
  expect(ending.at(-1)).toContain("docker network rm rowferry-dev-");
});

/** Runs words with `cluster` in scope, and what it prints. */
const onKind = async (words: string): Promise<string> => {
  const file = join(folder, "on-kind.ts");
  const from = (path: string): string => JSON.stringify(join(clone, path));
  writeFileSync(
    file,
    `import { openTerminal } from ${from("dev/terminal/index.ts")};
import { openCluster } from ${from("dev/cluster/index.ts")};
const cluster = await openCluster({ terminal: openTerminal({ name: "kind" }) });
${words}`,
  );
  return (await run(process.execPath, [file], { env })).stdout;
};

test("an archive's image goes to the node unless it is there under the same digest", async () => {
  const archive = join(folder, "image.tar");
  writeFileSync(archive, trialArchive());
  const load = `await cluster.loadImage({ archive: ${JSON.stringify(archive)} });`;
  await onKind(load);
  expect(calls().at(-1)).toMatch(/^kind load image-archive \S+image\.tar --name rowferry-dev-/);
  const index = (await run("tar", ["-xOf", archive, "index.json"])).stdout;
  const [digest] = /sha256:[0-9a-f]{64}/.exec(index) ?? [];
  writeFileSync(join(folder, "images"), `${trialImage} application/vnd.oci.image.manifest.v1+json ${digest} 4.6 MiB\n`);
  await onKind(load);
  expect(calls()).not.toContainEqual(called("kind load"));
});

test("an image of the engine goes to the node unless it has one of that name", async () => {
  const load = 'await cluster.loadImage({ docker: "rowferry.dev/app:0123" });';
  await onKind(load);
  expect(calls()).toContainEqual("docker save rowferry.dev/app:0123");
  expect(readFileSync(join(folder, "imported"), "utf8")).toBe("an image\n");
  writeFileSync(join(folder, "images"), "rowferry.dev/app:0123 type sha256:1\n");
  await onKind(load);
  expect(calls()).not.toContainEqual(called("docker save"));
});

test("this machine reaches node ports where Docker publishes them", async () => {
  expect(JSON.parse(await onKind("console.log(JSON.stringify(cluster.nodePorts));"))).toEqual({ 30443: 4711 });
});
