import type { Migration } from "../../../resources/migration.ts";
import { present } from "../../../resources/present.ts";
import { attemptAnnotation } from "../../../resources/run.ts";
import { marks } from "./marks.ts";

/**
 * What the API's cache keeps of a Migration: the fields of lists as an object, and as text what else is shown of one, which takes a fifth of the
 * memory. Its URLs and CAs are not there, nor is anything that one alone makes large.
 */

/** `rest` is JSON of a `Rest` in UTF-8; absent where that is too large to be kept. */
export type Cached = Migration & { rest?: Uint8Array };

/** What lists do not show. */
interface Rest {
  options?: Omit<NonNullable<Migration["spec"]["options"]>, "source_ca" | "target_ca">;
  status?: Migration["status"];
}

/** Bytes; most are of some 1,500, and who names thousands of tables is read live. */
const longestRest = 4096;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** `room`: bytes that the cache still has for what lists do not show. */
export function trimmed({ apiVersion, kind, metadata, spec, status }: Migration, room = longestRest): Cached {
  const { name, namespace, uid, generation, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
  const own = [marks.createdAt, marks.type, marks.quote, marks.name, attemptAnnotation].flatMap((mark) => {
    const value = metadata.annotations?.[mark];
    return value === undefined ? [] : [[mark, value]];
  });
  const [listed, unlisted] = halves(status);
  const rest: Rest = { ...withoutCas(spec.options), ...(unlisted === undefined ? {} : { status: unlisted }) };
  const text = encoder.encode(JSON.stringify(rest));
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      generation,
      resourceVersion,
      creationTimestamp,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(own.length === 0 ? {} : { annotations: Object.fromEntries(own) }),
    },
    spec: { source: {}, target: {}, attempt: spec.attempt, reset: spec.reset, ...paymentOf(spec) },
    ...(listed === undefined ? {} : { status: listed }),
    ...(text.length > Math.min(longestRest, room) ? {} : { rest: text }),
  };
}

/** Without the link: a person pays at it. */
function paymentOf({ payment }: Migration["spec"]): Pick<Migration["spec"], "payment"> {
  if (payment === undefined) return {};
  const { checkout, ...terms } = payment;
  return { payment: { ...terms, ...(checkout === undefined ? {} : { checkout: { ...checkout, url: "" } }) } };
}

function withoutCas(given: Migration["spec"]["options"]): Pick<Rest, "options"> {
  if (given === undefined) return {};
  const { source_ca: _source, target_ca: _target, ...options } = given;
  return { options };
}

/** A status as lists show it, and what is left of it. */
function halves(status: Migration["status"]): [Migration["status"], Migration["status"]] {
  if (status === undefined) return [undefined, undefined];
  const { state, run, attempt, reset, type, size, cost, payment, observedGeneration, ...rest } = status;
  return [present({ state, run, attempt, reset, type, size, cost, payment, observedGeneration }), rest];
}

/** What all of a cache's Migrations may take beyond what lists show, in bytes: of 10,000 that are like most. */
const mostKept = 24 << 20;

/** The `trim` and `changed` of an informer, which together keep to `most` bytes; what is beyond it is read live. */
export function trimWithin(most = mostKept) {
  let used = 0;
  return {
    trim: (migration: Migration): Cached => trimmed(migration, most - used),
    changed(before: Cached | undefined, after: Cached | undefined): void {
      used += (after?.rest?.length ?? 0) - (before?.rest?.length ?? 0);
    },
  };
}

/** The Migration as far as it is ever shown; undefined where the cache does not have that much of it. */
export function untrimmed({ rest: text, ...listed }: Cached): Migration | undefined {
  if (text === undefined) return undefined;
  const { options, status } = JSON.parse(decoder.decode(text)) as Rest;
  return {
    ...listed,
    spec: { ...listed.spec, ...(options === undefined ? {} : { options }) },
    ...(listed.status === undefined ? {} : { status: { ...listed.status, ...status } }),
  };
}
