/** The account of every pod's process; empty: this process's. */
export type Account = { uid?: number; gid?: number };

/**
 * Writes files as the pod's account, not as root: the account could have put symbolic links into its folder, which root
 * would follow. `write` is synchronous, so that nothing else runs meanwhile.
 */
export const asAccount = ({ uid, gid }: Account, write: () => void): void => {
  if (uid === undefined || gid === undefined) {
    write();
    return;
  }
  const groups = process.getgroups?.() ?? [];
  try {
    // Root's further groups could open what the account cannot.
    process.setgroups?.([gid]);
    process.setegid?.(gid);
    process.seteuid?.(uid);
    write();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
  }
};
