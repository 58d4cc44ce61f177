import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import type { S3Server } from "../../dev/s3/index.ts";

/** Names of the objects that begin so, by the S3 protocol. */
export async function objectsIn(s3: S3Server, prefix: string): Promise<string[]> {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = s3;
  const client = new S3Client({
    ...{ endpoint, region, forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" },
    credentials: { accessKeyId, secretAccessKey },
  });
  try {
    const found = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
    return (found.Contents ?? []).map(({ Key = "" }) => Key);
  } finally {
    client.destroy();
  }
}
