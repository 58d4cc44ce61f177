// The security contexts that the restricted Pod Security Standard asks for. Pure.

/** Of a pod that runs as this user and group. */
export const restrictedPod = (account: number) => ({
  runAsNonRoot: true,
  runAsUser: account,
  runAsGroup: account,
  fsGroup: account,
  seccompProfile: { type: "RuntimeDefault" },
});

/** Of each of its containers. */
export const restrictedContainer = ({ readOnlyRoot }: { readOnlyRoot: boolean }) => ({
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: readOnlyRoot,
});
