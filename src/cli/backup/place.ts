import { realpathSync, statSync } from "node:fs";
import { basename, dirname, resolve, sep } from "node:path";
import type { Storage, StorageCredentials, StorageSpec } from "../../backup/contract.ts";
import { checkName, isPartName } from "../../backup/names.ts";
import { clean } from "../../guard/text.ts";
import type { Parsed } from "../command.ts";
import { UsageError } from "../exit.ts";
import { readText } from "../flags/index.ts";
import type { CommandContext } from "../io.ts";
import type { BackupModule } from "./room.ts";

/** PLACE: the folder of one archive, on this machine or in a bucket. */

export interface ArchiveLocation {
  storage: Storage;
  /** The archive's folder inside the storage. */
  folder: string;
  /** For a person. */
  shown: string;
}

interface Named {
  spec: StorageSpec;
  credentials?: StorageCredentials;
  folder: string;
  shown: string;
}

/** Nothing is dialled yet. Errors: UsageError. */
export function openPlace(
  text: string,
  flags: Parsed["flags"],
  { io, redactor }: CommandContext,
  { storageOf }: Pick<BackupModule, "storageOf">,
): ArchiveLocation {
  const { spec, credentials, folder, shown } = /^s3:/i.test(text)
    ? inBucket(text, flags, io.env)
    : inFolder(text, flags);
  for (const secret of [credentials?.secretAccessKey, credentials?.sessionToken])
    if (secret !== undefined) redactor.learn(secret);
  return { storage: storageOf(spec, credentials), folder, shown };
}

const forms = "PLACE is the folder of one backup, such as /backups/shop-monday, or s3://bucket/name";
const nameRule = "letters, digits, ., - and _, and does not begin with a dot";

function inFolder(text: string, flags: Parsed["flags"]): Named {
  if (text.includes("://")) {
    const scheme = clean(text.slice(0, text.indexOf("://")), 20);
    const fix = /^https?$/i.test(scheme)
      ? "name the server of a bucket by --endpoint"
      : /^(mysql|mariadb|postgres|postgresql)$/i.test(scheme)
        ? "the database's URL is the other word"
        : `${scheme}:// is not supported`;
    throw new UsageError(`${forms}: ${fix}`);
  }
  for (const flag of ["endpoint", "region", "endpoint-ca"] as const)
    if (flags[flag] !== undefined) throw new UsageError(`--${flag} is for a PLACE in a bucket: s3://bucket/name`);
  const given = resolve(text);
  // A link is followed here: the storage follows none.
  const path = kindOf(given) === undefined ? given : realpathSync(given);
  if (kindOf(path) === "file")
    throw new UsageError(`${text} is a file: PLACE is the folder of one backup, which has its manifest and its parts`);
  if (kindOf(dirname(path)) !== "folder")
    throw new UsageError(`the folder ${dirname(path)} does not exist: create it, or mount the volume there; ${forms}`);
  if (!isPartName(basename(path)))
    throw new UsageError(
      `the last part of PLACE, ${JSON.stringify(basename(path))}, is not a valid name: it has ${nameRule}`,
    );
  return { spec: { folder: dirname(path) }, folder: basename(path), shown: path };
}

/** A new key does not lie beside what it opens, nor where a failed backup removes what it wrote. Errors: UsageError. */
export function refuseKeyInside(key: string | undefined, { shown }: Pick<ArchiveLocation, "shown">): void {
  if (key === undefined || kindOf(shown) !== "folder") return;
  const folder = dirname(resolve(key));
  if (kindOf(folder) === undefined) return;
  if (!`${realpathSync(folder)}${sep}`.startsWith(`${shown}${sep}`)) return;
  throw new UsageError(
    `the file ${key} of --make-key is inside of the backup that it opens: name a file outside of ${shown}, and keep it apart`,
  );
}

function kindOf(path: string): "file" | "folder" | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return found.isDirectory() ? "folder" : "file";
}

function inBucket(text: string, flags: Parsed["flags"], env: CommandContext["io"]["env"]): Named {
  const [bucket = "", ...segments] = text.replace(/^s3:\/\//i, "").split("/");
  while (segments.at(-1) === "") segments.pop();
  const key = segments.join("/");
  if (!/^s3:\/\/[^/]/i.test(text)) throw new UsageError(`${forms}: after s3: are two slashes and the bucket`);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,253}$/.test(bucket))
    throw new UsageError(
      `${JSON.stringify(clean(bucket, 100))} is not the name of a bucket, which has at least 2 letters, digits, ., - and _: ${forms}`,
    );
  if (key === "") throw new UsageError(`${forms}: the name of this backup is missing after the bucket`);
  try {
    checkName(key);
  } catch {
    throw new UsageError(
      `each part of PLACE's name ${JSON.stringify(key.slice(0, 100))} has ${nameRule}; there are at most 16`,
    );
  }
  const accessKeyId = env.AWS_ACCESS_KEY_ID;
  const secretAccessKey = env.AWS_SECRET_ACCESS_KEY;
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError("a bucket needs keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment");
  const sessionToken = env.AWS_SESSION_TOKEN || undefined;
  const endpoint = flags.endpoint ?? (env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || undefined);
  return {
    spec: {
      bucket: {
        bucket,
        endpoint,
        region: flags.region ?? (env.AWS_REGION || env.AWS_DEFAULT_REGION || "us-east-1"),
        prefix: segments.slice(0, -1).join("/"),
        ca: flags["endpoint-ca"] && readText("endpoint-ca", flags["endpoint-ca"]),
      },
    },
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    folder: segments.at(-1) ?? "",
    shown: `s3://${bucket}/${key}`,
  };
}
