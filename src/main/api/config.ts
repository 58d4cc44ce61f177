import * as z from "zod";
import { proPriceSchema } from "../../billing/pro.ts";
import { attempts } from "../../requests/accounts/attempts.ts";
import { handshakes, searches, tiers } from "../../requests/tiers.ts";
import { currency, priceList, stripeSettings } from "../price-list.ts";
import { reportSettings } from "../report-bucket.ts";
import { cidrs, flag, guardSettings, json, list, number, servingSettings, settingsReader } from "../settings.ts";
import { oidcSetting } from "./oidc.ts";

/** The API's settings: one environment variable each, read once at start. The chart sets them. */

const windowsSchema = z
  .array(
    z.strictObject({
      points: z.int().min(1),
      // A timer of Node holds no longer time than 24 days, and what is counted in memory is forgotten by one.
      seconds: z
        .int()
        .min(1)
        .max(86_400 * 24),
    }),
  )
  .min(1);
export const usualLimits = {
  ...tiers,
  handshake: handshakes,
  search: searches,
  credentials_account: [attempts.account],
  credentials_accountAndAddress: [attempts.accountAndAddress],
  credentials_address: [attempts.address],
  credentials_device: [attempts.device],
  credentials_passwordChange: [attempts.passwordChange],
  credentials_signUp: [attempts.signUp],
  credentials_signUpInAll: [attempts.signUpInAll],
};
type LimitName = keyof typeof usualLimits;
const limitNames = Object.keys(usualLimits) as LimitName[];

const ceiling = (fallback: number) => z.int().min(0).max(1_000_000).default(fallback);
const amounts = ({ migrations, teams, megabytes, waiting }: Record<string, number>) =>
  z
    .strictObject({
      migrations: ceiling(migrations ?? 0),
      teams: ceiling(teams ?? 0),
      megabytes: ceiling(megabytes ?? 0),
      waiting: ceiling(waiting ?? 0),
    })
    .transform(({ megabytes: given, ...rest }) => ({ ...rest, bytes: given * 2 ** 20 }));
const ofAccount = amounts({ migrations: 2000, teams: 20, megabytes: 128, waiting: 500 });
const ofInstallation = amounts({ migrations: 50_000, teams: 50_000, megabytes: 1024, waiting: 20_000 });
const ceilingsSchema = z.strictObject({
  account: ofAccount.prefault({}),
  installation: ofInstallation.prefault({}),
});

export const apiEnvironment = z.object({
  ROWFERRY_NAMESPACE: z.string().min(1).describe("The installation's namespace (downward API metadata.namespace)."),
  ROWFERRY_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .transform((text) => text.replace(/\/+$/, ""))
    .describe("Where users reach the API, without a slash at the end; a session's changes need its origin."),
  ROWFERRY_API_PORT: number(8443, 0, 65_535).describe("Port of REST; 0: a free one."),
  ROWFERRY_API_PLAIN_HTTP: flag(false).describe("Serves plain HTTP, behind something that ends TLS."),
  ROWFERRY_API_TLS: z
    .string()
    .default("/etc/rowferry/tls")
    .describe("Folder with tls.crt and tls.key that it serves, read again when they change."),
  ROWFERRY_API_CLIENT_TLS: z
    .string()
    .optional()
    .describe("Folder with tls.crt, tls.key and ca.crt, shown to the prober; without it, the one that it serves."),
  ROWFERRY_API_TLS_SECONDS: number(10, 1, 3600).describe("How often these files are looked at."),
  ROWFERRY_API_KEYS: z
    .string()
    .default("/etc/rowferry/keys/secret")
    .describe("File with the 32 random bytes that signing keys are derived from."),
  ROWFERRY_PROBER_URL: z.url({ protocol: /^https$/ }).describe("Where the prober is reached."),
  ROWFERRY_SIGN_UP: flag(false).describe("Whether anyone may sign up."),
  ROWFERRY_TOKENS_BY_TOKEN: flag(true).describe("Whether a token may create and revoke tokens."),
  ROWFERRY_OIDC: oidcSetting.describe(
    'JSON object of sign-in with OpenID Connect, such as {"issuer":"https://login.example.com","clientId":"rowferry"}; null: off.',
  ),
  ROWFERRY_OIDC_SECRET_FILE: z.string().optional().describe("File with the client secret for it."),
  ROWFERRY_BACKUPS: flag(false).describe("Whether the installation takes backups (backups.enabled)."),
  ROWFERRY_CURRENCY: currency.describe("Currency of amounts: three letters of ISO 4217."),
  ...stripeSettings,
  ROWFERRY_STRIPE_WEBHOOK_FILE: z
    .string()
    .optional()
    .describe("File with the secret that Stripe's events are signed with; without it they are not taken."),
  ROWFERRY_PRICES: priceList.describe("JSON object: what a run costs that is not covered."),
  ROWFERRY_PRO_PRICE: json(proPriceSchema.nullable(), "null").describe(
    'JSON object: price of Pro, {"price":"price_…"} or {"amount":49,"interval":"month"}; null: Pro is not offered.',
  ),
  ROWFERRY_MOST_UNPAID: number(20, 1, 1000).describe("Migrations of one account that may await payment."),
  ROWFERRY_CORS_ORIGINS: list.describe("Origins of foreign pages that may call with a token; none: CORS is off."),
  ROWFERRY_TRUSTED_PROXIES: cidrs.describe("CIDRs of proxies whose X-Forwarded-For is believed."),
  ...reportSettings,
  ...guardSettings,
  ROWFERRY_REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe("Redis that all replicas count calls in; without it each counts for itself, so there may be one only."),
  ROWFERRY_LIMITS: json(z.partialRecord(z.enum(limitNames), windowsSchema), "{}")
    .transform((set) => ({ ...usualLimits, ...set }) as Record<LimitName, { points: number; seconds: number }[]>)
    .describe('JSON object of limits that differ, such as {"read":[{"points":300,"seconds":60}]}.'),
  ROWFERRY_CEILINGS: json(ceilingsSchema, "{}").describe(
    'JSON object of ceilings that differ, such as {"account":{"migrations":2000}}; 0: none.',
  ),
  ROWFERRY_MOST_CONNECTIONS: number(2000, 1, 100_000).describe("Connections at the same time."),
  ROWFERRY_ANSWERS_MEGABYTES: number(48, 1, 4096).describe(
    "Memory for large responses until clients have read them, in MiB. One account gets at most a sixth of it.",
  ),
  ROWFERRY_MOST_CONNECTIONS_PER_ADDRESS: number(500, 0, 100_000).describe(
    "Limit of open connections of one address, or of one /64 of IPv6; trusted proxies do not count. 0: no limit.",
  ),
  ROWFERRY_MOST_STREAMS_IN_ALL: number(500, 1, 100_000).describe("Limit of open event streams of a replica."),
  ROWFERRY_MOST_STREAMS: number(10, 1, 1000).describe("Limit of open event streams of an account on a replica."),
  ROWFERRY_STREAM_RECHECK_SECONDS: number(30, 1, 300).describe("A stream's token is checked again after this time."),
  ROWFERRY_DRAIN_SECONDS: number(5, 0, 300).describe(
    "How long it still serves requests after the signal to stop, while it is no longer ready.",
  ),
  ROWFERRY_GRACE_SECONDS: number(20, 1, 300).describe("How long requests may then take to end."),
  ROWFERRY_RESYNC_SECONDS: number(300, 5, 3600).describe("Every cache is listed anew after this time."),
  ...servingSettings,
});

/** Reads the settings, or throws an Error that names each variable that is missing or wrong. */
export const readApiConfig = settingsReader("API", apiEnvironment);
