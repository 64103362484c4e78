// In which roles the fuzzer comes.

/** Routes that end the session they are called with. */
const ENDING = ['/connect/logout', '/connect/refresh'];

/**
 * Each round's options for Schemathesis, and its examples an operation for every request of the whole run: how many
 * requests come of an example differs with the phases.
 */
export const ROUNDS = [
  {
    name: 'an agent',
    examplesPerCase: 1 / 80,
    options: async (deployment) => [...bearer(await deployment.agent({ SOL: 10, USDC: 10_000 })), ...without(ENDING)],
  },
  { name: 'a stranger', examplesPerCase: 1 / 200, options: async () => [] },
  {
    name: 'an agent that leaves',
    examplesPerCase: 1 / 400,
    options: async (deployment) => [
      ...bearer(await deployment.agent()),
      ...ENDING.flatMap((p) => ['--include-path', p]),
    ],
  },
];

const bearer = ({ token }) => ['--header', `Authorization: Bearer ${token}`];
const without = (paths) => paths.flatMap((path) => ['--exclude-path', path]);
