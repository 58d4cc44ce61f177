// The official programs' releases, by a server of this machine's own: the hosts' names lead to it in the clean root alone.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { binariesFolder, need, platform } from "../../dev/cluster/binaries/index.ts";
import { type Tool, tools } from "../../dev/cluster/binaries/tools.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { run } from "../../dev/terminal/run.ts";
import { makeCa, makeServerCertificate } from "../../src/guard/certificate.ts";
import type { Machine } from "./machine.ts";

/** Port 443 of an address that nothing else listens on. */
const address = "127.0.43.43";
const served = ["kubernetes", "coredns", "helm"] as const;

export interface Releases {
  /** Makes the hosts known and trusted in a clean root; the answer is the environment of a command there. */
  lead(machine: Machine): Promise<Record<string, string>>;
  close(): Promise<void>;
}

/** A release's file as it would be downloaded: the program itself, or an archive with it. */
const packed = async (program: string, member: string | undefined, folder: string): Promise<string> => {
  if (member === undefined) return program;
  const [inside, archive] = [join(folder, "inside", member), join(folder, `${basename(member)}.tar.gz`)];
  await mkdir(dirname(inside), { recursive: true });
  await cp(program, inside, { dereference: true });
  await run("tar", ["-czf", archive, "-C", join(folder, "inside"), member]);
  return archive;
};

const sumOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
};

/** Serves what this machine's cache has; what it lacks is got as ever. */
export const serveReleases = async (terminal: Terminal, signal?: AbortSignal): Promise<Releases> => {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-releases-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    return await serve(folder, remove, terminal, signal);
  } catch (error) {
    await remove();
    throw error;
  }
};

const serve = async (
  folder: string,
  remove: () => Promise<void>,
  terminal: Terminal,
  signal: AbortSignal | undefined,
): Promise<Releases> => {
  const files = new Map<string, string>();
  const sums = new Map<string, string>();
  for (const name of served) {
    const from = join(binariesFolder(), await need(name, { terminal, ...(signal === undefined ? {} : { signal }) }));
    const tool: Tool = tools[name];
    for (const release of tool.releases(platform())) {
      const file = await packed(join(from, release.program), release.member, folder);
      files.set(release.url, file);
      const line = `${await sumOf(file)}  ${basename(new URL(release.url).pathname)}\n`;
      sums.set(release.sums, `${sums.get(release.sums) ?? ""}${line}`);
    }
  }
  const hosts = [...new Set([...files.keys()].map((url) => new URL(url).host))];
  const ca = await makeCa("Rowferry's CA of a test", new Date());
  const { certificate: cert, key } = await makeServerCertificate(ca, hosts, new Date());
  const server = createServer({ cert, key }, async (request, response) => {
    const url = `https://${request.headers.host}${request.url}`;
    const [file, text] = [files.get(url), sums.get(url)];
    if (file === undefined) {
      response.writeHead(text === undefined ? 404 : 200).end(text);
      return;
    }
    response.writeHead(200, { "content-length": (await stat(file)).size });
    createReadStream(file).pipe(response);
  });
  server.listen(443, address);
  await once(server, "listening");
  const trusted = "/etc/ssl/certs/rowferry-first-hour.pem";
  return {
    lead: async (machine) => {
      const own = process.env["NODE_EXTRA_CA_CERTS"];
      const others = own === undefined ? "" : await readFile(own, "utf8");
      await machine.write(trusted, `${others}\n${ca.certificate}\n`);
      await machine.write("/etc/hosts", `${await readFile("/etc/hosts", "utf8")}\n${address} ${hosts.join(" ")}\n`);
      return {
        NODE_EXTRA_CA_CERTS: trusted,
        no_proxy: [process.env["no_proxy"] ?? "", ...hosts].join(","),
      };
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await remove();
    },
  };
};
