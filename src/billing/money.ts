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

/**
 * The least that Stripe charges, in the currency's smallest unit; 0 where its list has none. Source: docs.stripe.com/currencies, "Minimum and
 * maximum charge amounts".
 */
export const leastCharge = (currency: string): number => leastCharges[currency] ?? 0;
const leastCharges: Record<string, number> = {
  ...{ AED: 200, AUD: 50, BGN: 100, BRL: 50, CAD: 50, CHF: 50, CZK: 1500, DKK: 250, EUR: 50, GBP: 30, HKD: 400 },
  ...{ HUF: 17_500, INR: 50, JPY: 50, MXN: 1000, MYR: 200, NOK: 300, NZD: 50, PLN: 200, RON: 200, SEK: 300 },
  ...{ SGD: 50, THB: 1000, USD: 50 },
};

/** As the API shows it: units of the currency, as a number. `inUnits(1999, "USD")` is 19.99. */
export const inUnits = (smallest: number, currency: string): number => smallest / smallestIn(currency);

/** `19.99 USD`, with all decimals that the currency has. */
export const moneyText = (smallest: number, currency: string): string =>
  `${inUnits(smallest, currency).toFixed(Math.log10(smallestIn(currency)))} ${currency}`;
