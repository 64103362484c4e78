const KEY = 'claim';

/** A claim under way, so that a reload goes on with it. It has no secret: the approval is read with the session alone. */
export interface KeptClaim {
  readonly ownerId: string;
  readonly approvalId: string;
  readonly agentId: string;
  /** Whether only the limits are left to choose. */
  readonly isSigned: boolean;
}

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Keeps a claim for this tab of the browser; undefined forgets it. */
export function keepClaim(storage: Kept, claim: KeptClaim | undefined): void {
  if (claim) storage.setItem(KEY, JSON.stringify(claim));
  else storage.removeItem(KEY);
}

/** Returns the claim that an owner has under way; undefined where there is none, or where it is another owner's. */
export function keptClaim(storage: Kept, ownerId: string): KeptClaim | undefined {
  try {
    const claim = JSON.parse(storage.getItem(KEY) ?? 'null') as KeptClaim | null;
    return claim?.ownerId === ownerId ? claim : undefined;
  } catch {
    return undefined;
  }
}
