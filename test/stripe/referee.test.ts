import { beforeAll, expect, inject, it } from "vitest";
import { startPair } from "./pair.ts";
import { ask } from "./recorder.ts";
import type { Exchange } from "./referee.ts";

/** The other tests mean something only if the referee finds what is wrong. */
let right: Exchange;

beforeAll(async () => {
  const pair = await startPair();
  const { lastResponse: _response, ...answer } = await pair.stripe.customers.create({ email: "a@rowferry.test" });
  await pair.close();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  right = { method: "POST", path: "/v1/customers", headers, body: "email=a@rowferry.test", status: 200, answer };
});

const judge = (change: Partial<Exchange>): Promise<string[]> =>
  ask(inject("referee"), "/exchange", { ...right, ...change });
const changed = (fields: object): object => JSON.parse(JSON.stringify({ ...(right.answer as object), ...fields }));

it("finds nothing in what is right", async () => {
  expect(await judge({})).toEqual([]);
});

it.each([
  ["a field is missing", { email: undefined }, "must have required property 'email'"],
  ["a field is not Stripe's", { odd: 1 }, "must NOT have additional properties"],
  ["a field has another type", { created: "now" }, "must be integer"],
  ["a word is not one of Stripe's", { tax_exempt: "maybe" }, "must be equal to one of the allowed values"],
  ["a part is wrong", { invoice_settings: { footer: 1 } }, "/invoice_settings"],
])("finds an answer wrong if %s", async (_case, fields, problem) => {
  expect((await judge({ answer: changed(fields) })).join("\n")).toContain(problem);
});

it("finds a request that stripe-mock refuses", async () => {
  expect((await judge({ body: "odd=1" })).join("\n")).toContain("stripe-mock refuses the request");
});

it("finds a path that Stripe does not have", async () => {
  expect((await judge({ path: "/v1/custom" })).join("\n")).toContain("is not an operation of Stripe's API");
});

it("finds an error that refuses what stripe-mock takes", async () => {
  const error = { code: "parameter_unknown", message: "Received unknown parameter: email", param: "email" };
  const answer = { error: { ...error, type: "invalid_request_error" } };
  expect((await judge({ status: 400, answer })).join("\n")).toContain("stripe-mock takes this request");
});

it("finds an error that is not of Stripe's shape", async () => {
  expect(await judge({ status: 400, answer: { error: { message: "no", type: "odd" } } })).not.toEqual([]);
});
