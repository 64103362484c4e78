import type { historyV1 } from '@agent-wallet/contracts';
import type { CallerLists } from '@agent-wallet/platform';

/** Callers allowed for each method. */
export const HISTORY_CALLERS: CallerLists<typeof historyV1.HistoryServiceService> = {
  listTransactions: ['gateway'],
  getTransaction: ['gateway'],
  sumSpending: ['gateway'],
  getProof: ['gateway'],
  findChanges: ['gateway'],
  followChanges: ['gateway'],
  listOperationStates: ['ops'],
  listUnprocessableEvents: ['ops'],
};
