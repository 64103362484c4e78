// In which roles the fuzzer comes.

/** Routes that end the session they are called with. */
const ENDING = ['/connect/logout', '/connect/refresh'];

/** A stream goes on: its answer has no end. */
const STREAM = '/wallets/me/events';

/** Each round's options for Schemathesis, and how many examples it makes up for each operation. */
export const ROUNDS = [
  {
    name: 'an agent',
    examples: 60,
    options: async (deployment) => [
      ...bearer(await deployment.agent({ SOL: 10, USDC: 10_000 })),
      ...without([...ENDING, STREAM]),
    ],
  },
  { name: 'a stranger', examples: 20, options: async () => [] },
  { name: 'a stranger at the console', document: '/owner/openapi.json', examples: 10, options: async () => [] },
  {
    name: 'an agent that leaves',
    examples: 5,
    options: async (deployment) => [
      ...bearer(await deployment.agent()),
      ...ENDING.flatMap((p) => ['--include-path', p]),
    ],
  },
];

const bearer = ({ token }) => ['--header', `Authorization: Bearer ${token}`];
const without = (paths) => paths.flatMap((path) => ['--exclude-path', path]);
