/** An OpenID Connect issuer, as the verbs use it; src/oidc is the one that there is. */
export interface OidcProvider {
  /** The URL of the issuer's page to which the person's browser goes. Throws Problem `unavailable`. */
  begin(secrets: OidcSecrets): Promise<string>;
  /**
   * Trades the code for the ID token and checks it: signature, issuer, audience, times and nonce. `query` is what the issuer sent the browser
   * back with. Throws Problem `oidc_refused` and `unavailable`.
   */
  finish(query: Readonly<Record<string, string>>, secrets: OidcSecrets): Promise<OidcClaims>;
}

/** Of one sign-in; the browser keeps them, encrypted. */
export interface OidcSecrets {
  state: string;
  nonce: string;
  /** PKCE's. */
  verifier: string;
}

/** What the issuer says of the person. */
export interface OidcClaims {
  issuer: string;
  subject: string;
  email?: string;
  /** Whether the issuer says that the address is the person's. */
  isVerified: boolean;
}

/** OpenID Connect of an installation that has it. */
export interface Oidc {
  provider: OidcProvider;
  /** What people call the issuer. */
  name: string;
  /** Whether nobody signs in or up by a password. */
  only: boolean;
  /** Whether a person without an account gets one, though sign-up is closed. */
  createAccounts: boolean;
  /** Of e-mail addresses, in ASCII and lower case; none: any. */
  allowedDomains: readonly string[];
}
