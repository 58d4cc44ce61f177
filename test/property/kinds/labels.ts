import { asText, type Engine, type Kind, same } from "./index.ts";

/** Texts that tables are partitioned by. */

/** In the first two partitions of a list, in this order. */
export const labels = [
  ["a", "B", "m"],
  ["ß", "zz", "é", "Q"],
] as const;
/** Between ranges. */
export const limits = ["h", "t"] as const;

const swapped = (text: string): string => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase());

const labelled = (type: string, more: Partial<Kind> = {}): Kind => ({
  name: `label ${type}`,
  type,
  value: (random) => {
    const label = random.pick(labels.flat());
    // Not the sharp s, which has no other case of one letter.
    const text = more.folds === true && label !== "ß" && random.below(3) === 0 ? swapped(label) : label;
    return same(`'${text}'`, text);
  },
  read: { mysql: (column) => column, postgres: asText },
  ...more,
});

export const labelKinds: Record<Engine, readonly Kind[]> = {
  mysql: [
    labelled("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"),
    labelled("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", { folds: true }),
    labelled("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", { folds: true }),
    labelled("VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin"),
  ],
  postgres: [
    labelled("varchar(20)"),
    labelled('varchar(20) COLLATE "C"'),
    labelled('varchar(20) COLLATE "de-x-icu"'),
    labelled("varchar(20) COLLATE folding", {
      before: "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      folds: true,
    }),
  ],
};
