/**
 * What a table of ours, or an option, has under a name that a database or a user gave; undefined where it has nothing. `constructor` and
 * `__proto__` are names like any other, which a plain lookup would find in every object.
 */
export const named = <T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
