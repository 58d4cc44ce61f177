export interface Placement {
  nodeSelector?: Record<string, string> | undefined;
  tolerations?: readonly object[] | undefined;
  affinity?: object | undefined;
  priorityClassName?: string | undefined;
  /** Rowferry's own win. */
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
}

/** What every worker's pod has, from the operator's settings. */
export interface WorkerTemplate {
  image: string;
  pullPolicy: "Always" | "IfNotPresent" | "Never";
  pullSecrets: readonly string[];
  command: readonly string[];
  /** The image's numeric user; the group is the same number. */
  uid: number;
  resources: { requests?: Record<string, string> | undefined; limits?: Record<string, string> | undefined };
  /** Bytes that the container may have of a copy which was measured to need more than `resources` gives; 0: never more. */
  memoryMax: number;
  /** Quantity: most that the pod may keep in /tmp. */
  tmpSize: string;
  /** The guard holds for URLs from Secrets too. */
  guardSecrets: boolean;
  graceSeconds: number;
  tokenSeconds: number;
  backoffLimit: number;
  ttlSeconds: number;
  /** Seconds that a run may take whose URLs came through the API, waiting for a node included; 0: any. */
  mostRunSeconds: number;
  /** Seconds that a worker may say nothing before its pod is ended; 0: any. */
  silentSeconds: number;
  /** Where the pods run, as the installation has it: parts of the pod's spec, and more labels and annotations. */
  placement: Placement;
  /** Of the throw-away servers of verifications: images by engine, and what each may use. */
  verify: {
    images: { postgres?: string | undefined; mysql?: string | undefined; mariadb?: string | undefined };
    resources: { requests?: Record<string, string> | undefined; limits?: Record<string, string> | undefined };
    dataSize: string;
  };
  /** Base URL of the workers' endpoint, and the PEM of its CA. */
  endpointUrl: string;
  ca: string;
}
