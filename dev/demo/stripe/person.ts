/** Presses Authorize on a checkout page of the simulator, as a person in a browser would. Rejects if the page refuses. */
export async function authorizeAt(checkoutUrl: string): Promise<void> {
  const answer = await fetch(checkoutUrl, {
    method: "POST",
    body: new URLSearchParams({ action: "authorize" }),
    // The page sends the person back to Rowferry.
    redirect: "manual",
  });
  if (answer.status < 300 || answer.status >= 400)
    throw new Error(`The checkout page returned ${answer.status}: it does not take the payment`);
}
