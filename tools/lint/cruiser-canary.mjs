import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { installed, root, run } from '../running/process.mjs';

const require = createRequire(import.meta.url);
const { LAYERS, FOR_TESTS, PROJECTS } = require('./layers.cjs');
const { forbidden } = require('../../.dependency-cruiser.cjs');

/** What breaks a rule: the file that imports, and what it imports. */
const BROKEN = [
  ...Object.keys(LAYERS).flatMap(breakLayer),
  ['domain-is-pure', 'apps/wallet/src/domain/a.ts', 'node:fs'],
  ['domain-is-pure', 'apps/wallet/src/domain/b.ts', '../ports/target.js'],
  ['domain-is-pure', 'apps/wallet/src/domain/c.ts', '@agent-wallet/platform'],
  ['application-knows-no-adapter', 'apps/wallet/src/application/a.ts', '../adapters/target.js'],
  ['application-knows-no-adapter', 'apps/wallet/src/application/b.ts', '../grpc/target.js'],
  ['application-knows-no-adapter', 'apps/wallet/src/application/c.ts', 'pg'],
  ['application-knows-no-adapter', 'apps/wallet/src/ports/d.ts', '../generated/target.js'],
  ['ports-are-the-lowest-door', 'apps/wallet/src/ports/a.ts', '../application/target.js'],
  ['inbound-goes-through-a-use-case', 'apps/wallet/src/grpc/a.ts', '../adapters/target.js'],
  ['inbound-goes-through-a-use-case', 'apps/gateway/src/http/a.ts', '../adapters/target.js'],
  ['inbound-goes-through-a-use-case', 'apps/gateway/src/api/a.ts', '../adapters/target.js'],
  ['api-knows-no-transport', 'apps/gateway/src/api/b.ts', '@nestjs/common'],
  ['adapters-call-nobody-above', 'apps/wallet/src/adapters/a.ts', '../grpc/target.js'],
  ['adapters-call-nobody-above', 'apps/wallet/src/adapters/d.ts', '../application/target.js'],
  ['only-adapters-touch-the-database', 'apps/wallet/src/a.ts', 'pg'],
  ['only-adapters-touch-the-database', 'apps/wallet/src/grpc/b.ts', 'pg'],
  ['only-adapters-touch-prisma', 'apps/wallet/src/grpc/c.ts', '@prisma/client'],
  ['only-adapters-touch-prisma', 'apps/wallet/src/application/e.ts', '../generated/target.js'],
  ['prisma-where-agents-are-set-up', 'apps/signer/src/start.ts', '@prisma/adapter-pg'],
  ['prisma-where-agents-are-set-up', 'apps/history/src/adapters/p.ts', '@prisma/client'],
  ['prisma-where-agents-are-set-up', 'libs/platform/src/p.ts', '@prisma/adapter-pg'],
  ['signer-has-no-way-out', 'apps/signer/src/adapters/a.ts', 'node:https'],
  ['signer-has-no-way-out', 'apps/signer/src/adapters/b.ts', '@agent-wallet/prices'],
  ['signer-has-no-way-out', 'apps/signer/src/application/a.ts', '@aws-sdk/client-kms'],
  ['signer-has-no-way-out', 'apps/signer/src/isolation/a.ts', 'node:inspector'],
  ['verifier-runs-in-browsers', 'libs/audit/src/a.ts', 'node:crypto'],
  ['verifier-is-independent', 'apps/policy/src/a.ts', '@agent-wallet/audit'],
  ['chain-library-behind-one-door', 'apps/wallet/src/adapters/b.ts', '@solana/web3.js'],
  ['kafka-client-behind-one-door', 'apps/history/src/adapters/d.ts', 'kafkajs'],
  ['sandbox-engine-stays-in-the-sandbox', 'apps/wallet/src/adapters/c.ts', 'litesvm'],
  ['exchange-sdk-serves-tests', 'apps/sandbox/src/a.ts', 'kalshi-typescript'],
  ['services-need-no-development-package', 'libs/platform/src/a.ts', '@peculiar/x509'],
  ['through-the-front-door', 'apps/wallet/src/b.ts', '../../../libs/kernel/src/target.js'],
  ['testing-serves-tests', 'apps/wallet/src/c.ts', '@agent-wallet/testing'],
  ['no-cycles', 'apps/wallet/src/cycle-a.ts', './cycle-b.js'],
  ['no-unresolved', 'apps/wallet/src/d.ts', './nowhere.js'],
  ['no-undeclared-package', 'apps/wallet/src/e.ts', 'semver'],
  ['no-orphans', 'apps/wallet/src/orphan.ts'],
];

/** What must not be called a violation. */
const ALLOWED = [
  ['apps/wallet/src/domain/fine.ts', '@agent-wallet/kernel'],
  ['apps/wallet/src/application/fine.ts', '../ports/target.js'],
  ['apps/wallet/src/adapters/fine.ts', 'pg'],
  ['apps/signer/src/adapters/vaults/fine.ts', 'node:https'],
  ['apps/wallet/src/fine.spec.ts', '@agent-wallet/testing'],
  ['apps/standalone/src/fine.ts', '@agent-wallet/wallet'],
];

/** Files that the imports above lead to. */
const TARGETS = [
  ...['ports', 'adapters', 'grpc', 'generated', 'application'].map((name) => `apps/wallet/src/${name}/target.ts`),
  'apps/gateway/src/adapters/target.ts',
  'libs/kernel/src/target.ts',
];

/** How many rules were broken, and which violations were missed or made up. */
export async function missedByCruiser() {
  const skeleton = mkdtempSync(path.join(os.tmpdir(), 'boundary-canary-'));
  try {
    writeSkeleton(skeleton);
    const command = [...installed('depcruise'), 'libs', 'apps', '-T', 'json'];
    const config = ['--config', path.join(root, '.dependency-cruiser.cjs')];
    const { output } = await run([...command, ...config], { cwd: skeleton, capture: true });
    const { violations } = JSON.parse(output.slice(output.indexOf('{'))).summary;
    const found = new Set(violations.map(({ rule, from }) => `${rule.name} ${from}`));
    const missed = BROKEN.filter(([rule, file]) => !found.has(`${rule} ${file}`));
    const innocent = ALLOWED.filter(([file]) => violations.some(({ from }) => from === file));
    const untried = forbidden.filter(({ name }) => !BROKEN.some(([rule]) => rule === name));
    return {
      count: BROKEN.length,
      problems: [
        ...missed.map(([rule, file, target]) => `${rule} did not catch ${file} → ${target}`),
        ...innocent.map(([file, target]) => `${file} → ${target} is allowed, but was refused`),
        ...untried.map(({ name }) => `nothing here breaks ${name}`),
      ],
    };
  } finally {
    rmSync(skeleton, { recursive: true });
  }
}

/** A file and a test of a layer that use a layer they must not. */
function breakLayer(layer) {
  const user = PROJECTS.find((project) => project.layer === layer);
  const isImportable = ({ entries }) => entries.some((file) => file.endsWith('src/index.ts'));
  const fromOutside = (allowed) =>
    PROJECTS.find((other) => other !== user && isImportable(other) && !allowed.includes(other.layer));
  if (!user) return [];
  return [
    [`layer-${layer}`, `${user.folder}/src/layer.ts`, packageOf(fromOutside(LAYERS[layer]))],
    [
      `layer-${layer}-tests`,
      `${user.folder}/src/layer.spec.ts`,
      packageOf(fromOutside([...LAYERS[layer], ...FOR_TESTS])),
    ],
  ];
}

function packageOf({ folder }) {
  return `@agent-wallet/${path.basename(folder)}`;
}

function writeSkeleton(skeleton) {
  const write = (file, text) => {
    mkdirSync(path.join(skeleton, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(skeleton, file), text);
  };
  for (const file of ['package.json', 'tsconfig.base.json'])
    copyFileSync(path.join(root, file), path.join(skeleton, file));
  linkPackages(skeleton);
  for (const { folder, entries } of PROJECTS) {
    for (const entry of entries.filter((file) => file.endsWith('.ts'))) write(entry, 'export {};\n');
    write(path.join(folder, 'package.json'), readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
    symlinkSync(path.join('..', '..', folder), path.join(skeleton, 'node_modules', packageOf({ folder })));
  }
  for (const file of TARGETS) write(file, 'export {};\n');
  for (const [, file, target] of BROKEN) write(file, target ? `import '${target}';\n` : 'export {};\n');
  for (const [file, target] of ALLOWED) write(file, `import '${target}';\n`);
  write('apps/wallet/src/cycle-b.ts', "import './cycle-a.js';\n");
}

function linkPackages(skeleton) {
  const packages = path.join(root, 'node_modules');
  mkdirSync(path.join(skeleton, 'node_modules', '@agent-wallet'), { recursive: true });
  for (const name of readdirSync(packages)) {
    if (name === '@agent-wallet' || name.startsWith('.')) continue;
    symlinkSync(path.join(packages, name), path.join(skeleton, 'node_modules', name));
  }
}
