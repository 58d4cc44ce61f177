// The options that the commands around the cluster share.

export const nameOption = {
  name: { type: "string", default: "dev", value: "NAME", about: "The cluster's name; `dev` if you give none" },
} as const;

export const contextOption = {
  "use-current-context": { type: "boolean", about: "Use KUBECONFIG's current context instead of an own cluster" },
} as const;

export const nodesOption = {
  nodes: {
    type: "string",
    value: "NUMBER",
    among: ["1", "2"],
    about: "Nodes of the cluster; 2 adds one to a cluster that is up (as root on Debian or Ubuntu, without Docker)",
  },
} as const;

export const processesOption = {
  processes: { type: "boolean", about: "Run everything as ordinary processes, also where there is Docker or root" },
} as const;
