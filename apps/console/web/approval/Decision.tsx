import { nowMs } from '../app/now.js';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../api/client.js';
import { KEYS } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { Confirm, ErrorNotice } from '../parts/parts.js';
import { showTime } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import { decodeDocument, signingProblem, type Subject } from './decode-document.js';
import type { RecoveryView } from './recovery-view.js';
import { signDocument } from './sign.js';
import { type Trust, TrustChoice, useTrustChoice } from './TrustChoice.js';

/** Follow-up of a decision. */
export interface FollowUp {
  /** App that gets the token which the approval opens. */
  readonly connectionId?: string | undefined;
  /** Takes the address of the app that got the token. */
  readonly onApproved?: ((redirectTo?: string) => void) | undefined;
  readonly onRejected?: (() => void) | undefined;
  /** Called once it is decided, either way. */
  readonly onDecided?: (() => void) | undefined;
}

interface DecisionProps extends FollowUp {
  readonly approvalId: string;
  readonly kind: Subject['kind'];
  /** The bytes that were decoded and shown. */
  readonly document: string;
  readonly decided: Decided;
  /** Trust that the document of a payment gives its recipient; undefined for all else. */
  readonly trust: Trust | undefined;
  /** Whether it asks the reader to join an agent, once an owner has signed. */
  readonly isJoining?: boolean | undefined;
  /** Reader of a recovery; undefined for all else. */
  readonly recovery?: RecoveryView | undefined;
}

/** State of an approval, and the time of its effect. */
export interface Decided {
  readonly state: string;
  /** When a signed claim takes effect; null where that is at once. */
  readonly effectiveAt: string | null;
}

/** Approves by a signature, or rejects. */
export function Decision({
  approvalId,
  kind,
  document,
  decided,
  trust,
  isJoining,
  recovery,
  ...followUp
}: DecisionProps) {
  const [isAsking, setAsking] = useState(false);
  const { approve, reject } = useDecision(approvalId, document, followUp);
  const choice = useTrustChoice(approvalId);
  // Once it is decided, what the service says counts: an approved payment may have begun.
  const result = reject.data ?? (decided.state === 'pending' ? (approve.data ?? decided) : decided);
  const { state } = result;
  if (state !== 'pending' && state !== 'approved') return <Result {...result} kind={kind} />;
  const isOpen = state === 'pending' || (isJoining === true && approve.data === undefined);
  const words =
    recovery === 'has_passkey'
      ? NOT_ME
      : isOpen || kind === 'recovery'
        ? REJECT
        : result.effectiveAt === null
          ? TAKE_BACK
          : TAKE_BACK_CLAIM;
  const isBusy = approve.isPending || reject.isPending || choice.isPending;
  const approveText = approve.isPending ? WORDS.working : kind === 'objection' ? WORDS.object : WORDS.approve;
  const error = approve.error ?? reject.error ?? choice.error;
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      {!isOpen && <Result {...result} kind={kind} />}
      {state === 'pending' && trust && <TrustChoice chosen={trust} isBusy={isBusy} onChoose={choice.mutate} />}
      <Buttons
        approve={isOpen && (recovery === undefined || recovery === 'other_owner') ? approveText : undefined}
        reject={kind !== 'objection' && recovery !== 'other_owner' ? words.yes : undefined}
        isAlarm={recovery === 'has_passkey'}
        isBusy={isBusy}
        onApprove={() => approve.mutate()}
        onReject={() => setAsking(true)}
      />
      {isAsking && <Confirm {...words} onYes={() => reject.mutate()} onClose={() => setAsking(false)} />}
    </>
  );
}

interface ButtonsProps {
  /** Text of the button; undefined where there is none. */
  readonly approve: string | undefined;
  readonly reject: string | undefined;
  readonly isAlarm: boolean;
  readonly isBusy: boolean;
  readonly onApprove: () => void;
  readonly onReject: () => void;
}

function Buttons({ approve, reject, isAlarm, isBusy, onApprove, onReject }: ButtonsProps) {
  return (
    <div className="actions decision">
      {approve !== undefined && (
        <button type="button" disabled={isBusy} onClick={onApprove}>
          {approve}
        </button>
      )}
      {reject !== undefined && (
        <button type="button" className={isAlarm ? 'danger' : 'quiet'} disabled={isBusy} onClick={onReject}>
          {reject}
        </button>
      )}
    </div>
  );
}

const { approval: WORDS } = TEXTS;
const REJECT = { yes: WORDS.reject, title: WORDS.rejectTitle, text: WORDS.rejectText };
const NOT_ME = { yes: WORDS.recovery.reject, title: WORDS.rejectTitle, text: WORDS.recovery.rejectText };
const TAKE_BACK = { yes: WORDS.takeBack, title: WORDS.takeBackTitle, text: WORDS.takeBackText };
const TAKE_BACK_CLAIM = { yes: WORDS.takeBack, title: WORDS.takeBackClaimTitle, text: WORDS.takeBackClaimText };

function useDecision(
  approvalId: string,
  document: string,
  { connectionId, onApproved, onRejected, onDecided }: FollowUp,
) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const params = { path: { approvalId } };
  const refresh = () => {
    onDecided?.();
    void queries.invalidateQueries({ queryKey: KEYS.approvals });
    void queries.invalidateQueries({ queryKey: ['agent'] });
    void queries.invalidateQueries({ queryKey: KEYS.agents });
    void queries.invalidateQueries({ queryKey: KEYS.owner });
  };
  const approve = useMutation({
    mutationFn: async () => {
      // Time has passed since the page was shown.
      const signing = { approvalId, origin: location.origin, nowMs: nowMs() };
      if (signingProblem(decodeDocument(document), signing)) throw new Error('the document may not be signed');
      const assertion = await signDocument(document);
      const route = '/owner/approvals/{approvalId}/approve' as const;
      const { approval, redirectTo } = await dataOf(api.POST(route, { params, body: { assertion, connectionId } }));
      return { ...decidedIn(approval), redirectTo };
    },
    onSuccess: ({ state, effectiveAt, redirectTo }) => {
      refresh();
      if (GOOD.has(state) && effectiveAt === null) onApproved?.(redirectTo);
    },
  });
  const reject = useMutation({
    mutationFn: async () => {
      const route = '/owner/approvals/{approvalId}/reject' as const;
      return decidedIn((await dataOf(api.POST(route, { params, body: {} }))).approval);
    },
    onSuccess: () => {
      refresh();
      onRejected?.();
    },
  });
  return { approve, reject };
}

function decidedIn({ state, effectiveAt }: Decided): Decided {
  return { state, effectiveAt };
}

function Result({ state, effectiveAt, kind }: Decided & Pick<DecisionProps, 'kind'>) {
  return (
    <p className={`notice ${GOOD.has(state) ? 'good' : ''}`} role="status">
      {state === 'approved' && effectiveAt !== null ? laterText(kind, showTime(effectiveAt)) : textOf(state, kind)}
    </p>
  );
}

const GOOD = new Set(['applied', 'approved', 'used']);

function laterText(kind: Subject['kind'], time: string): string {
  return kind === 'recovery' ? WORDS.recoveryConfirmed(time) : WORDS.claimSigned(time);
}

function textOf(state: string, kind: Subject['kind']): string {
  if (kind === 'objection' && state === 'applied') return WORDS.objected;
  if (kind === 'member' && state === 'approved') return WORDS.invited;
  if (GOOD.has(state)) return TEXTS.approval.approved;
  if (state === 'rejected') return TEXTS.approval.rejected;
  if (state === 'superseded') return TEXTS.approval.superseded;
  return TEXTS.approval.closed(TEXTS.approvals.states[state] ?? state);
}
