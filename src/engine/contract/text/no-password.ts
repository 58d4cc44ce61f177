/** Of a login that failed where nothing was given: most servers say only that access is denied. */
export const noPassword = "the URL has no password: add it as user:password@host";
