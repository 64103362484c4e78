import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { dataOf } from '../api/client.js';
import { KEYS } from '../api/queries.js';
import type { Connection, OwnedAgent } from '../api/records.js';
import { useConsole } from '../app/config.js';
import { ApprovalReview } from '../approval/ApprovalReview.js';
import { Empty, ErrorNotice } from '../parts/parts.js';
import { TEXTS } from '../texts.js';
import { firstForm, type GrantForm, problemsOf, tokenRequest } from './grant-form.js';
import { GrantFields } from './GrantFields.js';

const WORDS = TEXTS.connect;

/** An owner's answer to an app. */
export type Answer = 'connected' | 'rejected';

interface DecisionProps {
  readonly connection: Connection;
  readonly agents: readonly OwnedAgent[];
  /** Takes the browser to the app. */
  readonly onLeave: (redirectTo: string, answer: Answer) => void;
}

/** Lets the owner choose and sign what an app gets, or reject the app. */
export function ConnectionDecision({ connection, agents, onLeave }: DecisionProps) {
  const agentIds = agents.map(({ id }) => id);
  const [form, setForm] = useState(() => firstForm(agentIds, connection.scopes));
  const { ask, reject, change } = useDecision(connection, onLeave);
  const isBusy = ask.isPending || reject.isPending || change.isPending;
  const error = ask.error ?? reject.error ?? change.error;
  const notice = error !== null && <ErrorNotice error={error} />;
  const rejectButton = (
    <button type="button" className="quiet" disabled={isBusy} onClick={() => reject.mutate()}>
      {WORDS.reject}
    </button>
  );
  if (ask.data !== undefined) {
    return (
      <Focused>
        <ApprovalReview
          approvalId={ask.data}
          connectionId={connection.id}
          onApproved={(redirectTo) => redirectTo !== undefined && onLeave(redirectTo, 'connected')}
          onRejected={() => reject.mutate()}
        />
        {notice}
        <button type="button" className="link" disabled={isBusy} onClick={() => change.mutate(ask.data)}>
          {WORDS.change}
        </button>
      </Focused>
    );
  }
  if (agents.length === 0) {
    return (
      <NoAgents>
        {notice}
        {rejectButton}
      </NoAgents>
    );
  }
  const choices = { agents, asked: connection.scopes, form };
  return (
    <GrantStep {...choices} notice={notice} isBusy={isBusy} onChange={setForm} onSign={() => ask.mutate(form)}>
      {rejectButton}
    </GrantStep>
  );
}

/** Takes the focus, so that a screen reader goes on with what has replaced the form. */
function Focused({ children }: { readonly children: ReactNode }) {
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => area.current?.focus(), []);
  return (
    <div ref={area} className="step" tabIndex={-1}>
      {children}
    </div>
  );
}

function useDecision({ id: connectionId, clientName }: Connection, onLeave: DecisionProps['onLeave']) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const refresh = () => void queries.invalidateQueries({ queryKey: KEYS.approvals });
  const ask = useMutation({
    mutationFn: async (form: GrantForm) => {
      const params = { path: { agentId: form.agentId } };
      const body = tokenRequest(clientName, form);
      return (await dataOf(api.POST('/owner/agents/{agentId}/tokens', { params, body }))).approval.id;
    },
    onSuccess: refresh,
  });
  const reject = useMutation({
    mutationFn: () => {
      const params = { path: { connectionId } };
      return dataOf(api.POST('/owner/connections/{connectionId}/reject', { params, body: {} }));
    },
    onSuccess: ({ redirectTo }) => onLeave(redirectTo, 'rejected'),
  });
  const change = useMutation({
    // An approval for other terms would still wait for the owner.
    mutationFn: (approvalId: string) => {
      const params = { path: { approvalId } };
      return dataOf(api.POST('/owner/approvals/{approvalId}/reject', { params, body: {} }));
    },
    onSuccess: () => {
      ask.reset();
      refresh();
    },
  });
  return { ask, reject, change };
}

interface GrantStepProps {
  readonly agents: readonly OwnedAgent[];
  readonly asked: Connection['scopes'];
  readonly form: GrantForm;
  readonly notice: ReactNode;
  readonly isBusy: boolean;
  readonly onChange: (form: GrantForm) => void;
  readonly onSign: () => void;
  readonly children: ReactNode;
}

function GrantStep({ agents, asked, form, notice, isBusy, onChange, onSign, children }: GrantStepProps) {
  const [isTried, setTried] = useState(false);
  const problems = problemsOf(form);
  // A missing choice is a fault only after the first try.
  const shown = isTried ? problems : new Set([...problems].filter((each) => each !== 'agentId' && each !== 'scopes'));
  return (
    <form
      noValidate
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (problems.size === 0) onSign();
        else event.currentTarget.querySelector<HTMLElement>(`#${[...problems][0]}`)?.focus();
      }}
    >
      <h2>{WORDS.choose}</h2>
      <GrantFields
        agents={agents}
        asked={asked}
        form={form}
        problems={shown}
        onChange={(changes) => onChange({ ...form, ...changes })}
      />
      {notice}
      <div className="actions decision">
        <button type="submit" disabled={isBusy}>
          {WORDS.review}
        </button>
        {children}
      </div>
    </form>
  );
}

function NoAgents({ children }: { readonly children: ReactNode }) {
  return (
    <Empty title={WORDS.noAgents}>
      <p>{WORDS.noAgentsText}</p>
      <Link className="button" href="/welcome">
        {TEXTS.nav.claim}
      </Link>{' '}
      {children}
    </Empty>
  );
}
