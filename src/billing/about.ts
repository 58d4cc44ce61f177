import * as z from "zod";

/** The Migration that a checkout at Stripe belongs to, as its metadata names it. */
export interface About {
  /** `createInstallation` of src/main/payments.ts. */
  installation: string;
  namespace: string;
  name: string;
  /** Which checkout of the Migration it is, from 1. */
  checkout: number;
}

const metadataSchema = z.object({
  installation: z.string().max(255),
  namespace: z.string().max(63),
  migration: z.string().max(253),
  checkout: z.coerce.number().int().min(1),
});

export const metadataOf = ({ installation, namespace, name, checkout }: About): Record<string, string> => ({
  ...{ installation, namespace, migration: name, checkout: String(checkout) },
});

/** Undefined if the metadata is not Rowferry's. */
export function aboutOf(metadata: unknown): About | undefined {
  const read = metadataSchema.safeParse(metadata);
  if (!read.success) return undefined;
  const { installation, namespace, migration, checkout } = read.data;
  return { installation, namespace, name: migration, checkout };
}
