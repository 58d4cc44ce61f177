/** A caller's own X-Request-Id is taken over when it is harmless in a header and in a log line; else there is a new one. */
export const requestId = (given: string | undefined, make: () => string): string =>
  given !== undefined && /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,99}$/.test(given) ? given : make();
