import { expect, test } from "vitest";
import type { Session } from "../driver/connection.ts";
import { otherMoney, refuseOtherMoney } from "./money.ts";

const american = { locale: "C", unit: "0000000000000064", text: "$1,234,567.00 -$1.00" };
const german = { locale: "de_DE", unit: "0000000000000064", text: "1.234.567,00 € -1,00 €" };
const japanese = { locale: "ja_JP", unit: "0000000000000001", text: "￥1,234,567 -￥1" };

test("locales by which amounts are written alike are one", () => {
  expect(otherMoney(american, { ...american, locale: "en_US" })).toBeUndefined();
});

test.each([
  [
    german,
    american,
    /as \$1,234,567\.00 -\$1\.00 \(lc_monetary C\), and the source as 1\.234\.567,00 € .*\(lc_monetary de_DE\): set/,
  ],
  [japanese, american, /with another number of decimal places: set/],
])("%o into %o is named", (ours, theirs, words) => {
  expect(otherMoney(ours, theirs)).toMatch(words);
});

test("they are refused only where a column is of money", async () => {
  const session = (used: boolean, form: object) =>
    ({ query: async (sql: string) => [sql.includes("AS used") ? { used } : form] }) as unknown as Session;
  await refuseOtherMoney(session(false, japanese), session(false, american));
  await expect(refuseOtherMoney(session(true, japanese), session(true, american))).rejects.toMatchObject({
    code: "schema_differs",
    message: expect.stringContaining("lc_monetary"),
  });
});
