// For `helm --post-renderer`: replaces texts in the rendered manifests. Arguments: from=to, each.
let text = "";
for await (const part of process.stdin) text += part;
for (const pair of process.argv.slice(2)) {
  const [from, to] = pair.split("=");
  if (!text.includes(from)) {
    // Helm repeats this in its own error.
    console.error(`no manifest has ${from}`);
    process.exit(1);
  }
  text = text.replaceAll(from, to);
}
process.stdout.write(text);
