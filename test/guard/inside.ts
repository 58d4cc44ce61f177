import { execFileSync } from "node:child_process";
import { connect } from "node:net";
import { assess } from "../../src/engine/assess/index.ts";
import { EngineError } from "../../src/engine/contract/index.ts";
import { checkUserUrl } from "../../src/guard/check.ts";
import { createRedactor } from "../../src/guard/redact.ts";
import { UrlError } from "../../src/guard/url.ts";
import { probe } from "../../src/prober/probe.ts";
import { openDatabase } from "../../src/worker/databases.ts";
import { type Canaries, startCanaries } from "./canaries.ts";
import { type Bypass, nameServer, reachable, usual } from "./corpus/case.ts";
import { bypasses, controls } from "./corpus/index.ts";
import { always } from "./corpus/names.ts";
import { type NameServer, startNameServer } from "./name-server.ts";
import { countedPackets, countPackets } from "./packets.ts";

/**
 * Runs the corpus where every address is one of this host: whatever is dialled arrives at a canary. Only for `namespace.ts`, in a
 * network namespace of its own. It prints one line of JSON for each case, and at last the packets.
 */

export interface Way {
  code: string;
  message: string;
  /** Addresses at which somebody arrived meanwhile. */
  arrived: string[];
}

export interface Ran {
  attack: string;
  api: string;
  worker: Way;
  prober: Way;
  /** TCP connections that were begun in the whole namespace, and datagrams but for DNS. */
  dials: number;
}

export interface Packets {
  /** That went to or came from an address that is not among those that may be reached. */
  forbidden: number;
  allowed: number;
  /** Forbidden ones after a dial without a guard, and where it arrived: else nothing would be shown by none before. */
  control: number;
  arrived: string[];
}

/** From the kernel's own count of the namespace. */
function dialled(): number {
  const table = execFileSync("cat", ["/proc/net/snmp"], { encoding: "utf8" }).split("\n");
  const tcp = table.filter((line) => line.startsWith("Tcp:")).map((line) => line.split(" "));
  return Number(tcp[1]?.[tcp[0]?.indexOf("ActiveOpens") ?? -1]);
}

function apiSays({ url, guard = usual }: Bypass): string {
  try {
    checkUserUrl(url, { policy: guard });
    return "passes";
  } catch (error) {
    if (error instanceof UrlError) return error.code;
    throw error;
  }
}

const signal = () => AbortSignal.timeout(20_000);

/** As the worker: opens what the operator hands it, assesses it as source and target. */
async function workerSays({ url, guard = usual }: Bypass): Promise<Omit<Way, "arrived">> {
  try {
    const ca = { pem: undefined, option: "source_ca" };
    const endpoint = await openDatabase({ url, guard }, createRedactor(), ca);
    await assess(
      { source: endpoint, target: endpoint, options: { jobs: 1 } },
      { signal: signal(), log: () => undefined },
    );
    return { code: "none", message: "" };
  } catch (error) {
    if (error instanceof UrlError || error instanceof EngineError) return { code: error.code, message: error.message };
    return { code: `unexpected: ${error instanceof Error ? error.name : "?"}`, message: String(error) };
  }
}

async function proberSays({ url, guard = usual }: Bypass): Promise<Omit<Way, "arrived">> {
  const answer = await probe({
    call: { kind: "test", database: { url } },
    guard,
    redactor: createRedactor(),
    signal: signal(),
    deadlineMs: 20_000,
    fault: (error) => {
      throw error;
    },
    reached: () => undefined,
  });
  if (!("unreachable" in answer)) return { code: "none", message: "" };
  const [first] = answer.unreachable;
  return { code: first?.code ?? "none", message: first?.message ?? "" };
}

async function run(bypass: Bypass, names: NameServer, canaries: Canaries): Promise<Ran> {
  const before = dialled();
  const way = async (says: (bypass: Bypass) => Promise<Omit<Way, "arrived">>): Promise<Way> => {
    names.answer({ ...always, ...bypass.dns });
    const said = await says(bypass);
    return { ...said, arrived: canaries.arrived() };
  };
  const worker = await way(workerSays);
  const prober = await way(proberSays);
  return { attack: bypass.attack, api: apiSays(bypass), worker, prober, dials: dialled() - before };
}

const arrives = (host: string) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ host, port: 80, autoSelectFamily: false });
    socket.on("error", reject);
    socket.on("close", () => resolve());
    socket.resume();
  });

if (import.meta.main) {
  const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
  const names = await startNameServer(nameServer);
  const canaries = await startCanaries({ port: 3307, address: "45.33.32.157" });
  countPackets(reachable);
  for (const bypass of [...bypasses, ...controls]) print(await run(bypass, names, canaries));
  const after = countedPackets();
  await arrives("169.254.169.254");
  await arrives("fd00:ec2::254");
  print({ packets: { ...after, control: countedPackets().forbidden, arrived: canaries.arrived() } satisfies Packets });
  names.close();
  canaries.close();
  process.exit(0);
}
