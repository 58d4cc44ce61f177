/** How much of something each has of whom a name is known; whoever has none of it takes no memory. */
interface CountsByName {
  of(name: string): number;
  change(name: string, by: number): void;
  /** The most that one has. */
  most(): number;
  /** How many have any. */
  names(): number;
}

export function createCounts(): CountsByName {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return {
    of,
    change(name, by) {
      const count = of(name) + by;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
    most: () => [...counts.values()].reduce((most, count) => Math.max(most, count), 0),
    names: () => counts.size,
  };
}
