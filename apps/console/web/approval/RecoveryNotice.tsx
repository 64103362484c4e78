import { TEXTS } from '../texts.js';

const WORDS = TEXTS.approval.recovery;

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

interface RecoveryNoticeProps {
  readonly approvalId: string;
  readonly view: RecoveryView;
  readonly state: string;
}

/** Says what a recovery means for its reader: an alarm to the owner whose passkeys work. */
export function RecoveryNotice({ approvalId, view, state }: RecoveryNoticeProps) {
  if (state !== 'pending' && state !== 'approved') return null;
  if (view === 'other_owner') return <p className="notice">{WORDS.vouch}</p>;
  if (view === 'has_passkey') {
    return (
      <div className="notice bad" role="alert">
        <strong>{WORDS.alarm}</strong>
        <p>{WORDS.alarmText}</p>
      </div>
    );
  }
  // Once it is confirmed, the result says when it takes effect.
  if (state === 'approved') return null;
  return (
    <div className="notice">
      <ol>
        <li>{TEXTS.approval.recoveryNumber(approvalId)}</li>
        <li>{WORDS.wait}</li>
      </ol>
      <p>{WORDS.notMe}</p>
    </div>
  );
}
