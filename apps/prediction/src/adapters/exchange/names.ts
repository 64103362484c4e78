/** Tickers and ids as the exchange makes them; nothing else gets into a path. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;

/** Reports whether a text can be a ticker or an ID of the exchange. */
export function isName(putative: string): boolean {
  return NAME.test(putative);
}
