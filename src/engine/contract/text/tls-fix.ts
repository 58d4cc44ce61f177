/** What can be done where the certificate of a server is not the one that was asked for. */
export const tlsFix =
  "use the host name of its certificate, and set the CA that signed it (command line: --source-ca or --target-ca; Secret: ca.crt); for encryption without verification of the server, use sslmode=require";
