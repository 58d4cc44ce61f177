import type { NamedMigration } from "../../billing/claim.ts";
import { alreadyExists, kinds } from "../../cluster/index.ts";
import { sealFields } from "../../guard/envelope.ts";
import { forMigration } from "../../guard/sealed-for.ts";
import { labels } from "../../resources/group.ts";
import type { Migration } from "../../resources/migration.ts";
import { type PaymentSpec, paymentFinalizer } from "../../resources/payment.ts";
import { giveBackFree } from "../billing/give-back.ts";
import { closeUnused } from "../billing/page.ts";
import { estimateRefused, paymentFor } from "../billing/payment.ts";
import { checkUnpaid } from "../billing/unpaid.ts";
import { bytesOf, underCeilings } from "../ceilings.ts";
import { Problem } from "../errors.ts";
import type { ProbeCaller } from "../prober.ts";
import { refusalOf } from "../refusal.ts";
import type { Caller, World } from "../world.ts";
import { linkOf } from "./checkout.ts";
import { type QuoteRefusal, quoteMark, type ReadQuote, readQuote } from "./keys/estimate-token.ts";
import { bodyDigest, nameOfMade } from "./keys/idempotency.ts";
import { whenReady } from "./namespace.ts";
import { measuredSize } from "./probe/estimate.ts";
import { refuseTooLong } from "./too-long.ts";
import { marks } from "./view/marks.ts";
import { placesMark, serversMark, urlDigest } from "./view/places.ts";
import { type Created, type CreateInput, givenOptionsSchema } from "./view/shapes.ts";
import { justMade } from "./view/shown.ts";
import { type CheckedPair, checkPair } from "./view/urls.ts";
import { untilCached } from "./view/wait-for-cache.ts";

interface CreatedBy {
  idempotencyKey?: string;
  asked: ProbeCaller;
  /** A create whose source must be measured counts as probe too. */
  spend(tier: "probe"): Promise<void>;
  /** Refuse an estimate of a preflight with other options: a model may have forgotten those that its user agreed to. */
  asPreviewed?: boolean;
}

/**
 * Makes a Migration in the acting team's namespace; it answers from what it wrote. With a key, a repeat of the same body gets the same
 * object and the same answer, on every replica. Throws Problem `url_refused`, `invalid`, `estimate_refused`, `idempotency_key_reused`,
 * `limit_reached`, `state_conflict`, `unavailable`.
 */
export async function create(
  world: World,
  caller: Caller,
  input: CreateInput,
  { idempotencyKey, ...by }: CreatedBy,
): Promise<Created> {
  const digest = bodyDigest(world.secret, input);
  const name = nameOfMade(world, caller, "/api/migrations", idempotencyKey);
  if (idempotencyKey !== undefined) {
    const namespace = caller.team.status?.namespace;
    const before = namespace === undefined ? undefined : await world.client.get(kinds.migrations, namespace, name);
    if (before !== undefined) return repeated(world, before, digest);
  }
  const adds = { migrations: 1, waiting: 1, bytes: bytesOf(input) };
  return underCeilings(world, caller, adds, () =>
    createNew(world, caller, input, { name, digest, idempotencyKey, ...by }),
  );
}

async function createNew(
  world: World,
  caller: Caller,
  input: CreateInput,
  {
    name,
    digest,
    idempotencyKey,
    ...by
  }: Omit<CreatedBy, "idempotencyKey"> & {
    name: string;
    digest: string;
    idempotencyKey: string | undefined;
  },
): Promise<Created> {
  const pair = checkPair(input, world.settings.guard);
  const quote = quoteOf(world, caller, pair, {
    token: input.estimate_id,
    ...(by.asPreviewed === true ? { options: givenOptionsSchema.parse(input.options ?? {}) } : {}),
  });
  const measure = async (): Promise<number> => {
    await by.spend("probe");
    return measuredSize(world, caller, input, by.asked);
  };
  const made = await whenReady(world, caller, async (namespace) => {
    const payment = await paymentFor(world, caller, {
      ...{ namespace, name, type: pair.type, measure },
      ...(quote === undefined ? {} : { quote }),
    });
    try {
      const object = await draft(world, {
        ...(payment === undefined ? {} : { payment }),
        namespace,
        name,
        digest,
        pair,
        input,
        account: caller.account.metadata.name,
        quote,
      });
      return await kept(world, await world.client.create(kinds.migrations, object));
    } catch (error) {
      const isRepeat = idempotencyKey !== undefined && alreadyExists(error);
      const before = isRepeat ? await world.client.get(kinds.migrations, namespace, name) : undefined;
      await closeUnused(world, payment, before?.spec.payment);
      if (before === undefined) await giveBackUnmade(world, payment, { namespace, name });
      if (!isRepeat) throw refusalOf(error, "migrations", "The options are refused");
      if (before === undefined) throw wasDeleted();
      return before;
    }
  });
  const { namespace, uid } = made.metadata;
  await untilCached(world, () => world.caches.migrations.get(namespace, name)?.metadata.uid === uid);
  return repeated(world, made, digest);
}

/** A create that failed, or whose answer was lost: what is there keeps its free migration. Never rejects. */
async function giveBackUnmade(world: World, payment: PaymentSpec | undefined, named: NamedMigration): Promise<void> {
  if (payment?.by !== "free") return;
  try {
    if ((await world.client.get(kinds.migrations, named.namespace, named.name)) !== undefined) return;
  } catch {
    // Nobody knows whether it was made: it is nobody's in ten minutes if not.
    return;
  }
  await giveBackFree(world, payment, named);
}

/** Many creates at once may have passed the limit together: what is beyond it is removed again. */
async function kept(world: World, made: Migration): Promise<Migration> {
  const { payment } = made.spec;
  if (payment?.by !== "hold") return made;
  try {
    await checkUnpaid(world, payment.account, 0);
    return made;
  } catch (error) {
    const { namespace, name, uid } = made.metadata;
    await world.client.remove(kinds.migrations, namespace, name, uid);
    throw error;
  }
}

const wasDeleted = () =>
  new Problem("state_conflict", "The migration that this Idempotency-Key made was deleted: use another key.");

/** The same answer for the first request and each repeat: nothing in it changes with time. */
function repeated(world: World, made: Migration, digest: string): Created {
  if (made.metadata.annotations?.[marks.body] !== digest)
    throw new Problem(
      "idempotency_key_reused",
      "This Idempotency-Key was used for a create with another body: use a new key for another migration.",
    );
  if (made.metadata.deletionTimestamp !== undefined) throw wasDeleted();
  const migration = justMade(made, world.settings.currency);
  const { payment } = made.spec;
  if (payment?.by === "hold" && payment.checkout !== undefined)
    return {
      message: "The migration awaits payment. Open `checkout_url` and authorize the payment. The run then starts.",
      migration,
      ...linkOf(payment),
    };
  return {
    message: "The migration has started: poll it until its status is completed or failed.",
    migration,
    covered_by_plan: true,
    ...(payment?.by === "free" ? { free: true } : {}),
  };
}

const refusals: Record<QuoteRefusal, string> = {
  altered: "is invalid or was modified",
  expired: "has expired",
  foreign: "was given to another account",
  mismatched: "is for other URLs",
  replanned: "is of a preview with other options",
};

/** What the caller was shown, if anything. Throws Problem `estimate_refused`. */
function quoteOf(
  world: World,
  { account }: Caller,
  { source, target }: CheckedPair,
  { token, ...options }: { token: string | undefined; options?: object },
): ReadQuote | undefined {
  if (token === undefined) return undefined;
  const of = { account: account.metadata.name, source: source.canonical, target: target.canonical, ...options };
  const read = readQuote(world.secret, token, of, world.now());
  if ("quote" in read) return read.quote;
  // Only of a model's call: it named the options to its user.
  const fix = read.refused === "replanned" ? "pass the `options` of that preview, or preview again" : undefined;
  throw estimateRefused(refusals[read.refused], fix);
}

/** What the API server fills in is left out. */
interface NewMigration {
  metadata: Pick<Migration["metadata"], "name" | "namespace" | "labels" | "annotations" | "finalizers">;
  spec: Migration["spec"];
}

interface Draft {
  namespace: string;
  name: string;
  digest: string;
  pair: CheckedPair;
  input: CreateInput;
  account: string;
  quote: ReadQuote | undefined;
  payment?: PaymentSpec;
}

async function draft(world: World, of: Draft): Promise<Migration> {
  const { namespace, name, digest, pair, input, account, quote, payment } = of;
  const spec = {
    source: {},
    target: {},
    ...(input.options === undefined ? {} : { options: input.options }),
    ...(payment === undefined ? {} : { payment }),
    ...(input.keep_urls_days === undefined ? {} : { urlsKeptDays: input.keep_urls_days }),
    attempt: 1,
    reset: 0,
  };
  const urls = { source: input.source_url.trim(), target: input.target_url.trim() };
  const sealed = await sealFields(await world.sealingKey(), forMigration({ namespace, name }, spec), urls, world.now());
  const object: NewMigration = {
    metadata: {
      name,
      namespace,
      // By it the operator shares the slots of runs among those who ask for them.
      labels: { [labels.account]: account },
      annotations: {
        [marks.createdAt]: world.now().toISOString(),
        [marks.type]: pair.type,
        [marks.body]: digest,
        ...serversMark(world.secret, pair),
        ...placesMark({ source: urlDigest(world.secret, pair.source), target: urlDigest(world.secret, pair.target) }),
        ...(input.name === undefined ? {} : { [marks.name]: input.name }),
        ...(quote === undefined ? {} : quoteMark(quote)),
      },
      // Until nothing of it is open at Stripe any more: the operator takes it off.
      ...(payment?.checkout === undefined ? {} : { finalizers: [paymentFinalizer] }),
    },
    spec: { ...spec, source: { sealedUrl: sealed.source }, target: { sealedUrl: sealed.target } },
  };
  refuseTooLong(object);
  return object as Migration;
}
