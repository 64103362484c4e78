// The result as a page of the docs.

/** What was done and what was found, in Markdown. */
export function reportOf({ minutes, agents, seed, busy, trouble, checks }) {
  const sum = (key) => busy.reduce((total, { counts }) => total + counts[key], 0);
  const ended = (status) => busy.flatMap(({ transfers }) => transfers).filter((each) => each.status === status).length;
  const wrong = checks.all.filter(({ ok }) => !ok);
  return `# The last soak

\`npm run soak -- --minutes ${minutes} --agents ${agents} --seed ${seed}\`, two copies of gateway, wallet and policy.

| What agents did                                | Count |
| ---------------------------------------------- | ----: |
| transfers asked for                            | ${sum('transfers')} |
| … confirmed                                    | ${ended('confirmed')} |
| … failed or expired, then asked for anew       | ${sum('retries')} |
| … refused by policy or for lack of funds       | ${sum('refused')} |
| deposits from outside                          | ${sum('deposits')} |
| reads                                          | ${sum('reads')} |
| changes of policy                              | ${sum('policies')} |

Trouble: ${Object.entries(trouble)
    .map(([name, count]) => `${name} × ${count}`)
    .join(', ')}.

At the end: ${wrong.length === 0 ? 'chain, operations, reservations and history agree to the base unit.' : '**they do not agree.**'}

${checks.all.map(({ name, ok, found }) => `- ${ok ? 'none' : `**${found}**`}: ${name}`).join('\n')}
`;
}
