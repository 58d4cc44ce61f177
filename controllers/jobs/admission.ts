import type { Candidate } from "./candidate.ts";
import type { HeldBy, Slot } from "./observed.ts";

/** How many runs there may be at the same time: in all, in one namespace, and of one Account over all of its teams. */
export interface RunLimits extends Record<"cluster" | "namespace" | "account", number> {
  /**
   * Of those in all, the last ones, which only an owner without a run gets: a run may take days, and a few owners would else hold all
   * of them against one who comes later. None if absent.
   */
  reserved?: number;
  /** From one source's server, and into one target's: any number if absent or 0. Only runs that name their servers count. */
  source?: number;
  target?: number;
}

/** What counts for who may start, beside the candidates themselves; these by uid. */
export interface Line {
  limits: RunLimits;
  /** Whether a namespace is a Team's. */
  isTeam: (namespace: string) => boolean;
  /** Let start, and not seen with a Job yet. */
  starting: { has(uid: string): boolean };
  /** Cannot start now: no slot is kept for them. */
  stuck: { has(uid: string): boolean };
}

/**
 * The Account that made it through the API. The label counts in a Team's namespace alone, where the API writes it: elsewhere `kubectl`
 * could write anybody's name, and use up that one's share.
 */
const accountOf = ({ namespace, account }: Candidate, isTeam: Line["isTeam"]): string | undefined =>
  isTeam(namespace) ? account : undefined;

/** Whose run it is: the Account's, else the namespace's. */
function ownerOf(candidate: Candidate, isTeam: Line["isTeam"]): { name: string; isAccount: boolean } {
  const account = accountOf(candidate, isTeam);
  return account === undefined
    ? { name: `namespace ${candidate.namespace}`, isAccount: false }
    : { name: `account ${account}`, isAccount: true };
}

/** What of one counts for who may start: as long as it stays, so do all slots. */
export function admissionMark(candidate: Candidate | undefined, isTeam: Line["isTeam"]): string {
  if (candidate === undefined || !(candidate.isRunning || candidate.isWaiting)) return "";
  const { uid, namespace, isRunning, since } = candidate;
  const servers = JSON.stringify(candidate.servers ?? {});
  return [uid, namespace, ownerOf(candidate, isTeam).name, isRunning ? "runs" : since, servers].join(" ");
}

/** A server that a run uses, and which of the two it is of it. */
interface Use {
  scope: "source" | "target";
  name: string;
}

const none: readonly Use[] = [];

/** In Teams' namespaces the API names servers, and nobody else can use up a server's share there. */
function usesOf({ servers, namespace }: Candidate, { limits, isTeam }: Line): readonly Use[] {
  if (servers === undefined || !(limits.source || limits.target)) return none;
  const by = isTeam(namespace) ? "team" : "other";
  return (["source", "target"] as const).flatMap((scope) => {
    const name = servers[scope];
    return name === undefined || !limits[scope] ? [] : [{ scope, name: `${scope} ${by} ${name}` }];
  });
}

/** What is not reserved, one slot at least. */
const sharedOf = ({ cluster, reserved = 0 }: RunLimits): number => Math.max(cluster - reserved, 1);

/** Whether the slot that is free now is reserved for others. */
const isKept = ({ running }: Owner, total: number, shared: number): boolean => total >= shared && running > 0;

interface Waiting {
  uid: string;
  namespace: string;
  owner: Owner;
  since: number;
  uses: readonly Use[];
}

interface Owner {
  name: string;
  isAccount: boolean;
  running: number;
  /** The oldest first. */
  line: Waiting[];
}

/** The limit that holds one back, and the line in which it waits for that. */
function heldBy({ namespace, owner }: Waiting, isCrowded: boolean, use: Use | undefined): [HeldBy, string] {
  if (isCrowded) return ["namespace", `namespace ${namespace}`];
  return use === undefined ? ["account", owner.name] : [use.scope, use.name];
}

/** How many there are of each name. */
function tally() {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return { of, add: (name: string) => void counts.set(name, of(name) + 1) };
}

const isOlder = (a: Waiting, b: Waiting): boolean => (a.since === b.since ? a.uid < b.uid : a.since < b.since);
const byAge = (a: Waiting, b: Waiting): number => (isOlder(a, b) ? -1 : 1);

/** The slot of each candidate by its uid; `free`: uids of those that wait and may start. */
export type Admission = ((uid: string) => Slot) & { free: ReadonlySet<string> };

/**
 * Who may start, of all candidates in the cluster.
 * A free slot goes to whom has the fewest runs, and of two to the one that waits longest, so that nobody's many hold back another's
 * few; one that only its namespace, its Account or a server holds back lets others pass. The reserved slots wait for owners that run nothing. A
 * position counts the line that holds it back.
 */
export function admission(candidates: Iterable<Candidate>, line: Line): Admission {
  const { limits, isTeam, starting, stuck } = line;
  let total = 0;
  const inNamespace = tally();
  const onServer = tally();
  const owners: Owner[] = [];
  // By their bare names: of ten thousand candidates no text is made.
  const accounts = new Map<string, Owner>();
  const namespaces = new Map<string, Owner>();
  const ownerFor = (candidate: Candidate): Owner => {
    const account = accountOf(candidate, isTeam);
    const [known, key] = account === undefined ? [namespaces, candidate.namespace] : [accounts, account];
    const found = known.get(key);
    if (found !== undefined) return found;
    const owner: Owner = { ...ownerOf(candidate, isTeam), running: 0, line: [] };
    known.set(key, owner);
    owners.push(owner);
    return owner;
  };
  const admit = (namespace: string, owner: Owner, uses: readonly Use[]) => {
    for (const { name } of uses) onServer.add(name);
    total += 1;
    owner.running += 1;
    inNamespace.add(namespace);
  };
  for (const candidate of candidates) {
    const { uid, namespace, since } = candidate;
    const runs = candidate.isRunning || starting.has(uid);
    if (!runs && (stuck.has(uid) || !candidate.isWaiting)) continue;
    const owner = ownerFor(candidate);
    const uses = usesOf(candidate, line);
    if (runs) admit(namespace, owner, uses);
    else owner.line.push({ uid, namespace, owner, since, uses });
  }
  for (const { line } of owners) line.sort(byAge);

  const most = { source: 0, target: 0, ...limits, shared: sharedOf(limits) };
  const isCrowded = ({ namespace }: Waiting) => inNamespace.of(namespace) >= limits.namespace;
  const busy = ({ uses }: Waiting) => uses.find(({ scope, name }) => onServer.of(name) >= most[scope]);
  const isFull = (one: Waiting) => isCrowded(one) || busy(one) !== undefined;
  const isSpent = ({ isAccount, running }: Owner) => isAccount && running >= limits.account;

  const free = new Set<string>();
  const held: Waiting[] = [];
  while (total < limits.cluster) {
    const next = nextOf(owners, isFull, isSpent, held);
    // It has the fewest runs: who runs nothing is not among the others either.
    if (next === undefined || isKept(next.owner, total, most.shared)) break;
    next.owner.line.shift();
    admit(next.namespace, next.owner, next.uses);
    free.add(next.uid);
  }

  /** Places of all that are held back: of ten thousand they take most of the time, and who starts does not depend on them. */
  function places(): Map<string, Slot> {
    const slots = new Map<string, Slot>();
    const lines = new Map<string, { length: number }>();
    const hold = ({ uid }: Waiting, scope: HeldBy, name: string) => {
      const line = lines.get(name) ?? { length: 0 };
      line.length += 1;
      if (line.length === 1) lines.set(name, line);
      slots.set(uid, { free: false, position: line.length, scope, limit: most[scope] });
    };
    // Who waits for the cluster is in the order in which slots would go to them: each owner's first, then each one's second.
    const inTurn: { one: Waiting; turn: number }[] = [];
    for (const { line, running } of owners) {
      let turn = running;
      for (const one of line) {
        if (isFull(one) || isSpent(one.owner)) held.push(one);
        else inTurn.push({ one, turn: turn++ });
      }
    }
    for (const { one } of inTurn.sort((a, b) => a.turn - b.turn || byAge(a.one, b.one)))
      hold(one, total < limits.cluster ? "shared" : "cluster", "cluster");
    for (const one of held.sort(byAge)) hold(one, ...heldBy(one, isCrowded(one), busy(one)));
    return slots;
  }
  let kept: Map<string, Slot> | undefined;
  const slotOf = (uid: string): Slot => {
    if (free.has(uid)) return { free: true };
    kept ??= places();
    return kept.get(uid) ?? { free: true };
  };
  return Object.assign(slotOf, { free });
}

/**
 * Milliseconds until the place of one that waits is looked at again: the farther back, the longer, up to two minutes. Each run that
 * is asked for moves many of those behind it, and to save every move of thousands would burden all that watch them; nobody's
 * start waits for it.
 */
export const untilNextLook = (position: number): number => Math.min(5000 * Math.max(1, position / 8), 120_000);

/** Whose turn it is. Those at the head of a line whose namespace or server is full go to `held`: it does not become less full. */
function nextOf(
  owners: Iterable<Owner>,
  isFull: (one: Waiting) => boolean,
  isSpent: (owner: Owner) => boolean,
  held: Waiting[],
): Waiting | undefined {
  let best: Waiting | undefined;
  for (const owner of owners) {
    if (isSpent(owner)) continue;
    for (let head = owner.line[0]; head !== undefined && isFull(head); head = owner.line[0]) {
      held.push(head);
      owner.line.shift();
    }
    const head = owner.line[0];
    if (head === undefined) continue;
    const fewer = best === undefined ? -1 : owner.running - best.owner.running;
    if (best === undefined || fewer < 0 || (fewer === 0 && isOlder(head, best))) best = head;
  }
  return best;
}
