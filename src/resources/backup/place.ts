import * as z from "zod";
import { objectName } from "../database.ts";
import { exactlyOne, rules } from "../schema.ts";
import { bucketName, bucketWords, prefixWords, regionName, regionWords, segments } from "./object-names.ts";

/** Where a backup is kept and for whom it is encrypted: shared by BackupSchedule and BackupRun. */

export const bucketSchema = z
  .object({
    endpoint: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe("URL of the S3 server, as https://s3.example.com. Default: AWS's own for the region."),
    region: z.string().min(1).max(64).default("us-east-1").describe("Region of the bucket."),
    bucket: z.string().min(3).max(63).describe("Name of the bucket. It must exist."),
    prefix: z
      .string()
      .max(256)
      .optional()
      .describe("Beginning of the names of all objects, as `rowferry/shop`; without slashes at its ends."),
    ca: z.string().max(16_384).optional().describe("PEM of the CA that signed the endpoint's certificate, if private."),
    secretRef: z
      .object({ name: objectName("Name of a Secret in the same namespace.") })
      .optional()
      .describe("A Secret with the keys `accessKeyId`, `secretAccessKey` and, if there is one, `sessionToken`."),
    sealedCredentials: z
      .string()
      .min(1)
      .max(8192)
      .optional()
      .describe("The credentials sealed to the operator's public key; the API writes them."),
  })
  .describe("A bucket of an S3-compatible server.")
  .meta(
    rules(
      exactlyOne(
        "bucket's credentials",
        "secretRef",
        "sealedCredentials",
        "set secretRef (a Secret with accessKeyId and secretAccessKey) or sealedCredentials, and not both",
      ),
      [`self.bucket.matches('^${bucketName}$')`, `write bucket as ${bucketWords}`],
      [`self.region.matches('^${regionName}$')`, `write region as ${regionWords}`],
      [
        "!has(self.endpoint) || self.endpoint.matches('^https?://[^/@?#[:space:]]+/?$')",
        "write endpoint as https://host or https://host:port, without a user, a path or a query",
      ],
      [
        `!has(self.prefix) || self.prefix.matches('^(${segments})?$') && !self.prefix.contains('..')`,
        `write prefix as ${prefixWords}`,
      ],
    ),
  );

const volumeSchema = z
  .object({
    claimName: objectName("Name of a PersistentVolumeClaim in the same namespace."),
    path: z.string().max(256).default("").describe("Folder in the volume; default: its root."),
  })
  .describe("A volume.")
  .meta(
    rules([
      "!self.path.startsWith('/') && !self.path.contains('..')",
      "write path as a folder below the volume's root, without `..`",
    ]),
  );

export const storageSchema = z
  .object({ bucket: bucketSchema.optional(), volume: volumeSchema.optional() })
  .describe("Where backups are kept: exactly one of bucket and volume. Default: the installation's (backups.storage).")
  .meta(
    rules(
      exactlyOne(
        "storage",
        "bucket",
        "volume",
        "set bucket or volume, and not both; leave storage out for the installation's",
      ),
    ),
  );
/** As the API server stores it. */
export type BackupStorage = z.output<typeof storageSchema>;

/** age private keys. */
export const identitiesSchema = z.object({
  secretRef: z.object({
    name: objectName("Name of a Secret in the same namespace."),
    key: z.string().min(1).max(253).default("identities").describe("Key in the Secret."),
  }),
});

export const encryptionSchema = z
  .object({
    recipients: z
      .array(
        z
          .string()
          .max(2048)
          .meta(rules(["self.startsWith('age1')", "a recipient is an age public key: it begins with age1"])),
      )
      .min(1)
      .max(20)
      .describe("age public keys; each of them can open the backups.")
      .meta({ "x-kubernetes-list-type": "set" }),
    identities: identitiesSchema
      .optional()
      .describe(
        "A Secret with age private keys (AGE-SECRET-KEY-1…, one a line) that fit a recipient. Only pods that restore or verify mount it. Without it, backups for these recipients are restored with the command line.",
      ),
  })
  .describe("For whom backups are encrypted. Default: the installation's key ring.");
export type BackupEncryption = z.output<typeof encryptionSchema>;
