import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../api/client.js';
import { KEYS } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { ApprovalReview } from '../approval/ApprovalReview.js';
import { TEXTS } from '../texts.js';
import type { KeptClaim } from './kept-claim.js';
import { MailedCode, type ReadCode } from './MailedCode.js';

type Claim = Pick<KeptClaim, 'approvalId' | 'agentId'>;

interface ClaimStepProps {
  /** Claim that waits for the signature. */
  readonly claim: Claim | undefined;
  readonly onClaim: (claim: Claim | undefined) => void;
  /** Called once it is signed or rejected. */
  readonly onDecided: () => void;
  /** Called when the agent is the owner's at once. */
  readonly onSigned: () => void;
}

/** Claims an agent: a code of its mailbox, and then a signature over its whole policy. */
export function ClaimStep({ claim, onClaim, onDecided, onSigned }: ClaimStepProps) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [keepSessions, setKeepSessions] = useState(true);
  const request = async ({ email: agentEmail, otpId, otpCode }: ReadCode) => {
    const body = { agentEmail, otpId, otpCode, keepSessions };
    const { approval } = await dataOf(api.POST('/owner/claims', { body }));
    onClaim({ approvalId: approval.id, agentId: approval.agentId! });
  };
  const signed = () => {
    void queries.invalidateQueries({ queryKey: KEYS.agents });
    onSigned();
  };
  if (claim) {
    return (
      <>
        <ApprovalReview approvalId={claim.approvalId} onApproved={signed} onDecided={onDecided} />
        <button type="button" className="link" onClick={() => onClaim(undefined)}>
          {TEXTS.welcome.claimOther}
        </button>
      </>
    );
  }
  return (
    <>
      <h2>{TEXTS.welcome.claimTitle}</h2>
      <p>{TEXTS.welcome.claimText}</p>
      <MailedCode
        label={TEXTS.welcome.claimEmail}
        submit={TEXTS.welcome.claimReview}
        sentTo={TEXTS.welcome.claimCodeSent}
        start={async (agentEmail) => (await dataOf(api.POST('/owner/claims/start', { body: { agentEmail } }))).otpId}
        complete={request}
      >
        <label className="check">
          <input
            type="checkbox"
            checked={keepSessions}
            aria-describedby="keep-hint"
            onChange={({ target }) => setKeepSessions(target.checked)}
          />
          {TEXTS.welcome.claimKeep}
        </label>
        <p id="keep-hint" className="hint">
          {TEXTS.welcome.claimKeepHint}
        </p>
      </MailedCode>
    </>
  );
}
