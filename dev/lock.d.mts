export declare const lock: (
  name: string,
  options?: { onWait?: () => void; signal?: AbortSignal },
) => Promise<() => Promise<void>>;
