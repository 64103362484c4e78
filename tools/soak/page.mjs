// The page of the docs that keeps the last results.
import { readFile, writeFile } from 'node:fs/promises';

/** Replaces what a Markdown file says under one of its headings of the second level, or adds it at the end. */
export async function writeSection(file, heading, text) {
  await writeFile(file, withSection(await readFile(file, 'utf8'), heading, text));
}

/** The page with that section in it. */
export function withSection(page, heading, text) {
  const [head, ...sections] = page.split(/^(?=## )/m);
  const section = `## ${heading}\n\n${text.trim()}\n`;
  const at = sections.findIndex((each) => each.startsWith(`## ${heading}\n`));
  const others = at === -1 ? [...sections, section] : sections.toSpliced(at, 1, section);
  return [head, ...others].map((part) => part.trim()).join('\n\n') + '\n';
}
