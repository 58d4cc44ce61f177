import { blank } from "../state/blank.ts";
import type { Customer, Metadata } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { withMetadata } from "./metadata.ts";

/** Parameters of create and update. */
export interface CustomerParams {
  email?: string;
  name?: string;
  description?: string;
  metadata?: Metadata;
}

export const createCustomer = (world: World, { metadata, ...fields }: CustomerParams): Customer => {
  const customer: Customer = world.create({
    ...blank.customer,
    id: world.newId("cus"),
    object: "customer",
    created: world.now(),
    invoice_prefix: world.newId("P").slice(2, 10).toUpperCase(),
    email: null,
    name: null,
    ...emptyIsNull(fields),
    metadata: withMetadata({}, metadata),
  });
  world.emit("customer.created", customer);
  return customer;
};

export const updateCustomer = (world: World, id: string, { metadata, ...fields }: CustomerParams): Customer => {
  const before = world.get<Customer>("customer", id, "id");
  const after = world.change(before, {
    ...emptyIsNull(fields),
    metadata: withMetadata(before.metadata, metadata),
  });
  world.emit("customer.updated", after);
  return after;
};

export const deleteCustomer = (world: World, id: string) => {
  const customer = world.get<Customer>("customer", id, "id");
  world.remove(customer);
  world.emit("customer.deleted", customer);
  return { id, object: "customer", deleted: true };
};

const emptyIsNull = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === "" ? null : value]));
