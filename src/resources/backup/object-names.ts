/**
 * Names of objects in a storage: segments of letters, digits, dots, dashes and underscores, joined by slashes. No segment
 * begins with a dot, so that no name leaves the storage's folder or meets a temporary file.
 */

export const segment = "[A-Za-z0-9_-][A-Za-z0-9._-]*";
export const segments = `${segment}(/${segment}){0,15}`;

export const bucketName = "[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]";
export const bucketWords = "the name of a bucket: 3 to 63 of a-z, 0-9, . and -";
export const regionName = "[a-z0-9-]{1,64}";
export const regionWords = "a region, as eu-central-1";

/** What a bucket's `prefix` has to be: `segments` without `..`, or nothing. */
export const prefixWords =
  "at most 16 names between slashes, of letters, digits, ., - and _, none with a dot first, and without `..`";
