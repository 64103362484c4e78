import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { KEYS, useOwner } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { ErrorNotice, Skeleton, useTitle } from '../parts/parts.js';
import { TEXTS } from '../texts.js';
import { ClaimStep } from './ClaimStep.js';
import { keepClaim, type KeptClaim, keptClaim } from './kept-claim.js';
import { LimitsStep } from './LimitsStep.js';
import { MailLogin, PasskeyLogin } from './log-in.js';
import { makePasskey } from './passkey.js';

/** Leads a new owner to an agent with limits. */
export default function WelcomePage() {
  useTitle(TEXTS.welcome.title);
  const owner = useOwner();
  const ownerId = owner.data?.owner.id ?? '';
  const { claim, keep, forget } = useKeptClaim(ownerId);
  const [, go] = useLocation();
  if (owner.isPending) return <Skeleton lines={6} />;
  const by = owner.data?.authenticatedBy;
  const step = by === 'passkey' ? (claim?.isSigned ? 3 : 2) : by === 'mail' ? 1 : 0;
  const done = (agentId: string) => {
    keep(undefined);
    go(`/agents/${agentId}`);
  };
  return (
    <section className="narrow">
      <h1>{TEXTS.welcome.title}</h1>
      <p>{TEXTS.welcome.text}</p>
      <Steps now={step} />
      <div className="card">
        {step === 0 && <AddressStep />}
        {step === 1 && <PasskeyStep hasOne={(owner.data?.passkeys.length ?? 0) > 0} />}
        {step === 2 && (
          <ClaimStep
            claim={claim}
            onClaim={(begun) => keep(begun && { ...begun, ownerId, isSigned: false })}
            onDecided={forget}
            onSigned={() => keep(claim && { ...claim, isSigned: true })}
          />
        )}
        {step === 3 && <LimitsStep agentId={claim!.agentId} onDone={() => done(claim!.agentId)} />}
      </div>
    </section>
  );
}

/** Returns the claim that the owner has under way in this tab, how another one is kept, and how a decided one is forgotten. */
function useKeptClaim(ownerId: string) {
  // Null: no claim is shown, even if one is kept.
  const [shown, show] = useState<KeptClaim | null>();
  const claim = shown === undefined ? keptClaim(sessionStorage, ownerId) : (shown ?? undefined);
  const keep = (next: KeptClaim | undefined) => {
    keepClaim(sessionStorage, next);
    show(next ?? null);
  };
  const forget = () => {
    keepClaim(sessionStorage, undefined);
    show(claim ?? null);
  };
  return { claim, keep, forget };
}

function Steps({ now }: { readonly now: number }) {
  const { steps, step } = TEXTS.welcome;
  return (
    <ol className="steps" aria-label={step(now + 1, steps.length)}>
      {steps.map((name, index) => (
        <li key={name} aria-current={index === now ? 'step' : undefined} className={index < now ? 'done' : undefined}>
          {name}
        </li>
      ))}
    </ol>
  );
}

function AddressStep() {
  const queries = useQueryClient();
  return (
    <>
      <h2>{TEXTS.welcome.steps[0]}</h2>
      <MailLogin onDone={() => void queries.invalidateQueries({ queryKey: KEYS.owner })} />
    </>
  );
}

function PasskeyStep({ hasOne }: { readonly hasOne: boolean }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const refresh = () => queries.resetQueries({ queryKey: KEYS.owner });
  const make = useMutation({ mutationFn: () => makePasskey(api), onSuccess: refresh });
  if (hasOne) {
    return (
      <>
        <h2>{TEXTS.login.passkey}</h2>
        <p role="status">{TEXTS.login.needsPasskey}</p>
        <PasskeyLogin onDone={() => void refresh()} />
      </>
    );
  }
  return (
    <>
      <h2>{TEXTS.welcome.passkeyTitle}</h2>
      <p>{TEXTS.welcome.passkeyText}</p>
      {make.isError && <ErrorNotice error={make.error} />}
      <button type="button" className="wide" disabled={make.isPending} onClick={() => make.mutate()}>
        {TEXTS.welcome.passkeyMake}
      </button>
    </>
  );
}
