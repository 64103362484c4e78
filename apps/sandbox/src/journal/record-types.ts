/** What the journal's records are. Numbers are for ever: old files are read with them. */
export const RecordType = {
  /** A transaction taken on that has not landed yet. */
  accepted: 1,
  /** A transaction that landed, with everything it did. */
  landed: 2,
  /** A transaction that was taken on and must never land. */
  dropped: 3,
  /** The chain's clock was bent: slot time, advance, skipped blocks. */
  clock: 4,
  /** A price was set, removed, aged or frozen. */
  price: 5,
  /** A token was made. */
  token: 6,
  /** A fault was armed, used or all were disarmed. */
  fault: 7,
  /** A mail arrived. */
  mail: 8,
  /** Blocks from a slot on were undone. */
  rolledBack: 9,
  /** Accounts were put in place by no transaction. */
  seeded: 10,
  /** Something moved on the exchange: an order, quotes, a market's status, a settlement. */
  exchange: 11,
  /** A series, an event or a market's texts were added to the exchange's world. */
  exchangeWorld: 12,
  /** The price of block space was set. */
  feeMarket: 13,
  /** A transaction taken on that lands only at the fee market's price. */
  acceptedAtPrice: 14,
} as const;
