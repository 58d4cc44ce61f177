// dev/lock.mjs runs before TypeScript can; these are its types.
declare module "*/lock.mjs" {
  export const lock: (
    name: string,
    options?: { onWait?: () => void; onHolder?: (name: string) => void; signal?: AbortSignal },
  ) => Promise<() => Promise<void>>;
}
