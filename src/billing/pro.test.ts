import { expect, test } from "vitest";
import { proAmount, proPriceSchema } from "./pro.ts";
import { rightIn } from "./stripe-client.ts";

test.each([
  [49, "USD", 4900],
  [0.29, "USD", 29],
  [1.005, "USD", 100],
  [4900, "JPY", 4900],
  [4900.9, "JPY", 4900],
  [4.999, "KWD", 4990],
  [4.5, "ISK", 400],
])("%d %s is %d of the smallest unit", (amount, currency, smallest) => {
  expect(proAmount(amount, currency)).toBe(smallest);
});

test.each<[unknown, boolean]>([
  [{ price: "price_1Qx" }, true],
  [{ amount: 49, interval: "month" }, true],
  [{ price: "prod_1Qx" }, false],
  [{ amount: 49 }, false],
  [{ amount: 0, interval: "month" }, false],
  [{ price: "price_1", amount: 49, interval: "month" }, false],
])("the price %j is accepted: %s", (price, accepted) => {
  expect(proPriceSchema.safeParse(price).success).toBe(accepted);
});

test("of Stripe's message only the permission's name is kept", () => {
  const message =
    "The provided key 'rk_test_********abcd' does not have the required permissions for this endpoint on account 'acct_1'. Having the 'rak_customer_write' permission would allow this request to continue.";
  expect(rightIn(message)).toBe("rak_customer_write");
  expect(rightIn("The provided key 'rk_test_********abcd' is not allowed.")).toBeUndefined();
});
