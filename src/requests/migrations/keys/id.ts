/** The public id of an object: its name where that is a UUID, as the API names them, else the uid that Kubernetes gave it. */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isId = (text: string): boolean => uuid.test(text);

export const publicId = ({ metadata }: { metadata: { name: string; uid: string } }): string =>
  isId(metadata.name) ? metadata.name : metadata.uid;

/** A UUID of 16 bytes of which the version and variant bits are overwritten (RFC 9562). */
export function uuidOf(bytes: Uint8Array, version: 4 | 8): string {
  const own = Uint8Array.from(bytes.subarray(0, 16));
  own[6] = ((own[6] ?? 0) & 0x0f) | (version << 4);
  own[8] = ((own[8] ?? 0) & 0x3f) | 0x80;
  return Buffer.from(own)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
