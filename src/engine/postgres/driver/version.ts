/** server_version_num of the oldest PostgreSQL whose catalogues are read as they are written here. */
export const oldest = 120_000;

/** 150018 → 15.18 */
export const versionText = (version: number) => `${Math.floor(version / 10_000)}.${version % 10_000}`;
