// Pays once through the command line client, in this process, as `npm run clients` runs and kills it: API, TOKEN, STORE, TO
// and AMOUNT say how.
const { API, TOKEN, STORE, TO, AMOUNT } = process.env;
Object.assign(process.env, { AW_API: API, AW_TOKEN: TOKEN, AW_HOME: STORE });
process.argv.splice(2, Infinity, 'send', AMOUNT, 'USDC', TO, '--json');
await import('../../apps/cli/bin/aw.mjs');
