import { listOf } from "../objects/lists.ts";
import { itemsOf } from "../objects/sessions.ts";
import { invalid } from "../state/errors.ts";
import type { Refund, Thing } from "../state/types.ts";
import type { World } from "../state/world.ts";

/** Fields that `expand[]` may name, by object, and the object that is in each. */
const expandable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "checkout.session": {
    customer: "customer",
    invoice: "invoice",
    line_items: "item",
    payment_intent: "payment_intent",
    subscription: "subscription",
  },
  charge: { customer: "customer", payment_intent: "payment_intent", refunds: "refund" },
  dispute: { charge: "charge", payment_intent: "payment_intent" },
  invoice: { customer: "customer" },
  item: { price: "price" },
  payment_intent: { customer: "customer", latest_charge: "charge", payment_method: "payment_method" },
  price: { product: "product" },
  refund: { charge: "charge", payment_intent: "payment_intent" },
  subscription: { customer: "customer", items: "subscription_item", latest_invoice: "invoice" },
  subscription_item: { price: "price" },
};
const deepest = 4;

/** Errors: Stripe's, if a path names no field that can be expanded. `object` is what the operation answers. */
export const checkExpand = (paths: readonly string[], object: string, list: boolean): void => {
  for (const path of paths) {
    const names = path.split(".");
    if (names.length > deepest) {
      throw invalid(`You cannot expand more than ${deepest} levels of a property. Property: ${path}`, {
        param: "expand",
      });
    }
    let kind: string | undefined = object;
    for (const [index, name] of names.entries()) {
      if (name === "data" && (index > 0 || list)) continue;
      kind = index === 0 && list ? undefined : expandable[kind ?? ""]?.[name];
      if (kind === undefined) {
        const hint = list && index === 0 ? ` You may want to try expanding 'data.${name}' instead.` : "";
        throw invalid(`This property cannot be expanded (${path}).${hint}`, { param: "expand" });
      }
    }
  }
};

/** The answer with the named fields in full. */
export const expand = (world: World, answer: unknown, paths: readonly string[]): unknown =>
  paths.reduce((value, path) => follow(world, value, path.split(".")), answer);

const follow = (world: World, value: unknown, [name, ...rest]: string[]): unknown => {
  if (name === undefined || value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => follow(world, item, [name, ...rest]));
  const thing = value as Thing;
  if (name === "data") return { ...thing, data: follow(world, thing["data"], rest) };
  const inside = full(world, thing, name);
  return { ...thing, [name]: follow(world, inside, rest) };
};

const full = (world: World, thing: Thing, name: string): unknown => {
  if (thing.object === "checkout.session" && name === "line_items") {
    return thing[name] ?? listOf(`/v1/checkout/sessions/${thing.id}/line_items`, itemsOf(world, thing.id));
  }
  if (thing.object === "charge" && name === "refunds") {
    const own = world.all<Refund>("refund").filter(({ charge }) => charge === thing.id);
    return thing[name] ?? listOf(`/v1/charges/${thing.id}/refunds`, own.reverse());
  }
  const value = thing[name];
  return typeof value === "string" ? (world.find(value) ?? value) : value;
};
