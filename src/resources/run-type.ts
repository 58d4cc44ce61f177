import { group } from "./group.ts";
import type { Migration } from "./migration.ts";

/** The annotation with the type that the URLs say. The API writes it. */
export const typeAnnotation = `${group}/type`;

/** The worker's word, or the URLs' before the worker reports one. Undefined: neither is known. */
export function runTypeOf({
  metadata,
  status,
}: {
  metadata: Pick<Migration["metadata"], "annotations">;
  status?: Pick<NonNullable<Migration["status"]>, "type"> | undefined;
}): "transfer" | "conversion" | undefined {
  if (status?.type !== undefined) return status.type;
  const marked = metadata.annotations?.[typeAnnotation];
  return marked === "transfer" || marked === "conversion" ? marked : undefined;
}
