/** Returns the page where an owner decides on an approval; null where the deployment serves none. */
export type ApprovalUrl = (approvalId: string) => string | null;

/** Makes the links to approvals: to a page of the owners' origin, if it serves the console. */
export function approvalUrls({
  ownerOrigin,
  hasOwnerConsole = false,
}: {
  readonly ownerOrigin?: string | undefined;
  readonly hasOwnerConsole?: boolean;
}): ApprovalUrl {
  if (ownerOrigin === undefined || !hasOwnerConsole) return () => null;
  return (approvalId) => `${ownerOrigin}/approvals/${encodeURIComponent(approvalId)}`;
}
