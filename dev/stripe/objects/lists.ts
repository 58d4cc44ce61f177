/** A list inside an object, or one page of a list, as Stripe shapes both. */
export const listOf = <T>(url: string, data: T[], hasMore = false) => ({
  object: "list" as const,
  data,
  has_more: hasMore,
  url,
});
