import type { Passwords } from "./passwords.ts";

/** A cluster, as whoever opened it uses it. */

export type ClusterKind = "current-context" | "kind" | "local" | "processes";

export type Cluster = {
  kind: ClusterKind;
  name: string;
  /** Path of a kubeconfig whose current context is this cluster. */
  kubeconfig: string;
  /** kubectl, for commands that must keep their own output or live long. */
  kubectlProgram: string;
  /** Runs kubectl against the cluster; its standard output. Rejects with a CommandError. */
  kubectl(args: string[], options?: { input?: string; timeoutMs?: number; signal?: AbortSignal }): Promise<string>;
  /** Brings an image to the node, or all of an OCI archive; those that are there already cost nothing. */
  loadImage(image: LoadableImage): Promise<void>;
  /** Takes the cluster down. A cluster that was only used (current-context) stays. */
  down(): Promise<void>;
  /** helm 3. */
  helm: string;
  /** Whether this machine reaches pods and services by their addresses. */
  hostReachesPods: boolean;
  /** Node port → port on this machine's loopback; null where node ports are reached at the node's address. */
  nodePorts: Record<number, number> | null;
  /** Kills the API server and waits until its successor answers (local clusters only). */
  restartApiServer(): Promise<void>;
  /** More arguments for Helm: what the manifests need to run here. */
  helmArguments?: readonly string[];
  /** Of the demo's databases and accounts. */
  passwords: Passwords;
};

/** An OCI archive, or the reference of an image that the Docker engine has. */
export type LoadableImage = { archive: string } | { docker: string };

/** Every kind's cluster has these in the same way. */
export type Common = Pick<Cluster, "kubeconfig" | "kubectlProgram" | "kubectl" | "helm">;
