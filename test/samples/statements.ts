/** Statements of a script with DELIMITER, split as the mysql client does. Drivers do not know DELIMITER. */
export function statementsIn(script: string): string[] {
  const statements: string[] = [];
  let delimiter = ";";
  let text = "";
  for (const line of script.split("\n")) {
    const changed = /^DELIMITER\s+(\S+)/i.exec(line)?.[1];
    if (changed !== undefined) {
      delimiter = changed;
      continue;
    }
    if (text === "" && /^\s*(--.*)?$/.test(line)) continue;
    text += `${line}\n`;
    if (!line.trimEnd().endsWith(delimiter)) continue;
    statements.push(text.trimEnd().slice(0, -delimiter.length));
    text = "";
  }
  return statements;
}
