import { type SealingKey, sealFields } from "../../src/guard/envelope.ts";
import { forMigration } from "../../src/guard/sealed-for.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import type { MigrationSpec } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import type { PlaneClient } from "./control-plane.ts";
import { home } from "./operator.ts";

/** What the operator has published to seal to. */
export async function publishedKey(plane: Pick<PlaneClient, "admin">): Promise<SealingKey> {
  const found = await plane.admin.client.get(kinds.configMaps, home, installed.publicKeys);
  return JSON.parse(found?.data?.["sealing.json"] ?? "") as SealingKey;
}

interface Sealed {
  namespace: string;
  name: string;
  /** URLs; what is left out is the Secret `source` or `target`. */
  source?: string;
  target?: string;
  options?: object;
  at?: Date;
}

/** The spec of a Migration with these URLs, sealed as the API seals them. */
export async function sealedSpec(key: SealingKey, { at = new Date(), options, ...of }: Sealed): Promise<MigrationSpec> {
  const secret = (name: string) => ({ secretRef: { name, key: "url" } });
  const spec = {
    source: of.source === undefined ? secret("source") : {},
    target: of.target === undefined ? secret("target") : {},
    ...(options === undefined ? {} : { options }),
  } as MigrationSpec;
  const urls = Object.fromEntries(
    (["source", "target"] as const).flatMap((side) => (of[side] === undefined ? [] : [[side, of[side]]])),
  );
  const sealed = await sealFields(key, forMigration(of, spec), urls, at);
  const fields = Object.entries(sealed).map(([side, sealedUrl]) => [side, { sealedUrl }]);
  return { ...spec, ...Object.fromEntries(fields) };
}
