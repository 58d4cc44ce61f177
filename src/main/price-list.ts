import * as z from "zod";
import { priceListSchema } from "../billing/prices.ts";
import { json } from "./settings.ts";

/** ISO 4217, of the prices; API and operator have the same. */
export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .default("USD");

/** The setting of the prices, which API and operator both have. */
export const priceList = json(priceListSchema, '{"minimum":5,"steps":[{"transfer":1,"conversion":2}]}');

/** Stripe, as API and operator reach it. */
export const stripeSettings = {
  ROWFERRY_STRIPE_KEY_FILE: z
    .string()
    .optional()
    .describe("File with Stripe's restricted key; without it nothing is charged."),
  ROWFERRY_STRIPE_URL: z.url().optional().describe("Another counterpart than Stripe: a simulator."),
};
