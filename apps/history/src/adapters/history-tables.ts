/** The tables that are made from the events. */
export interface HistoryTables {
  /** One row a record that is shown. */
  readonly transactions: string;
  /** What was shown, or would have been, and is not. */
  readonly dropped: string;
  /** How many records each list has. A list is an agent's records of one action, or of all (''). */
  readonly counts: string;
  /** Places in long lists, and how many records are older. */
  readonly pageAnchors: string;
}

/** Those that are read and written all the time. */
export const LIVE: HistoryTables = {
  transactions: 'transactions',
  dropped: 'dropped_transactions',
  counts: 'transaction_counts',
  pageAnchors: 'page_anchors',
};

/** Those that are being made to take their places. */
export const REBUILT: HistoryTables = {
  transactions: 'rebuilt_transactions',
  dropped: 'rebuilt_dropped_transactions',
  counts: 'rebuilt_transaction_counts',
  pageAnchors: 'rebuilt_page_anchors',
};
