/**
 * Names of objects in a storage: segments of letters, digits, dots, dashes and underscores, joined by slashes. No segment
 * begins with a dot, so that no name leaves the storage's folder or meets a temporary file.
 */

export const segment = "[A-Za-z0-9_-][A-Za-z0-9._-]*";
export const segments = `${segment}(/${segment}){0,15}`;

/** What a bucket's `prefix` has to be: `segments` without `..`, or nothing. */
export const prefixWords =
  "at most 16 names between slashes, of letters, digits, ., - and _, none with a dot first, and without `..`";
