import { blank } from "../state/blank.ts";
import { invalid } from "../state/errors.ts";
import type { Price, Product } from "../state/types.ts";
import type { World } from "../state/world.ts";

/** A price that the account's owner made in the dashboard. */
export interface GivenPrice {
  id: string;
  product: string;
  /** The product's name, which people see. */
  name: string;
  currency: string;
  unit_amount: number;
  /** Absent: paid once. */
  interval?: "day" | "week" | "month" | "year";
}

/** `price_data` of a line item. */
export interface PriceData {
  currency: string;
  unit_amount: number;
  product?: string;
  product_data?: { name: string; description?: string };
  recurring?: { interval: "day" | "week" | "month" | "year"; interval_count?: number };
}

export const givePrice = (world: World, given: GivenPrice): Price => {
  const { id, product, name, currency, unit_amount, interval } = given;
  if (world.find(product) === undefined) createProduct(world, product, name, null);
  return createPrice(world, id, product, { currency, unit_amount, ...(interval ? { recurring: { interval } } : {}) });
};

export const priceById = (world: World, id: string, param: string): Price => world.get<Price>("price", id, param);

/** The price, and its product, that a line item describes itself. */
export const adHocPrice = (world: World, data: PriceData, param: string): Price => {
  const { product, product_data } = data;
  if ((product === undefined) === (product_data === undefined)) {
    throw invalid("You must specify either `product` or `product_data` when creating a price.", { param });
  }
  if (product !== undefined) world.get<Product>("product", product, `${param}[product]`);
  const id =
    product ??
    createProduct(world, world.newId("prod"), product_data?.name ?? "", product_data?.description ?? null).id;
  return createPrice(world, world.newId("price"), id, data);
};

const createProduct = (world: World, id: string, name: string, description: string | null): Product =>
  world.create({
    ...blank.product,
    id,
    object: "product",
    created: world.now(),
    description,
    name,
    updated: world.now(),
  });

const createPrice = (
  world: World,
  id: string,
  product: string,
  { currency, unit_amount, recurring }: Pick<PriceData, "currency" | "unit_amount" | "recurring">,
): Price =>
  world.create({
    ...blank.price,
    id,
    object: "price",
    created: world.now(),
    currency: currency.toLowerCase(),
    product,
    recurring:
      recurring === undefined
        ? null
        : {
            interval: recurring.interval,
            interval_count: recurring.interval_count ?? 1,
            meter: null,
            usage_type: "licensed",
          },
    type: recurring === undefined ? "one_time" : "recurring",
    unit_amount,
    unit_amount_decimal: String(unit_amount),
  });
