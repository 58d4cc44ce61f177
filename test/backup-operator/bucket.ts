import { ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import type { S3Server } from "../../dev/s3/index.ts";

/** Names of the objects that begin so, by the S3 protocol. */
export const objectsIn = (s3: S3Server, prefix: string): Promise<string[]> =>
  asked(s3, async (client, Bucket) => {
    const found = await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix }));
    return (found.Contents ?? []).map(({ Key = "" }) => Key);
  });

/** Names of the objects whose upload was begun and not ended. */
export const uploadsIn = (s3: S3Server): Promise<string[]> =>
  asked(s3, async (client, Bucket) => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
    return Uploads.map(({ Key = "" }) => Key);
  });

async function asked<T>(s3: S3Server, work: (client: S3Client, bucket: string) => Promise<T>): Promise<T> {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = s3;
  const client = new S3Client({
    ...{ endpoint, region, forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" },
    credentials: { accessKeyId, secretAccessKey },
  });
  try {
    return await work(client, bucket);
  } finally {
    client.destroy();
  }
}
