/** Seconds, where a caller leaves the option out. Other defaults are where their option is read. */
export const defaultBlockingTimeout = 30;
export const defaultStallTimeout = 600;
