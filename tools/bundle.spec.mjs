import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ENTRIES } from './bundle.mjs';
import { root } from './running/process.mjs';

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const filesOf = (folder, pattern) =>
  readdirSync(path.join(root, folder), { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((name) => pattern.test(name));

const PAGES = [...filesOf('docs', /\.md$/), ...readdirSync(root).filter((name) => name.endsWith('.md'))];
const MANIFESTS = filesOf('k8s', /\.yaml$/);
const DOCKERFILE = read('deploy/Dockerfile');

describe('programs that manifests and documents run in the image of the services', () => {
  const text = [...MANIFESTS, ...PAGES].map(read).join('\n');
  const programs = [
    ...new Set([...text.matchAll(/\b(?:apps|libs)\/[\w-]+\/bundle\/[\w/-]+\.js/g)].map(([name]) => name)),
  ];

  it('are bundled', () => {
    expect(programs).toEqual(expect.arrayContaining(['apps/ops/bundle/main.js', 'apps/ops/bundle/audit.js']));
    const bundled = ENTRIES.map((entry) => entry.replace('/dist/', '/bundle/'));
    expect(programs.filter((program) => !bundled.includes(program))).toEqual([]);
  });

  it('are copied into it', () => {
    expect(programs.filter((program) => !isCopied(program))).toEqual([]);
  });

  it('find the page of the console where its server looks for it', () => {
    expect(read('apps/console/src/start.ts')).toContain("new URL('../web/dist', import.meta.url)");
    expect(DOCKERFILE).toContain('cp -r apps/console/web/dist /image/apps/console/web/');
  });
});

function isCopied(program) {
  const [, services] = /for app in ([\w ]+);/.exec(DOCKERFILE);
  const [kind, project] = program.split('/');
  const isOfService = kind === 'apps' && services.split(' ').includes(project);
  return isOfService || DOCKERFILE.includes(`cp -r ${kind}/${project}/bundle `);
}
