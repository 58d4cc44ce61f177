import type { Mutant } from "../mutant.ts";

/** Faults of the guard: where a URL may lead, what it may say, and who can read it. */

const policy = (name: string) => ({ file: "src/guard/policy.test.ts", name: `allow and refuse > ${name}` });
const dial = (name: string) => ({ file: "src/guard/dial.test.ts", name: `with a guard > ${name}` });
const url = (name: string) => ({
  file: "src/guard/url.test.ts",
  name: `what is refused, by a code and in words that never hold the URL > ${name}`,
});

export const guard: readonly Mutant[] = [
  {
    id: "wide-allow-opens-metadata",
    file: "src/guard/policy.ts",
    find: "return within(address, range) && (!single || isSingle(range)) ? [range.prefix] : [];",
    replace: "return within(address, range) ? [range.prefix] : [];",
    test: policy("all of IPv4, and metadata"),
    harm: "Whoever allows all addresses opens the cloud's metadata, and with it the node's credentials.",
  },
  {
    id: "tie-is-allowed",
    file: "src/guard/policy.ts",
    find: "refused >= 0 && refused >= allowed",
    replace: "refused >= 0 && refused > allowed",
    test: policy("a tie"),
    harm: "A range that is both allowed and refused is reached.",
  },
  {
    id: "one-inner-address-is-enough",
    file: "src/guard/policy.ts",
    find: "return embedded(address, why).every((inner)",
    replace: "return embedded(address, why).some((inner)",
    test: policy("local NAT64, a public address at the end and a private one inside"),
    harm: "An IPv6 form of a private address leads into the private network.",
  },
  {
    id: "cluster-ranges-are-public",
    file: "src/guard/policy.ts",
    find: 'if (refused >= 0 && refused >= allowed) return { allowed: false, why: "cluster" };',
    replace: "",
    test: policy("a public range that is refused"),
    harm: "A URL reaches the cluster's own pods and services.",
  },
  {
    id: "one-good-answer-is-enough",
    file: "src/guard/resolve.ts",
    find: "if (addresses.length === 0 || !addresses.every(allowed)) throw",
    replace: "if (!addresses.some(allowed)) throw",
    test: dial("one answer that is not allowed refuses all: 8.8.8.8,127.0.0.1"),
    harm: "A name with a public and a private address leads into the private network.",
  },
  {
    id: "name-resolved-twice",
    file: "src/guard/dial.ts",
    find: "return await open(address);",
    replace: "return await open(host);",
    test: dial("a name is resolved once, and an address is dialled"),
    harm: "A name that changes after it was judged leads into the private network.",
  },
  {
    id: "unknown-parameter-passes",
    file: "src/guard/url.ts",
    find: "else if (!harmless[engine].has(plain))",
    replace: "else if (plain === name && plain.length > 1000)",
    test: url("an unknown parameter"),
    harm: "A parameter that nobody has looked at is taken without a word.",
  },
  {
    id: "file-parameter-passes",
    file: "src/guard/url.ts",
    find: '    passfile: "a file is never read; put the password into the URL",',
    replace: "",
    test: url("the parameter passfile is refused by its name"),
    harm: "A parameter that reads files is no longer refused with its reason.",
  },
  {
    id: "ca-without-mode-proves-nothing",
    file: "src/guard/tls.ts",
    find: 'mode === "prefer" || mode === "require" ? "verify-ca" : mode',
    replace: 'mode === "require" ? "verify-ca" : mode',
    test: { file: "src/guard/url.test.ts", name: "TLS > a CA counts beside every mode that encrypts: prefer" },
    harm: "A CA is given and the server's certificate is not verified.",
  },
  {
    id: "sealed-url-moves-field",
    file: "src/guard/seal.ts",
    find: "JSON.stringify([namespace, name, field])",
    replace: "JSON.stringify([namespace, name, field.length > 0])",
    test: { file: "src/guard/seal.test.ts", name: "it does not open in another field" },
    harm: "A sealed source URL can be put in the target's place, so that the source is written to.",
  },
  {
    id: "sealed-url-moves-namespace",
    file: "src/guard/seal.ts",
    find: "JSON.stringify([namespace, name, field])",
    replace: "JSON.stringify([name, field])",
    test: { file: "src/guard/seal.test.ts", name: "it does not open in another namespace" },
    harm: "A team that copies another's sealed URL into its own Migration uses the other's database.",
  },
  {
    id: "password-shown-in-base64",
    file: "src/guard/redact.ts",
    find: "...base64Forms(bytes).map(escapeRegExp), ",
    replace: "",
    test: { file: "src/guard/redact.test.ts", name: "a planted password is taken out > as HTTP's basic credentials" },
    harm: "A password is in the log in base64.",
  },
];
