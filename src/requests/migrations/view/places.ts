import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { CheckedUrl } from "../../../guard/check.ts";
import { serversAnnotation } from "../../../resources/group.ts";
import type { Migration } from "../../../resources/migration.ts";
import { asJson } from "../../as-json.ts";
import { signature } from "../../keys.ts";
import { marks } from "./marks.ts";

/**
 * Which databases the URLs of a Migration name, as an annotation of it: the API seals the URLs and cannot read them again, but has to know
 * whether another URL names the same database. User, password and TLS do not count.
 */

/** Keyed digests. */
const placesSchema = z.object({ source: z.string(), target: z.string() });
type Places = z.output<typeof placesSchema>;

type Named = Pick<CheckedUrl["endpoint"], "engine" | "host" | "port" | "database">;

const nameOf = ({ engine, host, port, database }: Named): string[] => [
  engine,
  host.toLowerCase().replace(/\.$/, ""),
  String(port),
  database,
];

/** Whether both are written as one database. */
export const isSameUrl = (a: Named, b: Named): boolean => isDeepStrictEqual(nameOf(a), nameOf(b));

/** The same text for each way to write the same database, whatever the user, the password and TLS. */
export const urlDigest = (
  secret: Uint8Array,
  { endpoint }: CheckedUrl,
  purpose: "url-place" | "database" = "url-place",
): string =>
  signature(secret, purpose, ...nameOf(endpoint))
    .subarray(0, 16)
    .toString("base64url");

/** A keyed digest of host and port, by which the operator limits the runs of one server without its name being read anywhere. */
const serverOf = (secret: Uint8Array, { endpoint: { host, port } }: CheckedUrl): string =>
  signature(secret, "url-server", host.toLowerCase().replace(/\.$/, ""), String(port))
    .subarray(0, 16)
    .toString("base64url");

export const serversMark = (
  secret: Uint8Array,
  { source, target }: { source: CheckedUrl; target: CheckedUrl },
): Record<string, string> => ({
  [serversAnnotation]: JSON.stringify({ source: serverOf(secret, source), target: serverOf(secret, target) }),
});

export const placesMark = (places: Places): Record<string, string> => ({ [marks.places]: JSON.stringify(places) });

/** Undefined for a Migration of an earlier version, or one that `kubectl` made. */
export function urlDigests({ metadata }: Pick<Migration, "metadata">): Places | undefined {
  const text = metadata.annotations?.[marks.places];
  return text === undefined ? undefined : placesSchema.safeParse(asJson(text)).data;
}
