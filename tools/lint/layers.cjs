// Who may use whom, said once for both linters. A project's layer is the tag in its project.json.
const { readdirSync, readFileSync, existsSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..', '..');

/** The layers that each layer may use. A service uses neither another service nor what stands in for its world. */
const LAYERS = {
  kernel: [],
  // For other teams: it depends on no other library. So the generated messages are its own, and contracts passes them
  // on.
  client: [],
  // For builders of agents: it depends on nothing.
  sdk: [],
  // An independent reading of what the services write: it depends on nothing of theirs.
  audit: [],
  contracts: ['kernel', 'client'],
  attestation: ['kernel', 'contracts', 'platform'],
  embedded: ['kernel'],
  solana: ['kernel', 'contracts', 'telemetry'],
  prices: ['kernel', 'contracts', 'telemetry', 'solana'],
  jupiter: ['kernel', 'contracts', 'solana'],
  kalshi: ['kernel'],
  testing: ['kernel', 'embedded'],
  telemetry: ['kernel'],
  platform: ['kernel', 'contracts', 'telemetry'],
  events: ['kernel', 'contracts', 'telemetry', 'platform'],
  operations: ['kernel', 'contracts', 'telemetry', 'platform', 'events', 'solana'],
  // For people and scripts: it knows the service by its SDK alone, and believes what the verifier says.
  cli: ['sdk', 'audit'],
  service: [
    'kernel',
    'contracts',
    'audit',
    'attestation',
    'telemetry',
    'platform',
    'events',
    'operations',
    'solana',
    'jupiter',
    'kalshi',
    'prices',
  ],
  sandbox: ['kernel', 'platform'],
  composition: ['kernel', 'sdk', 'contracts', 'telemetry', 'platform', 'events', 'embedded', 'service', 'sandbox'],
};

/** What the tests of every layer may use besides. */
const FOR_TESTS = ['testing', 'audit', 'contracts', 'sdk', 'embedded', 'client', 'solana', 'jupiter', 'kalshi'];

/** Files that are tests, or are written for tests alone. */
const TEST_FILES = ['\\.spec\\.ts$', '^(apps|libs)/[^/]+/test/', '^(apps|libs)/[^/]+/src/testing/'];

/** Every project: its folder, its layer, and the files that others may import (its package's exports). */
const PROJECTS = ['libs', 'apps'].flatMap((kind) =>
  readdirSync(path.join(root, kind))
    .map((name) => `${kind}/${name}`)
    .filter((folder) => existsSync(path.join(root, folder, 'project.json')))
    .map((folder) => {
      const read = (file) => JSON.parse(readFileSync(path.join(root, folder, file), 'utf8'));
      const layer = read('project.json')
        .tags.find((tag) => tag.startsWith('layer:'))
        ?.slice('layer:'.length);
      if (!LAYERS[layer]) throw new Error(`${folder}/project.json has no known layer: add it to tools/lint/layers.cjs`);
      const entries = Object.values(read('package.json').exports).map((entry) =>
        typeof entry === 'string' ? entry : entry['@agent-wallet/source'],
      );
      return { folder, layer, entries: entries.map((file) => path.posix.join(folder, file)) };
    }),
);

module.exports = { LAYERS, FOR_TESTS, TEST_FILES, PROJECTS };
