/** Field managers of a status' two parts: the controller's, and what the operator's endpoint writes for the worker. */
export const managers = { controller: "rowferry-controller", worker: "rowferry-worker" } as const;
