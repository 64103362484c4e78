// Pays once through the TypeScript SDK, as `npm run clients` runs and kills it: API, TOKEN, STORE, TO and AMOUNT say how.
import { AgentWallet } from '@agent-wallet/sdk';
import { FileStore } from '@agent-wallet/sdk/node';

const { API, TOKEN, STORE, TO, AMOUNT } = process.env;
const options = { baseUrl: API, store: new FileStore(STORE), timeoutMs: 2_000, retryForMs: 30_000 };
const wallet = new AgentWallet(options, TOKEN);
const { signature } = await wallet.transfer({ to: TO, amount: AMOUNT, mint: 'USDC' });
console.log(signature);
