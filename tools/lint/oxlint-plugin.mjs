// The rules of .oxlintrc.json that oxlint does not have. It has no `no-restricted-syntax`.

const CLOCK = 'Take the time from the Clock of the kernel.';
const SQL = 'SQL stands in adapters: the application declares a port, and an adapter carries it out.';

/** Rejects `new Date()`, which reads the wall clock. */
const noNewDate = {
  create: (context) => ({
    NewExpression(node) {
      if (node.callee.name === 'Date' && node.arguments.length === 0) context.report({ node, message: CLOCK });
    },
  }),
};

/** Rejects `query(…)` and `….query(…)`: every statement, whether for a pool, a transaction or a client of `pg`. */
const sqlInAdapters = {
  create: (context) => ({
    CallExpression(node) {
      const name = node.callee.property?.name ?? node.callee.name;
      if (name === 'query') context.report({ node, message: SQL });
    },
  }),
};

export default {
  meta: { name: 'agent-wallet' },
  rules: { 'no-new-date': noNewDate, 'sql-in-adapters': sqlInAdapters },
};
