/** The operator's list of recipients that get no payments. */
export interface Screening {
  /** @param address base58 */
  isListed(address: string): boolean;
}
