import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { filesBelow, read } from './repository.js';

/** Words that no docblock begins with: what follows them is a clause, not the name of a thing. */
const CLAUSE =
  /^(?:What|How|Where|When|Which|Who|Why|Those|Of|That|Such|Only|Both|Everything|One (?:that|of|which)|The same|The one)\b/;

/** Verbs in the third person, as docblocks of functions begin: Returns, Reads, Does. */
const VERB = /^[A-Z][a-z]*s\b/;

/** The sandbox stands in for other people's systems. */
const files = filesBelow('.').filter(
  (file) => /^(?:apps|libs)\/(?!sandbox\/)[^/]+\/src\/.*\.ts$/.test(file) && !/\.spec\.ts$|\/generated\//.test(file),
);

/** Docblocks that begin otherwise, as `file:line: text`. */
function badDocblocksOf(file: string, source: string): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    for (const doc of ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)) {
      const text = (ts.getTextOfJSDocComment(doc.comment) ?? '').replaceAll(/\s+/g, ' ');
      const isBad = text !== '' && (CLAUSE.test(text) || (isFunction(node) && !VERB.test(text)));
      const line = tree.getLineAndCharacterOfPosition(doc.pos).line + 1;
      if (isBad && doc.parent === node) found.push(`${file}:${line}: ${text.slice(0, 60)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isFunction(node: ts.Node): boolean {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return true;
  if (!ts.isVariableStatement(node)) return false;
  return node.declarationList.declarations.some(
    ({ initializer }) => initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)),
  );
}

describe('docblocks', () => {
  it('of functions begin with a verb, and all others with a noun', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(files.flatMap((file) => badDocblocksOf(file, read(file)))).toEqual([]);
  });

  it('that begin otherwise are found', () => {
    const module = [
      '/** What is kept. */',
      'interface A {',
      '  /** Where it is. */',
      '  b: string;',
      '  /** Its place. */',
      '  c: string;',
      '  /** Of one. */',
      '  m(): void;',
      '  /** Reads it. */',
      '  r(): void;',
      '}',
      '/** The sum. */',
      'function sum() {}',
      '/** Returns the sum. */',
      'function good() {}',
      '/** The half. */',
      'const half = () => 1;',
      '/** The number. */',
      'const n = 1;',
    ].join('\n');
    expect(badDocblocksOf('a.ts', module)).toEqual([
      'a.ts:1: What is kept.',
      'a.ts:3: Where it is.',
      'a.ts:7: Of one.',
      'a.ts:12: The sum.',
      'a.ts:16: The half.',
    ]);
  });
});
