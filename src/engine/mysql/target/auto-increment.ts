/**
 * AUTO_INCREMENT stores a number of its own for each NULL, under any sql_mode. Why a column that takes NULL cannot be
 * copied into such a column; undefined where it can.
 */
export const numberedNulls = (
  source: { name: string; nullable: boolean },
  target: { auto: boolean },
): string | undefined =>
  target.auto && source.nullable
    ? `${source.name} takes NULL in the source, for which AUTO_INCREMENT would store new numbers: make it NOT NULL there, or remove AUTO_INCREMENT from the target's column`
    : undefined;
