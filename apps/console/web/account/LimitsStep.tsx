import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../app/config.js';
import { ApprovalReview } from '../approval/ApprovalReview.js';
import { ErrorNotice } from '../parts/parts.js';
import { changePolicy } from '../policy/change-policy.js';
import { type Preset, PRESET_POLICIES } from '../policy/presets.js';
import { PresetChoice } from '../policy/PresetChoice.js';
import { TEXTS } from '../texts.js';

/** Sets the first limits of an agent. */
export function LimitsStep({ agentId, onDone }: { readonly agentId: string; readonly onDone: () => void }) {
  const { api } = useConsole();
  const [preset, setPreset] = useState<Preset>('standard');
  const [approvalId, setApprovalId] = useState<string>();
  const use = useMutation({
    mutationFn: () => changePolicy(api, agentId, PRESET_POLICIES[preset]),
    onSuccess: (waiting) => (waiting === undefined ? onDone() : setApprovalId(waiting)),
  });
  if (approvalId !== undefined) return <ApprovalReview approvalId={approvalId} onApproved={onDone} />;
  return (
    <>
      <h2>{TEXTS.welcome.limitsTitle}</h2>
      <p>{TEXTS.welcome.limitsText}</p>
      <PresetChoice chosen={preset} onChoose={setPreset} />
      {use.isError && <ErrorNotice error={use.error} />}
      <div className="actions">
        <button type="button" disabled={use.isPending} onClick={() => use.mutate()}>
          {TEXTS.welcome.limitsUse}
        </button>
        <button type="button" className="quiet" onClick={onDone}>
          {TEXTS.welcome.limitsLater}
        </button>
      </div>
    </>
  );
}
