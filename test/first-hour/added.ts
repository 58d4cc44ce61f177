/** What is in the second list and not in the first; what is there twice must have been there twice. */
export const added = (before: readonly string[], after: readonly string[]): string[] => {
  const rest = [...before];
  return after.filter((one) => {
    const at = rest.indexOf(one);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
};
