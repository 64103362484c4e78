import ts from 'typescript';

/** A comment or a literal of a source file, with the line on which it begins. */
export interface SourceText {
  readonly line: number;
  readonly text: string;
}

/** Comments and literals of languages that need no parser: a comment comes first, because it may have an apostrophe. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  sql: /(?:--.*\n?\s*)+|\/\*[^]*?\*\/|'[^']*'/g,
  proto: /(?:\/\/.*\n?\s*)+|\/\*[^]*?\*\/|"[^"\n]*"/g,
  yaml: /(?<=^|\s)(?:#.*\n?\s*)+/gm,
};

/** Comments and literals of a .ts, .mjs, .cjs, .sql, .proto, .yaml or .yml file. */
export function textsOf(file: string, source: string): SourceText[] {
  const extension = file.slice(file.lastIndexOf('.') + 1).replace('yml', 'yaml');
  const pattern = PATTERNS[extension];
  if (!pattern) return textsOfModule(file, source);
  return [...source.matchAll(pattern)].map(({ 0: text, index }) => ({ line: lineAt(source, index), text }));
}

/** Joins the lines of a text, without the marks of comments. */
export const joinLines = (text: string): string => text.replaceAll(/\s*\n\s*(?:\/\/|\*(?!\/)|--|#)?\s*|\s+/g, ' ');

function textsOfModule(file: string, source: string): SourceText[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false);
  const texts: SourceText[] = [];
  const add = (position: number, text: string) => texts.push({ line: lineAt(source, position), text });
  const visit = (node: ts.Node) => {
    if (ts.isJSDoc(node)) return;
    const literal = literalOf(node);
    if (literal !== undefined) add(node.getStart(tree), literal);
    const children = node.getChildren(tree);
    // What stands before a token is blank or a comment.
    const before = children.length === 0 ? source.slice(node.pos, node.getStart(tree)) : '';
    if (/\S/.test(before)) add(node.pos + before.search(/\S/), before);
    children.forEach(visit);
  };
  visit(tree);
  return texts;
}

/** The text of a whole literal, whose expressions count as one word each. */
function literalOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('');
}

const lineAt = (source: string, position: number) => source.slice(0, position).split('\n').length;
