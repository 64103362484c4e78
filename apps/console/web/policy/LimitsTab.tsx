import type { PolicyFieldName } from '@agent-wallet/kernel/policy-fields';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { FormProvider, useForm, useWatch } from 'react-hook-form';
import { useLocation } from 'wouter';
import type { TabProps } from '../agents/tab.js';
import type { PolicyResult } from '../api/records.js';
import { KEYS, useAgentData } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { ErrorNotice, Loaded } from '../parts/parts.js';
import { labelled } from '../parts/words-of.js';
import { TEXTS } from '../texts.js';
import { ChangeBar } from './ChangeBar.js';
import { changePolicy } from './change-policy.js';
import { DiffPanel } from './DiffPanel.js';
import { PolicyFields } from './PolicyFields.js';
import { changesOf, type FieldChange, policyDiff, wholePolicy, type WholePolicy } from './policy-diff.js';
import { badFields, formOf, type PolicyForm, policyOf } from './policy-form.js';
import { type Preset, PRESET_POLICIES, PRESETS } from './presets.js';
import { PresetChoice } from './PresetChoice.js';

const WORDS = TEXTS.limits;

/** Shows and changes the limits of an agent. */
export default function LimitsTab({ agentId }: TabProps) {
  const details = useAgentData('details', agentId);
  // Each version of the policy gets a new form; the message stays.
  const [isSaved, setSaved] = useState(false);
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">{WORDS.title}</h2>
      <p className={isSaved ? 'notice good' : undefined} role="status">
        {isSaved && WORDS.saved}
      </p>
      <Loaded query={details} lines={10}>
        {({ policy }) => (
          <>
            <Warnings warnings={policy.warnings} />
            <LimitsForm key={policy.version} agentId={agentId} policy={wholePolicy(policy)} onSaved={setSaved} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Warnings({ warnings }: Pick<PolicyResult, 'warnings'>) {
  if (warnings.length === 0) return null;
  return (
    <div className="notice">
      <strong>{WORDS.warnings}</strong>
      <ul>
        {warnings.map(({ code, message }) => (
          <li key={code}>{WORDS.warningTexts[code] ?? labelled(message)}</li>
        ))}
      </ul>
    </div>
  );
}

interface LimitsFormProps extends TabProps {
  readonly policy: WholePolicy;
  readonly onSaved: (isSaved: boolean) => void;
}

function LimitsForm({ agentId, policy, onSaved }: LimitsFormProps) {
  const form = useForm<PolicyForm>({ defaultValues: formOf(policy), mode: 'onChange' });
  const values = useWatch({ control: form.control }) as PolicyForm;
  const bad = badFields(values);
  // A field that cannot be saved as it stands changes nothing.
  const draft = { ...policyOf(values), ...Object.fromEntries(bad.map((field) => [field, policy[field]])) };
  const diff = policyDiff(policy, draft);
  const canSave = diff.length > 0 && bad.length === 0;
  const save = useSave(agentId, onSaved);
  const review = useRef<HTMLElement>(null);
  const choose = (preset: Preset) =>
    form.reset(formOf({ ...draft, ...PRESET_POLICIES[preset] }), { keepDefaultValues: true });
  return (
    <FormProvider {...form}>
      <form noValidate className="limits" onSubmit={(event) => void form.handleSubmit(() => save.mutate(diff))(event)}>
        <div>
          <PresetChoice chosen={presetOf(draft)} onChoose={choose} />
          <h3>{WORDS.custom}</h3>
          <PolicyFields />
          <ChangeBar changes={diff.length} review={review} />
        </div>
        <aside ref={review} tabIndex={-1} aria-label={WORDS.review} className="card diff">
          <DiffPanel diff={diff} />
          <Problems
            bad={bad}
            isAboveDaily={diff.length > 0 && draft.maxSingleTransactionInUsd > draft.dailyLimitInUsd}
          />
          {save.isError && <ErrorNotice error={save.error} />}
          <div className="actions">
            <button type="submit" disabled={!canSave || save.isPending}>
              {diff.every(({ tightens }) => tightens) ? WORDS.save : WORDS.saveSign}
            </button>
            <button
              type="button"
              className="quiet"
              disabled={diff.length === 0 && bad.length === 0}
              onClick={() => form.reset(formOf(policy))}
            >
              {WORDS.reset}
            </button>
          </div>
        </aside>
      </form>
    </FormProvider>
  );
}

interface ProblemsProps {
  readonly bad: readonly PolicyFieldName[];
  /** Whether one transaction may be worth more than a day. */
  readonly isAboveDaily: boolean;
}

function Problems({ bad, isAboveDaily }: ProblemsProps) {
  return (
    <>
      {bad.length > 0 && (
        <p className="notice bad" role="status">
          {WORDS.bad(bad.map((field) => WORDS.fields[field].label))}
        </p>
      )}
      {isAboveDaily && <p className="notice">{WORDS.warningTexts.single_limit_exceeds_daily_limit}</p>}
    </>
  );
}

function useSave(agentId: string, onSaved: (isSaved: boolean) => void) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [, go] = useLocation();
  return useMutation({
    mutationFn: (diff: readonly FieldChange[]) => changePolicy(api, agentId, changesOf(diff)),
    onSuccess: async (approvalId) => {
      void queries.invalidateQueries({ queryKey: KEYS.approvals });
      if (approvalId !== undefined) go(`/approvals/${approvalId}`);
      else await queries.invalidateQueries({ queryKey: KEYS.agent(agentId) });
      onSaved(approvalId === undefined);
    },
  });
}

function presetOf(draft: WholePolicy): Preset | undefined {
  return PRESETS.find((preset) => policyDiff(draft, { ...draft, ...PRESET_POLICIES[preset] }).length === 0);
}
