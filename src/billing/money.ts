/**
 * Money in Stripe's smallest unit: an integer, such as cents. Source of the two lists: docs.stripe.com/currencies, "Zero-decimal
 * currencies", "Three-decimal currencies" and "Special cases".
 */

const withoutCents = new Set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" "));
const withThousandths = new Set("BHD JOD KWD OMR TND".split(" "));
/** Stripe counts them in hundredths, and takes whole units alone. */
const wholeUnits = new Set(["ISK", "UGX"]);

/** How many of the smallest unit make one unit of the currency (ISO 4217, upper case). */
export const smallestIn = (currency: string): number =>
  withoutCents.has(currency) ? 1 : withThousandths.has(currency) ? 1000 : 100;

/** An amount is a multiple of so many of the smallest unit. */
export const smallestStep = (currency: string): number =>
  wholeUnits.has(currency) ? 100 : withThousandths.has(currency) ? 10 : 1;

/** As the API shows it: units of the currency, as a number. `inUnits(1999, "USD")` is 19.99. */
export const inUnits = (smallest: number, currency: string): number => smallest / smallestIn(currency);

/** `19.99 USD`, with all decimals that the currency has. */
export const inWords = (smallest: number, currency: string): string =>
  `${inUnits(smallest, currency).toFixed(Math.log10(smallestIn(currency)))} ${currency}`;
