import { predictionV1 } from '@agent-wallet/contracts';
import { type BackgroundLoop, loadTls, type Logger, openRpcClient, startLoop } from '@agent-wallet/platform';
import type { Infrastructure } from '../infrastructure/infrastructure.js';

const LOOK_EVERY_MS = 2_000;

/**
 * In a sandbox: says that what the treasury and the exchange's account begin with is the operator's, as an operator does
 * with `npm run ops -- attribute-funds`. The books find it within half a minute; what comes later is not looked at.
 */
export async function attributeFirstFunds(
  address: string,
  { certificates }: Pick<Infrastructure, 'certificates'>,
  logger: Logger,
): Promise<BackgroundLoop> {
  const books = openRpcClient({
    definition: predictionV1.BooksServiceService,
    peer: { address, service: 'prediction' },
    tls: await loadTls(certificates.ops),
  });
  let missing: readonly string[] | undefined;
  const attribute = async (place: string): Promise<boolean> => {
    const note = { operator: 'npm start', reason: 'what the sandbox gives to begin with' };
    return (await books.attributeFunds({ place, amountUsdMicros: 0n, ...note })).amountUsdMicros > 0n;
  };
  const round = async (): Promise<boolean> => {
    missing ??= (await isAttributed(books)) ? [] : ['treasury', 'exchange'];
    const done = await Promise.all(missing.map(attribute));
    missing = missing.filter((_, n) => !done[n]);
    return false;
  };
  const loop = startLoop({ name: 'first-funds', idleMs: LOOK_EVERY_MS, logger, round });
  return { ...loop, stop: () => loop.stop().finally(() => books.close()) };
}

/** Whether there is money of the operator in the books, from an earlier start. */
async function isAttributed(books: {
  reconcile(request: object): Promise<predictionV1.ReconcileResponse>;
}): Promise<boolean> {
  const { accounts } = await books.reconcile({});
  return accounts.some(({ kind, balanceUsdMicros }) => kind === 'operator_float' && balanceUsdMicros !== 0n);
}
