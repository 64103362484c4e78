import type { OwnedAgent, TokenScope } from '../api/records.js';
import { showWord } from '../parts/show.js';
import { TEXTS } from '../texts.js';
import { type GrantForm, type GrantProblem, LIFETIME_DAYS, LIMITS } from './grant-form.js';

const WORDS = TEXTS.connect;

interface FieldsProps {
  readonly form: GrantForm;
  /** Faults that the owner is shown. */
  readonly problems: ReadonlySet<GrantProblem>;
  readonly onChange: (changes: Partial<GrantForm>) => void;
}

/** Shows an input for each choice of the owner. */
export function GrantFields({
  agents,
  asked,
  ...fields
}: FieldsProps & { readonly agents: readonly OwnedAgent[]; readonly asked: readonly TokenScope[] }) {
  return (
    <>
      <AgentField agents={agents} {...fields} />
      <ScopesField asked={asked} {...fields} />
      {LIMITS.map((limit) => (
        <LimitField key={limit} limit={limit} {...fields} />
      ))}
      <DaysField {...fields} />
    </>
  );
}

function AgentField({ agents, form, problems, onChange }: FieldsProps & { readonly agents: readonly OwnedAgent[] }) {
  const isBad = problems.has('agentId');
  return (
    <div className="field">
      <label htmlFor="agentId">{WORDS.agent}</label>
      <select
        id="agentId"
        value={form.agentId}
        aria-invalid={isBad}
        aria-describedby="agentId-hint"
        onChange={({ target }) => onChange({ agentId: target.value })}
      >
        {form.agentId === '' && <option value="">{WORDS.agentNone}</option>}
        {agents.map(({ id, email }) => (
          <option key={id} value={id}>
            {email ?? `${TEXTS.agents.unnamed} ${id}`}
          </option>
        ))}
      </select>
      <p id="agentId-hint" className="hint bad">
        {isBad && WORDS.agentBad}
      </p>
    </div>
  );
}

function ScopesField({ asked, form, problems, onChange }: FieldsProps & { readonly asked: readonly TokenScope[] }) {
  const isBad = problems.has('scopes');
  const choose = (scope: TokenScope, isChosen: boolean) =>
    onChange({ scopes: asked.filter((each) => (each === scope ? isChosen : form.scopes.includes(each))) });
  return (
    <fieldset id="scopes" className="field" tabIndex={-1} aria-describedby="scopes-hint">
      <legend>{WORDS.scopes}</legend>
      {asked.map((scope) => (
        <label key={scope} className="check">
          <input
            type="checkbox"
            checked={form.scopes.includes(scope)}
            onChange={({ target }) => choose(scope, target.checked)}
          />
          {showWord(TEXTS.tokens.scope[scope])}
        </label>
      ))}
      <p id="scopes-hint" className={isBad ? 'hint bad' : 'hint'}>
        {isBad ? WORDS.scopesBad : WORDS.scopesHint}
      </p>
    </fieldset>
  );
}

function LimitField({ limit, form, problems, onChange }: FieldsProps & { readonly limit: (typeof LIMITS)[number] }) {
  const isBad = problems.has(limit);
  const { label, none } = WORDS.limits[limit];
  const hint = form[limit].trim() === '' ? none : WORDS.limitHint;
  return (
    <div className="field">
      <label htmlFor={limit}>{label}</label>
      <input
        id={limit}
        inputMode="decimal"
        autoComplete="off"
        value={form[limit]}
        aria-invalid={isBad}
        aria-describedby={`${limit}-hint`}
        onChange={({ target }) => onChange({ [limit]: target.value })}
      />
      <p id={`${limit}-hint`} className={isBad ? 'hint bad' : 'hint'}>
        {isBad ? WORDS.limitBad : hint}
      </p>
    </div>
  );
}

function DaysField({ form, onChange }: FieldsProps) {
  return (
    <div className="field">
      <label htmlFor="days">{WORDS.days}</label>
      <select id="days" value={form.days} onChange={({ target }) => onChange({ days: Number(target.value) })}>
        {LIFETIME_DAYS.map((days) => (
          <option key={days} value={days}>
            {WORDS.daysOf(days)}
          </option>
        ))}
      </select>
    </div>
  );
}
