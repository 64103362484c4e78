/**
 * Reader of a recovery: the owner with a passkey, whom a stranger may rob; the owner without one, who asked or is robbed; or
 * another owner, who may vouch.
 */
export type RecoveryView = 'has_passkey' | 'lost_passkey' | 'other_owner';

/** Returns who reads a recovery. */
export function viewOf(isOwn: boolean, authenticatedBy: string): RecoveryView {
  if (!isOwn) return 'other_owner';
  return authenticatedBy === 'passkey' ? 'has_passkey' : 'lost_passkey';
}
