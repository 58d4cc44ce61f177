/** The first `limit` of a list, and how many more there are: `a, b and 3 more`. */
export const shortList = (list: readonly string[], limit: number, separator = ", "): string =>
  `${list.slice(0, limit).join(separator)}${list.length > limit ? ` and ${list.length - limit} more` : ""}`;
