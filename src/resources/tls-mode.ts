/** The values of `sslmode`, from the weakest to the strongest (libpq's, without `allow`). */
export const tlsModes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
