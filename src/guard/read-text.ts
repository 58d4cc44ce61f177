/** The text of an answer, of at most so many bytes. Errors: `tooLarge`, in words. */
export async function readText(response: AsyncIterable<Buffer>, most: number, tooLarge: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > most) throw new Error(tooLarge);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
