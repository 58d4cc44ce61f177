/** What can be done where the certificate of a server is not the one that was asked for. */
export const tlsFix =
  "Use the host name of its certificate, and set its CA in options.source_ca or options.target_ca, or as ca.crt of its Secret. For encryption without verification, use sslmode=require";
