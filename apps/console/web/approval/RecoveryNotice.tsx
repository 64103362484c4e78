import { TEXTS } from '../texts.js';
import type { RecoveryView } from './recovery-view.js';

const WORDS = TEXTS.approval.recovery;

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
