/** The tables that are made from the events. */
export interface HistoryTables {
  /** One row a record that is shown. */
  readonly transactions: string;
  /** Records that were shown, or would have been, and are not. */
  readonly dropped: string;
  /** Value that policy settled of each operation. */
  readonly settled: string;
  /** Number of records in each list. A list is an agent's records of one action, or of all (''). */
  readonly counts: string;
  /** Places in long lists, and how many records are older. */
  readonly pageAnchors: string;
}

/** Tables that are read and written all the time. */
export const LIVE: HistoryTables = {
  transactions: 'transactions',
  dropped: 'dropped_transactions',
  settled: 'settled_values',
  counts: 'transaction_counts',
  pageAnchors: 'page_anchors',
};

/** Tables that a rebuild fills to replace the live ones. */
export const REBUILT: HistoryTables = {
  transactions: 'rebuilt_transactions',
  dropped: 'rebuilt_dropped_transactions',
  settled: 'rebuilt_settled_values',
  counts: 'rebuilt_transaction_counts',
  pageAnchors: 'rebuilt_page_anchors',
};
