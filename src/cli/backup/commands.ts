import type { Command } from "../flags/command.ts";
import { type Flag, list, on, text } from "../flags/index.ts";

/** The commands of backups on the own machine: their words and flags. */

/** Their flags, as they are read. */
export interface BackupFlags {
  recipient?: string[];
  "recipients-file"?: string[];
  "make-key"?: string;
  "replace-unfinished"?: boolean;
  checksums?: boolean;
  identity?: string[];
  "manifest-digest"?: string;
  "allow-not-empty"?: boolean;
  endpoint?: string;
  region?: string;
  "endpoint-ca"?: string;
}

/** Flags that other commands have too. */
interface Shared {
  sourcePassword: Flag;
  targetPassword: Flag;
  common: readonly Flag[];
}

const bucket: Flag[] = [
  text(
    "endpoint",
    "URL",
    "S3-compatible server of the bucket, as https://host:port. Default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or AWS itself.",
  ),
  text("region", "NAME", "Region of the bucket. Default: AWS_REGION, AWS_DEFAULT_REGION, or us-east-1."),
  text("endpoint-ca", "FILE", "File with the CA (PEM) that signed the endpoint's certificate."),
];
const bucketAbout =
  "The keys of a bucket are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if there is one, AWS_SESSION_TOKEN of the environment.";
const place = "a folder or a bucket such as s3://bucket/shop-monday";

export const backupCommands = ({ sourcePassword, targetPassword, common }: Shared): Command[] => [
  {
    name: "backup",
    words: ["SOURCE", "PLACE"],
    takes: `a database's URL, and ${place}`,
    summary: "Back up a database into a folder or a bucket, encrypted.",
    about: `Writes one consistent state of SOURCE, which is only read, into PLACE: a new folder, or s3://bucket/name. The archive is the one that the service writes. It is compressed by zstd and encrypted by age for the recipients. ${bucketAbout}`,
    options: ["jobs", "source-ca"],
    otherHelp: { jobs: "Number of tables that are read at the same time. Default: 2." },
    stopped:
      "This backup is not complete. Its files are removed; if the removal was interrupted, add --replace-unfinished.",
    more: [
      list(
        "recipient",
        "KEY",
        "age public key (age1…). Anyone with its private key can open the backup. May be given several times.",
      ),
      list(
        "recipients-file",
        "FILE",
        "File with age keys, one a line: public keys, or a key file of age-keygen. May be given several times.",
      ),
      text(
        "make-key",
        "FILE",
        "Make a key, write it to FILE, which must not exist, and encrypt for it. Keep FILE: without it, nobody can open the backup.",
      ),
      on(
        "checksums",
        "Also keep a checksum of each table's rows, which a restore compares. The server reads every row a second time.",
      ),
      on(
        "replace-unfinished",
        "Remove the parts that a backup left in PLACE which was not finished. A complete backup is never replaced.",
      ),
      ...bucket,
      sourcePassword,
      ...common,
    ],
    examples: [
      [
        "the first one, with a new key",
        "rowferry backup postgresql://reader@db1.example.com/shop /backups/shop-monday --make-key key.txt",
      ],
      [
        "each night, from a script",
        'ROWFERRY_SOURCE_PASSWORD=… rowferry backup mysql://reader@db1.example.com/shop "/backups/shop-$(date -u +%F)" --recipients-file key.txt --json',
      ],
      [
        "into a bucket",
        "rowferry backup mysql://reader@db1.example.com/shop s3://backups/shop/monday --endpoint https://s3.example.com --recipient age1…",
      ],
    ],
  },
  {
    name: "restore",
    words: ["PLACE", "TARGET"],
    takes: `${place}, and a database's URL`,
    summary: "Restore a backup into a new or an empty database, and verify it.",
    about: `Compares every part of the backup in PLACE with its manifest, restores it into TARGET, and compares rows and objects with the manifest. PLACE is the folder of one backup, of this command line or of the service. The engine has to be the backup's: copy the restored database to convert it. ${bucketAbout}`,
    options: ["jobs", "target-ca"],
    otherHelp: { jobs: "Number of parts, and of indexes, that are restored at the same time. Default: 2." },
    stopped: "TARGET keeps what was restored: empty it before you restore again.",
    more: [
      list("identity", "FILE", "Key file of age-keygen or of --make-key. May be given several times."),
      text(
        "manifest-digest",
        "DIGEST",
        "The manifest's digest (sha256:…), as the backup printed it. A manifest that was changed or put back is refused then.",
      ),
      on(
        "allow-not-empty",
        "Restore into a TARGET that has objects. They are listed, and stay as they are; a name that the backup has too is refused.",
      ),
      { ...on("yes", "Do not ask before a restore into a TARGET that has objects."), short: "y" },
      ...bucket,
      targetPassword,
      ...common,
    ],
    examples: [
      [
        "into an empty database",
        "rowferry restore /backups/shop-monday postgresql://shop@db2.example.com/shop --identity key.txt",
      ],
      [
        "a backup of the service",
        "rowferry restore s3://backups/team-a/nightly-202611240300.1b2c3d4e/5f6a7b8c-1111-4222-8333-944445555666 mysql://shop@db2.example.com/shop --identity key.txt",
      ],
    ],
  },
];
