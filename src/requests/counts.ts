/** How much of something each has of whom a name is known; whoever has none of it takes no memory. */
export interface Counts {
  of(name: string): number;
  change(name: string, by: number): void;
  /** How many have any. */
  names(): number;
}

export function createCounts(): Counts {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return {
    of,
    change(name, by) {
      const count = of(name) + by;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
    names: () => counts.size,
  };
}
