// For `helm --post-renderer`: replaces texts in the rendered manifests. Arguments: from=to, each.
let text = "";
for await (const part of process.stdin) text += part;
for (const pair of process.argv.slice(2)) {
  const [from, to] = pair.split("=");
  if (!text.includes(from)) throw new Error(`no manifest has ${from}`);
  text = text.replaceAll(from, to);
}
process.stdout.write(text);
