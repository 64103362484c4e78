/** Returns the page where an owner decides on an approval; null where the deployment serves none. */
export type ApprovalUrl = (approvalId: string) => string | null;

/** Pages of the owners' console; null where the deployment serves none. */
export interface ConsolePages {
  readonly approval: ApprovalUrl;
  /** Page where a person who reads an agent's mail cancels its claims. */
  readonly claimCancellation: string | null;
}

/** Makes the links to pages of the owners' origin, if it serves the console. */
export function consolePages({
  ownerOrigin,
  hasOwnerConsole = false,
}: {
  readonly ownerOrigin?: string | undefined;
  readonly hasOwnerConsole?: boolean;
}): ConsolePages {
  if (ownerOrigin === undefined || !hasOwnerConsole) return { approval: () => null, claimCancellation: null };
  return {
    approval: (approvalId) => `${ownerOrigin}/approvals/${encodeURIComponent(approvalId)}`,
    claimCancellation: `${ownerOrigin}/cancel-claim`,
  };
}
