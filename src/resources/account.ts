import { z } from "zod";
import type { Metadata } from "./metadata.ts";

/**
 * The Account kind (cluster-wide): a person, named by a hash of the e-mail address, which makes an address unique. The password's hash
 * is in a Secret of the installation's namespace. The API writes it; it stands in no aggregated role.
 */
export const accountSpecSchema = z.object({
  email: z.string().min(3).max(254).describe("As the person wrote it; its hash, of the lower-case form, is the name."),
  plan: z.enum(["free", "pro"]).default("free").describe("What is paid for."),
  actingTeam: z.string().min(1).max(63).describe("Name of the Team whose resources the person's calls see and change."),
});

export interface Account {
  apiVersion?: string;
  kind?: string;
  metadata: Metadata;
  spec: z.output<typeof accountSpecSchema>;
}
