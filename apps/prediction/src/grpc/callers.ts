import type { predictionV1 } from '@agent-wallet/contracts';
import type { CallerLists } from '@agent-wallet/platform';

/** Callers that may use each method on agents' money. */
export const PREDICTION_CALLERS: CallerLists<typeof predictionV1.PredictionServiceService> = {
  buy: ['gateway'],
  dryRunBuy: ['gateway'],
  sell: ['gateway'],
  dryRunSell: ['gateway'],
  withdraw: ['gateway'],
  getBalance: ['gateway'],
  listPositions: ['gateway'],
  listOrders: ['gateway'],
};

/** Callers that may read the catalog. */
export const CATALOG_CALLERS: CallerLists<typeof predictionV1.CatalogServiceService> = {
  listCategories: ['gateway'],
  listSports: ['gateway'],
  listMarkets: ['gateway'],
  getMarket: ['gateway'],
  getOrderbook: ['gateway'],
  listEvents: ['gateway'],
  getEvent: ['gateway'],
  listSeries: ['gateway'],
  getSeries: ['gateway'],
  listMilestones: ['gateway'],
  getMilestone: ['gateway'],
  listStructuredTargets: ['gateway'],
  getStructuredTarget: ['gateway'],
};

/** Callers that may use the ledger. */
export const LEDGER_CALLERS: CallerLists<typeof predictionV1.LedgerServiceService> = {
  reconcile: ['ops'],
  attributeFunds: ['ops'],
  resumeOrders: ['ops'],
  abandonOrder: ['ops'],
};
