import type { Random } from "../chaos/random.ts";
import type { Server } from "./kinds/index.ts";

/** What databases are created with: PostgreSQL's locale providers, MySQL's character sets and collations. */

const choices: Record<Server, readonly string[]> = {
  postgres: [
    "",
    "TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'",
    "TEMPLATE template0 LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'",
    "TEMPLATE template0 LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C' LOCALE 'C'",
    "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'und' LOCALE 'C'",
    "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de' ICU_RULES '&a < b' LOCALE 'C'",
  ],
  mysql: [
    "CHARACTER SET utf8mb4",
    "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    "CHARACTER SET latin1",
    "CHARACTER SET sjis",
  ],
  mariadb: [
    "CHARACTER SET utf8mb4",
    "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
    "CHARACTER SET latin1",
    "CHARACTER SET ucs2",
  ],
};

export const randomLocale = (random: Random, server: Server): string => random.pick(choices[server]);
