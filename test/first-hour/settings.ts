// What of this machine a clean root is given: how the package registries are reached, and nothing that was installed.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const certificates = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(CURL|REQUESTS)_CA_BUNDLE|PIP_CERT|GIT_SSL_CAINFO)$/;
const registries =
  /^(https?_proxy|no_proxy|GO(PROXY|NOPROXY|SUMDB|NOSUMDB|PRIVATE|FLAGS)|npm_config_registry|PIP_INDEX_URL)$/i;

/** The environment of a fresh login with the variables that say how registries are reached. */
export const cleanEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> => ({
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin",
  HOME: "/root",
  LANG: "C.UTF-8",
  TERM: "dumb",
  ...Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && (certificates.test(name) || registries.test(name)) ? [[name, value]] : [],
    ),
  ),
});

/** Files and folders that say the same, as pairs of a path here and the path in the clean root. */
export const registryFiles = (): [string, string][] => {
  const home = (path: string): [string, string] => [join(homedir(), path), join("/root", path)];
  const same = (path: string): [string, string] => [path, path];
  const pairs = [
    ...["/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs", "/usr/local/share/ca-certificates"].map(
      same,
    ),
    ...[".npmrc", ".config/go/env", ".config/pip", ".m2/settings.xml"].map(home),
  ];
  return pairs.filter(([here]) => existsSync(here));
};
