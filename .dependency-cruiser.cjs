// The rules for who imports what, between projects and inside them.
// tools/lint/boundary-canary.mjs breaks each rule named here and expects to be caught.
const { LAYERS, FOR_TESTS, TEST_FILES, PROJECTS } = require('./tools/lint/layers.cjs');

const literal = (text) => text.replaceAll(/[.\\]/g, '\\$&');
const oneOf = (texts) => `(${texts.map(literal).join('|')})`;
const foldersOf = (layers) => PROJECTS.filter(({ layer }) => layers.includes(layer)).map(({ folder }) => folder);
const npm = (...names) => `node_modules/${oneOf(names)}/`;

/** `$1` is the app in every rule that begins so. */
const within = (...folders) => `^apps/([^/]+)/src/${oneOf(folders)}/`;
const sameApp = (...folders) => `^apps/$1/src/${oneOf(folders)}/`;

const betweenProjects = Object.entries(LAYERS).flatMap(([layer, uses]) => {
  const from = foldersOf([layer]);
  if (from.length === 0) return [];
  const forbidden = (allowed) => ({
    path: '^(libs|apps)/',
    pathNot: [`^${oneOf(foldersOf(allowed).concat('-'))}/`, `^$1/`],
  });
  const path = `^${oneOf(from)}/`;
  return [
    { name: `layer-${layer}`, from: { path, pathNot: TEST_FILES }, to: forbidden(uses) },
    { name: `layer-${layer}-tests`, from: { path }, to: forbidden([...uses, ...FOR_TESTS]) },
  ];
});

const insideServices = [
  {
    name: 'domain-is-pure',
    comment:
      "The domain knows itself, the kernel, and the exchange's arithmetic; hashes and address ranges (crypto, net) are arithmetic, too.",
    from: { path: within('domain'), pathNot: TEST_FILES },
    to: { pathNot: [sameApp('domain'), '^libs/(kernel|kalshi)/', '^(crypto|net)$'] },
  },
  {
    name: 'application-knows-no-adapter',
    comment: 'A use case talks to ports; what is behind them and who calls it is not its business.',
    from: { path: within('application', 'ports'), pathNot: TEST_FILES },
    to: {
      path: [sameApp('adapters', 'api', 'grpc', 'http', 'generated'), npm('pg', '@prisma/client', '@grpc/grpc-js')],
    },
  },
  {
    name: 'ports-are-the-lowest-door',
    from: { path: within('ports'), pathNot: TEST_FILES },
    to: { path: sameApp('application') },
  },
  {
    name: 'inbound-goes-through-a-use-case',
    from: { path: within('api', 'grpc', 'http'), pathNot: TEST_FILES },
    to: { path: sameApp('adapters', 'generated') },
  },
  {
    name: 'api-knows-no-transport',
    comment: 'A route is called over HTTP, by other transports and by tests alike.',
    from: { path: within('api'), pathNot: TEST_FILES },
    to: { path: [sameApp('grpc', 'http'), npm('@nestjs/common', '@nestjs/core', 'fastify')] },
  },
  {
    name: 'adapters-call-nobody-above',
    comment: 'An adapter stands behind a port; dependencies.ts hands it to the use cases.',
    from: { path: within('adapters'), pathNot: TEST_FILES },
    to: { path: sameApp('application', 'api', 'grpc', 'http') },
  },
  {
    name: 'only-adapters-touch-the-database',
    from: {
      path: '^apps/[^/]+/src/',
      pathNot: [...TEST_FILES, '^apps/[^/]+/src/adapters/', '^apps/(sandbox|standalone)/'],
    },
    to: { path: npm('pg') },
  },
  {
    name: 'only-adapters-touch-prisma',
    comment: 'The files beside the folders put a service together: they may make the client that its adapters get.',
    from: { path: '^apps/[^/]+/src/[^/]+/', pathNot: [...TEST_FILES, '^apps/[^/]+/src/(adapters|generated)/'] },
    to: { path: ['^apps/[^/]+/src/generated/', npm('@prisma/client', '@prisma/adapter-pg')] },
  },
  {
    name: 'prisma-where-agents-are-set-up',
    comment: 'ADR 21: elsewhere no row is taken alone by its key, or the process holds keys.',
    from: { path: '^(libs/|apps/(?!gateway/|wallet/))', pathNot: '/generated/' },
    to: { path: ['/generated/prisma/', npm('@prisma/client', '@prisma/adapter-pg')] },
  },
  {
    name: 'signer-has-no-way-out',
    comment: 'Keys stay in the signer: it calls only its own database, and its vault where that is a separate service.',
    from: { path: '^apps/signer/src/', pathNot: [...TEST_FILES, '^apps/signer/src/adapters/vaults/'] },
    to: {
      path: [
        '^(http|https|http2|net|dgram|dns|tls|child_process|inspector|v8)$',
        npm('nodemailer', 'ws', 'kafkajs', 'undici', 'axios', '@aws-sdk', '@smithy', '@phala/dstack-sdk', 'pkcs11js'),
        '^libs/prices/',
      ],
    },
  },
];

const verifier = [
  {
    name: 'verifier-runs-in-browsers',
    from: { path: '^libs/audit/src/', pathNot: TEST_FILES },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'verifier-is-independent',
    comment: 'What writes the log shares no code with what verifies it: a mistake of one shows in the other.',
    from: { path: '^(libs|apps)/', pathNot: [...TEST_FILES, '^libs/audit/', '^apps/(ops|console|cli)/'] },
    to: { path: '^libs/audit/' },
  },
];

const packages = [
  {
    name: 'chain-library-behind-one-door',
    comment: 'Its major versions are different libraries: only libs/solana may depend on this one.',
    from: { path: '^(libs|apps)/', pathNot: [...TEST_FILES, '^libs/solana/', '^apps/sandbox/'] },
    to: { path: npm('@solana/web3.js', '@solana/spl-token') },
  },
  {
    name: 'kafka-client-behind-one-door',
    comment: 'Two clients cannot share a consumer group, and kafkajs needs a maintainer: only libs/events knows it.',
    from: { path: '^(libs|apps)/', pathNot: [...TEST_FILES, '^libs/events/'] },
    to: { path: npm('kafkajs') },
  },
  {
    name: 'sandbox-engine-stays-in-the-sandbox',
    from: { path: '^(libs|apps)/', pathNot: [...TEST_FILES, '^apps/sandbox/'] },
    to: { path: npm('litesvm', '@solana/kit', 'smtp-server', 'postal-mime') },
  },
  {
    name: 'exchange-sdk-serves-tests',
    comment: 'By default it signs every request of the process with our key, to any host.',
    from: { path: '^(libs|apps)/', pathNot: TEST_FILES },
    to: { path: npm('kalshi-typescript', 'axios') },
  },
  {
    name: 'services-need-no-development-package',
    from: { path: `^${oneOf(foldersOf(['service', ...LAYERS.service]))}/src/`, pathNot: TEST_FILES },
    to: { dependencyTypes: ['npm-dev'] },
  },
];

const everywhere = [
  {
    name: 'through-the-front-door',
    comment: 'What a project shows to others is what its package.json exports.',
    from: { path: '^((?:libs|apps)/[^/]+)/' },
    to: {
      path: '^(libs|apps)/',
      pathNot: ['^$1/', ...PROJECTS.flatMap(({ entries }) => entries.map((e) => `^${literal(e)}$`))],
    },
  },
  {
    name: 'testing-serves-tests',
    from: { pathNot: [...TEST_FILES, '^libs/testing/'] },
    to: { path: ['^libs/testing/', '^libs/[^/]+/src/testing/'] },
  },
  { name: 'no-cycles', from: { pathNot: '/generated/' }, to: { circular: true } },
  { name: 'no-unresolved', from: {}, to: { couldNotResolve: true } },
  { name: 'no-undeclared-package', from: {}, to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] } },
  {
    name: 'no-orphans',
    comment: 'A file that nothing imports is dead.',
    from: {
      orphan: true,
      pathNot: [...TEST_FILES, '^(libs|apps)/[^/]+/(src/(index|main|demo)\\.ts$|bin/)', '/generated/'],
    },
    to: {},
  },
];

module.exports = {
  forbidden: [...betweenProjects, ...insideServices, ...verifier, ...packages, ...everywhere].map((rule) => ({
    ...rule,
    severity: 'error',
  })),
  options: {
    tsConfig: { fileName: 'tsconfig.base.json' },
    tsPreCompilationDeps: true,
    // Packages are declared once, in the workspace's package.json.
    combinedDependencies: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(libs|apps)/[^/]+/(web/)?(dist|bundle|coverage)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@agent-wallet/source', 'import', 'node', 'default'],
    },
  },
};
