import { expect, test } from "vitest";
import { PaymentsError } from "./stripe-client.ts";
import { usedUp, withNextKey } from "./stripe-keys.ts";

test("the first key that gives an open page is taken", async () => {
  const asked: number[] = [];
  const page = await withNextKey(3, async (number) => {
    asked.push(number);
    if (number < 5) throw usedUp();
    return `page ${number}`;
  });
  expect(page).toBe("page 5");
  expect(asked).toEqual([3, 4, 5]);
});

test.each([
  ["a key after the other is used up", usedUp, 50],
  ["Stripe is down", () => new PaymentsError("unavailable", "down"), 1],
])("where %s, the error is told", async (_what, error, times) => {
  let asked = 0;
  const opened = withNextKey(0, async () => {
    asked += 1;
    throw error();
  });
  await expect(opened).rejects.toMatchObject({ message: error().message });
  expect(asked).toBe(times);
});
