import { predictionV1 } from '@agent-wallet/contracts';
import {
  type BackgroundLoop,
  type ClientTlsPaths,
  loadTls,
  type Logger,
  openRpcClient,
  type RpcClient,
  startLoop,
} from '@agent-wallet/platform';
import type { Infrastructure } from '../infrastructure/infrastructure.js';

const POLL_EVERY_MS = 2_000;

/** Places to which the sandbox gives money at the start. */
const PLACES = ['treasury', 'exchange'] as const;

/**
 * In a sandbox: says that what the treasury and the exchange's account begin with is the operator's, as an operator does
 * with `npm run ops -- funds attribute`. What comes later is not looked at.
 */
export class FirstFunds {
  readonly #ledger: RpcClient<typeof predictionV1.LedgerServiceService>;
  readonly #operator: string;
  #hasBegun = false;
  #isDone = false;

  private constructor(ledger: RpcClient<typeof predictionV1.LedgerServiceService>, operator: string) {
    this.#ledger = ledger;
    this.#operator = operator;
  }

  /** Speaks to the prediction service at an address, with the certificate of those who run it, in an operator's name. */
  static async open(address: string, { ops }: { readonly ops: ClientTlsPaths }, operator: string): Promise<FirstFunds> {
    const ledger = openRpcClient({
      definition: predictionV1.LedgerServiceService,
      peer: { address, service: 'prediction' },
      tls: await loadTls(ops),
    });
    return new FirstFunds(ledger, operator);
  }

  /**
   * Attributes it once the ledger has found it in both places, which takes them half a minute: from then on there is money
   * of the operator in the ledger, from this start or an earlier one. Resolves to whether there is.
   */
  async attribute(): Promise<boolean> {
    this.#isDone ||= await this.#attributeWhatBegan();
    return this.#isDone;
  }

  close(): void {
    this.#ledger.close();
  }

  async #attributeWhatBegan(): Promise<boolean> {
    const { accounts, comparisons, complete } = await this.#ledger.reconcile({});
    const isEmpty = (name: string) => !accounts.some(({ kind, balanceUsdMicros }) => kind === name && balanceUsdMicros);
    const found = PLACES.filter((place) => !isEmpty(`suspense_${place}`));
    // What was begun is done to its end, even after a failure.
    if (!this.#hasBegun && !isEmpty('operator_float')) return true;
    // Who bets meanwhile has the money found in parts: what a block has that is not final yet comes later.
    const isAllFound =
      complete && comparisons.every(({ ledgerAmount, externalAmount }) => ledgerAmount === externalAmount);
    if (!this.#hasBegun && (found.length < PLACES.length || !isAllFound)) return false;
    this.#hasBegun = true;
    const note = { operator: this.#operator, reason: 'what the sandbox gives to begin with' };
    await Promise.all(
      found.map((place) => this.#ledger.attributeFunds({ location: place, amountUsdMicros: 0n, ...note })),
    );
    return true;
  }
}

/** Does so in the background, every two seconds until it is stopped. */
export async function attributeFirstFunds(
  address: string,
  { certificates }: Pick<Infrastructure, 'certificates'>,
  logger: Logger,
): Promise<BackgroundLoop> {
  const funds = await FirstFunds.open(address, certificates, 'npm start');
  const round = async (): Promise<boolean> => {
    await funds.attribute();
    return false;
  };
  const loop = startLoop({ name: 'first-funds', idleMs: POLL_EVERY_MS, logger, round });
  return { ...loop, stop: () => loop.stop().finally(() => funds.close()) };
}
