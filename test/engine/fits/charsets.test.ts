import { expect, test } from "vitest";
import { hasGaps } from "../../../src/engine/plan/fits/charsets.ts";
import { flavours, useServers } from "../../support/engine/mysql-mysql-support.ts";

/** The servers' character sets against what the rules say of them. */

const servers = useServers();

test.each(flavours)("%s: every byte of the sets without gaps stands for a character", async (flavour) => {
  const { admin } = servers.of[flavour];
  const [sets] = await admin.query({
    sql: "SELECT CHARACTER_SET_NAME FROM information_schema.CHARACTER_SETS WHERE MAXLEN = 1",
    rowsAsArray: true,
  });
  const gaps: string[] = [];
  const whole: string[] = [];
  for (const [set = ""] of sets as unknown as string[][]) {
    if (set === "binary" || set === "ascii") continue;
    const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x3f);
    const list = bytes.map(
      (byte) => `CONVERT(CONVERT(0x${byte.toString(16).padStart(2, "0")} USING ${set}) USING utf8mb4)`,
    );
    const [[row = []] = []] = (await admin.query({
      sql: `SELECT ${list.join(", ")}`,
      rowsAsArray: true,
    })) as unknown as [string[][]];
    (row.some((character) => character === "?" || character === "\ufffd") ? gaps : whole).push(set);
  }
  expect(gaps).toContain("cp1251");
  expect({ gaps: gaps.filter((set) => !hasGaps(set)), whole: whole.filter(hasGaps) }).toEqual({ gaps: [], whole: [] });
});
