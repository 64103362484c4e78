import type { policyV1 } from '@agent-wallet/contracts';
import type { RequestInput } from '../../domain/request-hash.js';
import type { PolicyService } from '../../ports/policy-service.js';
import type { ExactJson } from '../answers/exact-json.js';
import { previewFields } from '../answers/preview-answer.js';
import type { PreviewableKind } from './operation-kind.js';

/** The limit of the policy that a rule holds a value against. */
const LIMIT_OF_RULE: Readonly<Record<string, (policy: policyV1.Policy) => bigint>> = {
  single_transaction_limit: (policy) => policy.maxSingleTransactionUsdMicros,
  daily_limit: (policy) => policy.dailyLimitUsdMicros,
};

/** A dry run: the answer that a financial request would get, as far as that can be known, with nothing done. */
export class PreviewOperation {
  constructor(private readonly policy: Pick<PolicyService, 'policy'>) {}

  /** @throws AppError as the real request would, except for a refusal by policy */
  async preview(kind: PreviewableKind, agentId: string, input: RequestInput): Promise<ExactJson> {
    const { data, preview } = await kind.preview({ agentId, input });
    const limitOf = LIMIT_OF_RULE[preview.decision?.rule ?? ''];
    const limitUsdMicros = limitOf && limitOf(await this.policy.policy(agentId));
    return {
      transactionId: null,
      status: 'dry_run',
      signature: null,
      explorerUrl: null,
      ...data,
      ...previewFields(preview, limitUsdMicros),
    };
  }
}
