import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../api/client.js';
import { KEYS } from '../api/queries.js';
import { useConsole } from '../app/config.js';
import { TEXTS } from '../texts.js';
import type { DecodedOperation } from './decode-document.js';

/** Meaning of a signature over a payment for later payments to its recipient. */
export type Trust = Extract<DecodedOperation, { action: 'transfer' }>['terms']['trust'];

const TRUSTS = ['once', 'daily_amount', 'always'] as const satisfies readonly Trust[];
const WORDS = TEXTS.approval;

interface TrustChoiceProps {
  /** As the shown document says it, and not what was clicked: that document is what a passkey signs. */
  readonly chosen: Trust;
  readonly isBusy: boolean;
  readonly onChoose: (trust: Trust) => void;
}

/** Offers what the document may say of later payments. */
export function TrustChoice({ chosen, isBusy, onChoose }: TrustChoiceProps) {
  return (
    <fieldset className="presets" disabled={isBusy}>
      <legend>{WORDS.chooseTrust}</legend>
      {TRUSTS.map((trust) => (
        <label key={trust} className="preset">
          <input type="radio" name="trust" value={trust} checked={trust === chosen} onChange={() => onChoose(trust)} />
          <strong>{WORDS.trustChoices[trust].label}</strong>
          <span>{WORDS.trustChoices[trust].text}</span>
        </label>
      ))}
      <p className="hint">{WORDS.trustText}</p>
    </fieldset>
  );
}

/** Has the approval get a document with another trust, and shows that one: the page signs no document that it does not show. */
export function useTrustChoice(approvalId: string) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const key = KEYS.approval(approvalId);
  return useMutation({
    mutationFn: async (trust: Trust) => {
      // A read that began before must not bring the old document back.
      await queries.cancelQueries({ queryKey: key });
      const params = { path: { approvalId } };
      return dataOf(api.POST('/owner/approvals/{approvalId}/trust', { params, body: { trust } }));
    },
    onSuccess: (details) => queries.setQueryData(key, details),
    // What another page has chosen, or decided, is shown.
    onError: () => queries.invalidateQueries({ queryKey: key }),
  });
}
