// The result as a page of the docs.

/** What was done and what was found, in Markdown. */
export function reportOf({ minutes, agents, seed, busy, trouble, checks }) {
  const sum = (key) => busy.reduce((total, { counts }) => total + counts[key], 0);
  const ended = (status) => busy.flatMap(({ transfers }) => transfers).filter((each) => each.status === status).length;
  const wrong = checks.all.filter(({ ok }) => !ok);
  return `\`npm run soak -- --minutes ${minutes} --agents ${agents} --seed ${seed}\`, two copies of each service.

| What agents did                                | Count |
| ---------------------------------------------- | ----: |
| transfers asked for                            | ${sum('transfers')} |
| … confirmed                                    | ${ended('confirmed')} |
| answers of 5xx: nothing was done               | ${sum('retries')} |
| refused, each for a reason                     | ${sum('refused')} |
| trades asked for                               | ${sum('trades')} |
| orders of contracts asked for                  | ${sum('orders')} |
| deposits from outside                          | ${sum('deposits')} |
| reads                                          | ${sum('reads')} |
| changes of policy                              | ${sum('policies')} |

Trouble: ${Object.entries(trouble)
    .map(([name, count]) => `${name} × ${count}`)
    .join(', ')}.

At the end: ${wrong.length === 0 ? 'chain, operations, reservations, books and history agree to the base unit.' : '**they do not agree.**'}

${checks.all.map(({ name, ok, found }) => `- ${ok ? 'none' : `**${found}**`}: ${name}`).join('\n')}
`;
}
