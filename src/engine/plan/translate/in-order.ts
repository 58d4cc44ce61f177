/**
 * Plans what may stand on each other, each after what it stands on. `plan` is told the names that are not planned yet, and
 * answers `later` where it met one of them; it is asked again once others are planned. Answers those that wait in a circle.
 */
export function inOrder<Item extends { name: string }>(
  items: readonly Item[],
  plan: (item: Item, pending: ReadonlySet<string>) => "done" | "later",
): readonly Item[] {
  let left = items;
  for (let size = -1; size !== left.length; ) {
    size = left.length;
    const pending = new Set(left.map(({ name }) => name));
    left = left.filter((item) => {
      const later = plan(item, pending) === "later";
      if (!later) pending.delete(item.name);
      return later;
    });
  }
  return left;
}
