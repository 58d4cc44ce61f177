/** Errors of logins, which a copy would meet too, whatever their code. */
export const ofLogins = new WeakSet<object>();
