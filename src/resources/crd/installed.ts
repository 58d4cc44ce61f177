/**
 * Names of the objects that the operator makes in the installation's namespace for the API and the prober, and of what it gives
 * the API in each team's namespace. The chart uses the same.
 */
export const installed = {
  /** ServiceAccount, Service and Deployment of the API; also the common name of its certificate. */
  api: "rowferry-api",
  /** Service and Deployment of the prober. */
  prober: "rowferry-prober",
  /** Secret: tls.crt, tls.key, ca.crt; what the API serves by default, and shows to the prober. */
  apiTls: "rowferry-api-tls",
  /** Secret: tls.crt, tls.key, ca.crt. */
  proberTls: "rowferry-prober-tls",
  /** Secret: `secret`, 32 random bytes that every replica of the API derives its keys from. */
  apiKeys: "rowferry-api-keys",
  /** ConfigMap: `ca.crt`, and `sealing.json` with the public key to seal to. */
  publicKeys: "rowferry-public-keys",
  /** ConfigMap: by a kind's plural, the resourceVersion of what a replica of the API wrote last and others must have seen. */
  apiWrites: "rowferry-api-writes",
  /** ClusterRole of the API in a team's namespace; the RoleBinding there is called by `api`. */
  teamRole: "rowferry-api-team",
  /** ResourceQuota in a team's namespace. */
  teamQuota: "rowferry-team",
  /** NetworkPolicy in a team's namespace. */
  teamPolicy: "rowferry-workers",
} as const;

/** How many Secrets hold the passwords' hashes. */
export const passwordShards = 64;

/** Name of one of those Secrets; `shard` from 0. Key: an Account's name; value: its hash. */
export const passwordsName = (shard: number): string => `rowferry-passwords-${shard}`;
