import { z } from "zod";
import { parseCidrs } from "../guard/policy.ts";

/** A setting of CIDRs, with commas between; none where it is left out. The error names the one that is wrong. */
export const cidrs = z
  .string()
  .default("")
  .transform((text, context) => {
    try {
      return parseCidrs(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "is not a list of CIDRs" });
      return z.NEVER;
    }
  });
