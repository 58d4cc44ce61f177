/** What the engine uses and Node 20 lacks, for the command line on somebody's own machine. To be imported first. */

Promise.withResolvers ??= <Value>(): PromiseWithResolvers<Value> => {
  let resolve: PromiseWithResolvers<Value>["resolve"] = () => undefined;
  let reject: PromiseWithResolvers<Value>["reject"] = () => undefined;
  const promise = new Promise<Value>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
};
