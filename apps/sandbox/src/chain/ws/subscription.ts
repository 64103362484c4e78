import type { Key } from '../../encoding/keys.js';
import { keyText } from '../../encoding/keys.js';
import { type AccountFormat, encodeAccount } from '../rpc/account-encoding.js';
import type { Account } from '../account.js';
import type { Chain, Commitment, View } from '../chain.js';
import { errorOf } from '../rpc/history-methods.js';
import type { Landed } from '../ledger.js';

/** A landing that log subscribers may not have heard of yet. */
export interface LoggedLanding {
  readonly landed: Landed;
  readonly accounts: ReadonlySet<Key>;
  readonly logs: readonly string[];
}

/** What a subscriber gets: the results, and whether that was all. */
interface News {
  readonly results: readonly unknown[];
  readonly isLast?: boolean;
}

/** One subscription; asked again whenever a slot began or a transaction landed. */
export interface Subscription {
  /** The method of its notifications, such as `signatureNotification`. */
  readonly notification: string;
  readonly news: (view: View, landings: readonly LoggedLanding[]) => News;
}

const NOTHING: News = { results: [] };

/** Reports once, when a transaction has reached the commitment. */
export function signatureSubscription(chain: Chain, signature: Key, commitment: Commitment): Subscription {
  return {
    notification: 'signatureNotification',
    news: (view) => {
      const landed = chain.ledger.get(signature);
      if (!landed || landed.slot > view[commitment]) return NOTHING;
      return { results: [withContext(landed.slot, { err: errorOf(landed) })], isLast: true };
    },
  };
}

/** Reports each new state of an account at the commitment. */
export function accountSubscription(
  chain: Chain,
  key: Key,
  commitment: Commitment,
  format: AccountFormat,
): Subscription {
  let last = chain.account(key, chain.view()[commitment]);
  return {
    notification: 'accountNotification',
    news: (view) => {
      const slot = view[commitment];
      const find = (other: Key): Account | undefined => chain.account(other, slot);
      const now = find(key);
      if (now === last) return NOTHING;
      last = now;
      const gone = { lamports: 0n, owner: '\0'.repeat(32) as Key, data: Buffer.alloc(0), executable: false };
      return { results: [withContext(slot, encodeAccount(now ?? gone, format, find))] };
    },
  };
}

/** Reports the logs of landings, of all or of those that name an account, as they reach the commitment. */
export function logsSubscription(chain: Chain, mentions: Key | undefined, commitment: Commitment): Subscription {
  let heardTo = chain.ledger.count;
  return {
    notification: 'logsNotification',
    news: (view, landings) => {
      const results: unknown[] = [];
      for (const { landed, accounts, logs } of landings) {
        if (landed.index < heardTo) continue;
        if (landed.slot > view[commitment]) break;
        heardTo = landed.index + 1;
        if (mentions !== undefined && !accounts.has(mentions)) continue;
        results.push(withContext(landed.slot, { signature: keyText(landed.signature), err: errorOf(landed), logs }));
      }
      return { results };
    },
  };
}

/** Reports each new head. */
export function slotSubscription(chain: Chain): Subscription {
  let last = chain.view().processed;
  return {
    notification: 'slotNotification',
    news: ({ processed, finalized }) => {
      if (processed === last) return NOTHING;
      const parent = last;
      last = processed;
      return { results: [{ parent, root: finalized, slot: processed }] };
    },
  };
}

/** Reports each new final slot. */
export function rootSubscription(chain: Chain): Subscription {
  let last = chain.view().finalized;
  return {
    notification: 'rootNotification',
    news: ({ finalized }) => {
      if (finalized === last) return NOTHING;
      last = finalized;
      return { results: [finalized] };
    },
  };
}

function withContext(slot: number, value: unknown): unknown {
  return { context: { slot }, value };
}
