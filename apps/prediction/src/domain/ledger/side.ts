/** Which way a contract pays. */
export type Side = 'yes' | 'no';

/** The side that is paid when this one is not. */
export function opposite(side: Side): Side {
  return side === 'yes' ? 'no' : 'yes';
}
