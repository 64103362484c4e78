/** The outcome for which a contract pays. */
export type Side = 'yes' | 'no';

/** Returns the side that pays when this one does not. */
export function opposite(side: Side): Side {
  return side === 'yes' ? 'no' : 'yes';
}
