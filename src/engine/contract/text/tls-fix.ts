/** What can be done where the certificate of a server is not the one that was asked for. */
export const tlsFix =
  "use the host name of its certificate, and set the CA that signed it in options.source_ca or options.target_ca, or as ca.crt of its Secret; for encryption without verification of the server, use sslmode=require";
