import { predictionV1 } from '@agent-wallet/contracts';
import {
  type BackgroundLoop,
  loadTls,
  type Logger,
  openRpcClient,
  type RpcClient,
  startLoop,
} from '@agent-wallet/platform';
import type { Infrastructure } from '../infrastructure/infrastructure.js';

const LOOK_EVERY_MS = 2_000;

/** Where the sandbox gives money to begin with. */
const PLACES = ['treasury', 'exchange'] as const;

/**
 * In a sandbox: says that what the treasury and the exchange's account begin with is the operator's, as an operator does
 * with `npm run ops -- attribute-funds`. What comes later is not looked at.
 */
export class FirstFunds {
  readonly #books: RpcClient<typeof predictionV1.BooksServiceService>;
  readonly #operator: string;
  #missing: readonly string[] | undefined;

  private constructor(books: RpcClient<typeof predictionV1.BooksServiceService>, operator: string) {
    this.#books = books;
    this.#operator = operator;
  }

  /** Speaks to the prediction service at an address, with the certificate of those who run it, in somebody's name. */
  static async open(
    address: string,
    { ops }: Pick<Infrastructure['certificates'], 'ops'>,
    operator: string,
  ): Promise<FirstFunds> {
    const books = openRpcClient({
      definition: predictionV1.BooksServiceService,
      peer: { address, service: 'prediction' },
      tls: await loadTls(ops),
    });
    return new FirstFunds(books, operator);
  }

  /** Attributes what the books have found by now, which takes them half a minute. Resolves to whether that is all of it. */
  async attribute(): Promise<boolean> {
    this.#missing ??= (await this.#isAttributed()) ? [] : PLACES;
    const done = await Promise.all(this.#missing.map((place) => this.#attributeAt(place)));
    this.#missing = this.#missing.filter((_, n) => !done[n]);
    return this.#missing.length === 0;
  }

  close(): void {
    this.#books.close();
  }

  async #attributeAt(place: string): Promise<boolean> {
    const note = { operator: this.#operator, reason: 'what the sandbox gives to begin with' };
    return (await this.#books.attributeFunds({ place, amountUsdMicros: 0n, ...note })).amountUsdMicros > 0n;
  }

  /** Whether there is money of the operator in the books, from an earlier start. */
  async #isAttributed(): Promise<boolean> {
    const { accounts } = await this.#books.reconcile({});
    return accounts.some(({ kind, balanceUsdMicros }) => kind === 'operator_float' && balanceUsdMicros !== 0n);
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
  const loop = startLoop({ name: 'first-funds', idleMs: LOOK_EVERY_MS, logger, round });
  return { ...loop, stop: () => loop.stop().finally(() => funds.close()) };
}
