/** Settings of the console that owners sign at. */
export interface OwnerSettings {
  /** Origin of the console, as browsers send it. */
  readonly origin: string;
  /** The relying party of passkeys: the origin's host, or a parent domain. */
  readonly rpId: string;
  /** Time from the signature of a claim until it takes effect, in which the agent's mailbox can cancel it. */
  readonly claimDelayHours: number;
}

/** Returns why a relying party cannot serve an origin; undefined when it can. */
export function rpIdProblem(rpId: string, origin: string): string | undefined {
  const host = new URL(origin).hostname;
  if (rpId === host || (rpId.includes('.') && host.endsWith(`.${rpId}`))) return undefined;
  return 'must be the host of OWNER_ORIGIN or a parent domain of it';
}
