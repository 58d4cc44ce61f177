/** What can be done where the certificate of a server is not the one that was asked for. */
export const tlsMend =
  "name the host as its certificate does, and give the CA that signed it (--source-ca or --target-ca of the command line, ca.crt of a Secret), or ask for encryption without proof of who answers (sslmode=require)";
