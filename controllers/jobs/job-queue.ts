import { firstOf, type Line, type Origin, origins, ownerOf, type Standing, type Use, usesOf } from "./admission.ts";
import type { Candidate } from "./candidate.ts";
import type { HeldBy, Slot } from "./observed.ts";

/**
 * Who may start, of all candidates in the cluster, and the places of the others: kept from change to change, since each run that ends
 * or starts would else take as long as there are thousands that wait. A free slot goes to runs that somebody asked for or to those that a
 * schedule started, of which fewer run; among these to whom has the fewest runs, and of two to the one that waits longest, so that
 * nobody's many hold back another's few; one that only its namespace, its Account or a server holds back lets others pass. The reserved
 * slots wait for owners that run nothing. A position counts the line that holds it back.
 */
export interface Lines {
  /** To be told of each change of one. */
  put(candidate: Candidate, standing: Standing): void;
  remove(uid: string): void;
  /** Those that wait and may start, the first of the line first. */
  free(): ReadonlyMap<string, Candidate>;
  /** Free, too, of one that does not wait. A place may be as old as `keptFor`. */
  slotOf(uid: string): Slot;
}

export interface LinesOptions extends Line {
  now?: () => number;
  /** Milliseconds for which places of those that wait are kept, though they have moved; 0 without it. */
  keptFor?: number;
}

interface Entry {
  uid: string;
  candidate: Candidate;
  owner: Owner;
  origin: Origin;
  uses: readonly Use[];
  runs: boolean;
  since: number;
}

interface Owner {
  name: string;
  isAccount: boolean;
  running: number;
  /** Those that wait, the oldest first. */
  lines: Record<Origin, Entry[]>;
}

/** How many there are of each name. */
function tally() {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return {
    of,
    add(name: string, more: number) {
      const count = of(name) + more;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    },
  };
}

const isOlder = (a: Entry, b: Entry): boolean => (a.since === b.since ? a.uid < b.uid : a.since < b.since);
const byAge = (a: Entry, b: Entry): number => (isOlder(a, b) ? -1 : 1);

/** Where it is in a line that is sorted, or would be. */
function indexIn(line: readonly Entry[], one: Entry): number {
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = line[middle];
    if (there !== undefined && there !== one && isOlder(there, one)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const isSameUse = (a: readonly Use[], b: readonly Use[]): boolean =>
  a.length === b.length && a.every(({ name }, at) => name === b[at]?.name);

/** The limit that holds one back, and the line in which it waits for that. */
function heldBy({ candidate, owner }: Entry, isCrowded: boolean, use: Use | undefined): [HeldBy, string] {
  if (isCrowded) return ["namespace", `namespace ${candidate.namespace}`];
  return use === undefined ? ["account", owner.name] : [use.scope, use.name];
}

/** Once every free slot is given away. */
interface Outcome {
  free: ReadonlyMap<string, Candidate>;
  totals: Readonly<Record<Origin, number>>;
  running(owner: Owner): number;
  isCrowded(one: Entry): boolean;
  busy(one: Entry): Use | undefined;
}

/** Of those that are held back. */
interface Places {
  of: Outcome;
  at: number;
  /** Of those that wait for the cluster. */
  positions: ReadonlyMap<string, number>;
  /** Of the others. */
  slots: ReadonlyMap<string, Slot>;
}

/** Of both kinds, in the order in which slots would go to them. */
function* merged<T>(lines: Record<Origin, readonly T[]>, running: Readonly<Record<Origin, number>>): Generator<T> {
  // Most installations have the one kind alone.
  if (lines.scheduled.length === 0) return yield* lines.asked;
  const counts = { ...running };
  const at = { asked: 0, scheduled: 0 };
  for (;;) {
    const origin = firstOf(counts).find((of) => at[of] < lines[of].length);
    const next = origin && lines[origin][at[origin]];
    if (origin === undefined || next === undefined) return;
    yield next;
    at[origin] += 1;
    counts[origin] += 1;
  }
}

export function createLines({ now = () => 0, keptFor = 0, ...line }: LinesOptions): Lines {
  const { limits, isTeam } = line;
  const most = {
    ...{ source: 0, target: 0, ...limits },
    // What is not reserved, one slot at least.
    shared: Math.max(limits.cluster - (limits.reserved ?? 0), 1),
  };
  const entries = new Map<string, Entry>();
  const owners = new Map<string, Owner>();
  const inNamespace = tally();
  const onServer = tally();
  const totals: Record<Origin, number> = { asked: 0, scheduled: 0 };
  /** Until something changes that counts. */
  let outcome: Outcome | undefined;
  let places: Places | undefined;

  function ownerFor(candidate: Candidate): Owner {
    const { name, isAccount } = ownerOf(candidate, isTeam);
    const found = owners.get(name) ?? { name, isAccount, running: 0, lines: { asked: [], scheduled: [] } };
    owners.set(name, found);
    return found;
  }

  function count({ candidate, owner, origin, uses }: Entry, more: 1 | -1): void {
    totals[origin] += more;
    owner.running += more;
    inNamespace.add(candidate.namespace, more);
    for (const { name } of uses) onServer.add(name, more);
  }

  function takeOut(one: Entry): void {
    entries.delete(one.uid);
    const { owner, origin } = one;
    const line = owner.lines[origin];
    if (one.runs) count(one, -1);
    else {
      const at = indexIn(line, one);
      line.splice(line[at] === one ? at : line.indexOf(one), 1);
    }
    if (owner.running === 0 && origins.every((of) => owner.lines[of].length === 0)) owners.delete(owner.name);
    outcome = undefined;
  }

  function put(candidate: Candidate, standing: Standing): void {
    const { uid } = candidate;
    const before = entries.get(uid);
    if (standing === undefined) {
      if (before !== undefined) takeOut(before);
      return;
    }
    const runs = standing === "runs";
    // What is no time waits behind all.
    const since = Number.isNaN(candidate.since) ? Number.POSITIVE_INFINITY : candidate.since;
    const origin = candidate.isScheduled ? "scheduled" : "asked";
    const uses = usesOf(candidate, line);
    if (before !== undefined) {
      const isSame =
        before.runs === runs &&
        before.origin === origin &&
        (runs || before.since === since) &&
        before.candidate.namespace === candidate.namespace &&
        before.owner.name === ownerOf(candidate, isTeam).name &&
        isSameUse(before.uses, uses);
      if (isSame) {
        before.candidate = candidate;
        return;
      }
      takeOut(before);
    }
    const one: Entry = { uid, candidate, owner: ownerFor(candidate), origin, uses, runs, since };
    entries.set(uid, one);
    if (runs) count(one, 1);
    else one.owner.lines[origin].splice(indexIn(one.owner.lines[origin], one), 0, one);
    outcome = undefined;
  }

  function reckon(): Outcome {
    const free = new Map<string, Candidate>();
    const given = { ...totals, owners: tally(), namespaces: tally(), servers: tally() };
    const all = () => given.asked + given.scheduled;
    const running = (owner: Owner) => owner.running + given.owners.of(owner.name);
    const isCrowded = ({ candidate: { namespace } }: Entry) =>
      inNamespace.of(namespace) + given.namespaces.of(namespace) >= limits.namespace;
    const busy = ({ uses }: Entry) =>
      uses.find(({ scope, name }) => onServer.of(name) + given.servers.of(name) >= most[scope]);
    /** Those of each line before this one are given a slot, or are held back, which ends for none of them here. */
    const heads = { asked: new Map<Owner, number>(), scheduled: new Map<Owner, number>() };
    const headOf = (owner: Owner, origin: Origin): Entry | undefined => {
      const line = owner.lines[origin];
      let at = heads[origin].get(owner) ?? 0;
      for (let head = line[at]; head !== undefined; head = line[++at])
        if (!isCrowded(head) && busy(head) === undefined) break;
      heads[origin].set(owner, at);
      return line[at];
    };
    const nextOf = (origin: Origin): Entry | undefined => {
      let best: Entry | undefined;
      for (const owner of owners.values()) {
        if (owner.lines[origin].length === 0 || (owner.isAccount && running(owner) >= limits.account)) continue;
        // A slot that is reserved goes to whom runs nothing.
        if (all() >= most.shared && running(owner) > 0) continue;
        const head = headOf(owner, origin);
        if (head === undefined) continue;
        const fewer = best === undefined ? -1 : running(owner) - running(best.owner);
        if (best === undefined || fewer < 0 || (fewer === 0 && isOlder(head, best))) best = head;
      }
      return best;
    };
    while (all() < limits.cluster) {
      const [first, second] = firstOf(given);
      const next = nextOf(first) ?? nextOf(second);
      if (next === undefined) break;
      const { uid, candidate, owner, origin, uses } = next;
      heads[origin].set(owner, (heads[origin].get(owner) ?? 0) + 1);
      given[origin] += 1;
      given.owners.add(owner.name, 1);
      given.namespaces.add(candidate.namespace, 1);
      for (const { name } of uses) given.servers.add(name, 1);
      free.set(uid, candidate);
    }
    return { free, totals: given, running, isCrowded, busy };
  }

  const present = (): Outcome => {
    outcome ??= reckon();
    return outcome;
  };

  /** Places of all that are held back: of ten thousand they take most of the time, and who starts does not depend on them. */
  function reckonPlaces(of: Outcome, at: number): Places {
    const { free, totals, running, isCrowded, busy } = of;
    // Who waits for the cluster is in the order in which slots would go to them: each owner's first, then each one's second.
    const inTurn: Record<Origin, { one: Entry; turn: number }[]> = { asked: [], scheduled: [] };
    const held: Entry[] = [];
    for (const owner of owners.values())
      for (const origin of origins) {
        let turn = running(owner);
        const isSpent = owner.isAccount && turn >= limits.account;
        for (const one of owner.lines[origin]) {
          if (free.has(one.uid)) continue;
          if (isSpent || isCrowded(one) || busy(one) !== undefined) held.push(one);
          else inTurn[origin].push({ one, turn: turn++ });
        }
      }
    // One owner's are in that order already.
    if (owners.size > 1)
      for (const origin of origins) inTurn[origin].sort((a, b) => a.turn - b.turn || byAge(a.one, b.one));
    const positions = new Map<string, number>();
    for (const { one } of merged(inTurn, totals)) positions.set(one.uid, positions.size + 1);
    const slots = new Map<string, Slot>();
    const lengths = new Map<string, number>();
    for (const one of held.sort(byAge)) {
      const [scope, name] = heldBy(one, isCrowded(one), busy(one));
      const position = (lengths.get(name) ?? 0) + 1;
      lengths.set(name, position);
      slots.set(one.uid, { free: false, position, scope, limit: most[scope] });
    }
    return { of, at, positions, slots };
  }

  function placeIn({ of: { totals }, positions, slots }: Places, uid: string): Slot | undefined {
    const position = positions.get(uid);
    if (position === undefined) return slots.get(uid);
    const scope = totals.asked + totals.scheduled < limits.cluster ? "shared" : "cluster";
    return { free: false, position, scope, limit: most[scope] };
  }

  return {
    put,
    remove(uid) {
      const found = entries.get(uid);
      if (found !== undefined) takeOut(found);
    },
    free: () => present().free,
    slotOf(uid) {
      const found = entries.get(uid);
      const of = present();
      if (found === undefined || found.runs || of.free.has(uid)) return { free: true };
      const isRecent = places !== undefined && (places.of === of || now() - places.at < keptFor);
      const known = places && isRecent ? placeIn(places, uid) : undefined;
      if (known !== undefined) return known;
      places = reckonPlaces(of, now());
      return placeIn(places, uid) ?? { free: true };
    },
  };
}
