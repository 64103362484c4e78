/** Places that stay free for each place that a holder has. A holder alone has a tenth of all. */
const FREE_FOR_EACH = 9;

/** Places that are taken once a request is granted. */
interface TakenPlaces {
  readonly all: number;
  readonly byHolder: number;
}

/**
 * Returns whether a holder may take what it requests: afterwards, nine places are free for each one that it has. So no
 * holder takes more than a tenth of what the others left, and a newcomer finds at least 0.9 to the power of `n` of the
 * places beside `n` holders, also where these left and came back.
 */
export function hasShare({ all, byHolder }: TakenPlaces, places: number): boolean {
  return places - all >= FREE_FOR_EACH * byHolder;
}
