// Whether any log shows what it must not.
import { leaksIn, needlesOf } from './leaks.mjs';
import { nothingIn } from './table.mjs';

/** Looks for every secret of the namespace, and for what the load was given, in everything that was printed. */
export async function scanLogs({ cluster, table, logs, secrets }) {
  await table.check('no secret in any log', async () => {
    const mails = await otps(cluster);
    const found = [
      ...needlesOf(await cluster.list(cluster.at('secrets'))),
      ...secrets.map((text) => ({ what: /^\d+$/.test(text) ? 'a login code' : 'a session token', text })),
      ...mails.map((text) => ({ what: 'a login code', text })),
    ];
    const all = await logs.all();
    const kilobytes = Math.round(all.reduce((sum, { text }) => sum + text.length, 0) / 1024);
    const what = new Set(found.map((needle) => needle.what)).size;
    const seen = `${all.length} logs, ${kilobytes} KB; ${new Set(found.map(({ text }) => text)).size} texts of ${what} kinds`;
    return nothingIn(leaksIn(all, found), seen);
  });
}

/** Every code that was ever mailed. */
async function otps(cluster) {
  const [pod] = await cluster.pods('app.kubernetes.io/name=sandbox');
  const ask = `fetch('http://127.0.0.1:8905/inbox').then((answer) => answer.text()).then(console.log)`;
  const printed = await cluster.exec({ pod: pod.metadata.name, command: ['node', '-e', ask] });
  return [...printed.matchAll(/(?<!\d)\d{6}(?!\d)/g)].map(([code]) => code);
}
