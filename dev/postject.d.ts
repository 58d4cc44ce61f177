/** What is used of postject, which has no types of its own. */
declare module "postject" {
  /** Puts `data` into the program `file` under the name `resource`, and marks the fuse as set. */
  export function inject(
    file: string,
    resource: string,
    data: Buffer,
    options: { sentinelFuse: string },
  ): Promise<void>;
}
