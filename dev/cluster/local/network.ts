// The link between the machine and a cluster's network namespace. The namespace is held by the cluster's processes
// alone, so the kernel takes the link, its addresses and its routes away when they end.
import { failure } from "../../terminal/failure.ts";
import { run } from "../../terminal/run.ts";
import { type Addresses, addressesOf, highestIndex, secondNode } from "./plan.ts";

type Log = (text: string) => void;
type Route = { dst?: string };
type Link = { addr_info?: { local?: string; prefixlen?: number }[] };

const number = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

/** Whether two IPv4 ranges, as `a.b.c.d/n` or a plain address, share an address. */
export const overlap = (one: string, other: string): boolean => {
  const range = (text: string): [number, number] => {
    const [address = "", bits = "32"] = text.split("/");
    const size = 2 ** (32 - Number(bits));
    const first = Math.floor(number(address) / size) * size;
    return [first, first + size - 1];
  };
  const [a, b] = [range(one), range(other)];
  return a[0] <= b[1] && b[0] <= a[1];
};

const rangesInUse = async (): Promise<string[]> => {
  const [routes, links] = await Promise.all([
    run("ip", ["-json", "-4", "route", "show", "table", "all"]),
    run("ip", ["-json", "-4", "address"]),
  ]);
  const fromRoutes = (JSON.parse(routes.stdout || "[]") as Route[]).map((route) => route.dst ?? "");
  const fromLinks = (JSON.parse(links.stdout || "[]") as Link[])
    .flatMap((link) => link.addr_info ?? [])
    .map((info) => `${info.local}/${info.prefixlen}`);
  // A wide route (a default, a VPN's 10.0.0.0/8) gives way to the narrower ones made here.
  return [...fromRoutes, ...fromLinks].filter((range) => {
    const [address = "", bits = "32"] = range.split("/");
    return /^\d+\.\d+\.\d+\.\d+$/.test(address) && Number(bits) >= 16;
  });
};

/**
 * Takes the first free cluster number by creating its link, which the kernel grants to one process only, and sets up
 * addresses and routes on both ends. `pid` is a process in the cluster's network namespace.
 */
export const openNetwork = async (pid: number, log: Log): Promise<Addresses> => {
  const used = await rangesInUse();
  for (let index = 0; index <= highestIndex; index++) {
    const a = addressesOf(index);
    if ([`${a.host}/30`, a.pods, a.services].some((range) => used.some((other) => overlap(range, other)))) continue;
    const created = await run(
      "ip",
      ["link", "add", a.link, "type", "veth", "peer", "name", "eth0", "netns", String(pid)],
      { log },
    ).then(
      () => true,
      (error: Error) => {
        if (error.message.includes("File exists")) return false;
        throw error;
      },
    );
    if (!created) continue;
    const inside = [
      "link set lo up",
      `addr add ${a.node}/30 dev eth0`,
      "link set eth0 up",
      `route add default via ${a.host}`,
    ];
    const outside = [
      `addr add ${a.host}/30 dev ${a.link}`,
      `link set ${a.link} up`,
      `route add ${a.pods} via ${a.node}`,
      `route add ${a.services} via ${a.node}`,
    ];
    await run("ip", ["-batch", "-"], { input: `${outside.join("\n")}\n`, log });
    await run("nsenter", [`--net=/proc/${pid}/ns/net`, "ip", "-batch", "-"], { input: `${inside.join("\n")}\n`, log });
    return a;
  }
  throw new Error(`No free address range for a cluster: 10.243.0.0 to 10.245.${highestIndex}.255 are all in use`);
};

/** Removes the link. The kernel does so by itself, but only some time after the cluster's last process. */
export const closeNetwork = async (a: Addresses): Promise<void> => {
  await run("ip", ["link", "delete", a.link]).catch((error: Error) => {
    if (!error.message.includes("Cannot find device")) throw error;
  });
};

const batch = (lines: string[], log: Log, pid?: number): Promise<unknown> => {
  const [program = "", ...args] = [
    ...(pid === undefined ? [] : ["nsenter", `--net=/proc/${pid}/ns/net`]),
    ...["ip", "-batch", "-"],
  ];
  return run(program, args, { input: `${lines.join("\n")}\n`, log });
};

/** Links the second node, in whose network namespace `pid` is, to the first, in whose `first` is, and routes its ranges there. */
export const openSecondLink = async (a: Addresses, first: number, pid: number, log: Log): Promise<void> => {
  const { name, node, gateway, pods } = secondNode(a);
  const link = `${gateway}/30`;
  const used = await rangesInUse();
  // An earlier second node of this cluster left its routes here.
  const ours = [pods, link.replace(".5/", ".4/")];
  const taken = used.find((range) => !ours.includes(range) && [link, pods].some((own) => overlap(range, own)));
  if (taken !== undefined)
    throw failure(`The second node needs ${pods} and ${link}, and ${taken} is in use.`, "Free it, or use one node.");
  await batch(
    [
      `link add ${name} type veth peer name eth0 netns ${pid}`,
      `addr add ${gateway}/30 dev ${name}`,
      `link set ${name} up`,
    ],
    log,
    first,
  );
  await batch(
    ["link set lo up", `addr add ${node}/30 dev eth0`, "link set eth0 up", `route add default via ${gateway}`],
    log,
    pid,
  );
  await batch([`route add ${pods} via ${node}`], log, first);
  await batch(
    ours.map((range) => `route replace ${range} via ${a.node}`),
    log,
  );
};
