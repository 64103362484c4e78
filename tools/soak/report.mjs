// The result as a page of the docs.

/** What was done and what was found, in Markdown. */
export function reportOf({ minutes, agents, seed, busy, trouble, checks }) {
  const sum = (key) => busy.reduce((total, { counts }) => total + counts[key], 0);
  const ended = (status) => busy.flatMap(({ transfers }) => transfers).filter((each) => each.status === status).length;
  const wrong = checks.all.filter(({ ok }) => !ok);
  return `\`npm run soak -- --minutes ${minutes} --agents ${agents} --seed ${seed}\`, two replicas of each service.

| Requests                                       | Count |
| ---------------------------------------------- | ----: |
| transfers requested                            | ${sum('transfers')} |
| … confirmed                                    | ${ended('confirmed')} |
| 5xx responses without an effect                | ${sum('retries')} |
| refused, each for a reason                     | ${sum('refused')} |
| trades requested                               | ${sum('trades')} |
| orders of contracts requested                  | ${sum('orders')} |
| deposits                          | ${sum('deposits')} |
| reads                                          | ${sum('reads')} |
| policy changes                              | ${sum('policies')} |

Trouble: ${Object.entries(trouble)
    .map(([name, count]) => `${name} × ${count}`)
    .join(', ')}.

At the end: ${wrong.length === 0 ? 'chain, operations, reservations, ledger and history agree to the base unit.' : '**they do not agree.**'}

${checks.all.map(({ name, ok, found }) => `- ${ok ? 'none' : `**${found}**`}: ${name}`).join('\n')}
`;
}
