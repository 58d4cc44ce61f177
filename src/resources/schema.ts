import * as z from "zod";
import { conditionSchema } from "./conditions.ts";

/** Parts that the schemas of several kinds have in common. */

/** Rules of CEL for the API server, each with the sentence that tells the fix. */
export const rules = (...pairs: (readonly [rule: string, message: string])[]) => ({
  "x-kubernetes-validations": pairs.map(([rule, message]) => ({ rule, message })),
});

/** Of two fields. */
export const exactlyOne = (
  what: string,
  one: string,
  other: string,
  fix: string,
): readonly [rule: string, message: string] => [
  `has(self.${one}) != has(self.${other})`,
  `name the ${what} in exactly one way: ${fix}`,
];

/** Of a number of the spec. */
export const onlyRaised = (field: string, why: string): readonly [rule: string, message: string] => [
  `self.${field} >= oldSelf.${field}`,
  `${field} can only be raised: set it to a number above the present one to ${why}`,
];

/** The items of a list are told apart by this field. */
export const listBy = (key: string) => ({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key] });

/** CEL, of the whole object: a field of the spec is as it was, or absent as it was. */
export const unchanged = (field: string): string =>
  `has(self.spec.${field}) == has(oldSelf.spec.${field}) && (!has(self.spec.${field}) || self.spec.${field} == oldSelf.spec.${field})`;

export const when = (what: string) => z.iso.datetime().describe(what);
export const count = (what: string) => z.int().min(0).describe(what);

/** `unknown`: whether the total may be 0 because nobody knows it. */
export const doneOfTotal = (what: string, unknown = "") =>
  z
    .object({ done: count("Done so far."), total: count(`Expected; an estimate until all is done${unknown}.`) })
    .describe(what);

export const conditions = (what: string, most = 16) =>
  z.array(conditionSchema).max(most).optional().describe(what).meta(listBy("type"));

export const jobRef = (what: string) =>
  z
    .object({ name: z.string().describe("Its name."), uid: z.string().describe("Its uid.") })
    .optional()
    .describe(what);

export const queuePosition = (whose: string) =>
  z
    .int()
    .min(1)
    .optional()
    .describe(
      `Place in the queue while a concurrency limit holds ${whose} back; beyond 50 it is rounded up, to 100, 200, 500 and so on.`,
    );

/** The texts of kubectl's columns that every kind with a Job has. */
export const columnTexts = {
  size: z.string().optional().describe("Size of the source."),
  progress: z.string().optional().describe("Percent and phase."),
};
