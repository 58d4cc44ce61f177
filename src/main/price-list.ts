import { priceListSchema } from "../billing/prices.ts";
import { json } from "./settings.ts";

/** The setting of the prices, which API and operator both have. */
export const priceList = json(priceListSchema, '{"minimum":5,"steps":[{"transfer":1,"conversion":2}]}');
