import type { policyV1 } from '@agent-wallet/contracts';
import { currentRequest, type GrpcController } from '@agent-wallet/platform';
import { pricesMessage } from '@agent-wallet/prices';
import { DEFAULT_POLICY } from '../domain/policy.js';
import type { PolicyUseCases } from '../use-cases.js';
import { askingSession } from './asking-session.js';
import { assertKindOf } from './callers.js';
import {
  dryRunMessage,
  freezesMessage,
  outcomeMessage,
  policyMessage,
  readAttemptKey,
  readAuthorizeInput,
  readFreezeCommand,
  readMints,
  readOrigin,
  toPolicyChange,
  readSpending,
  readUuid,
  usageMessage,
} from './messages.js';
import { tokenMessage } from './token-messages.js';

/** Handles policy's gRPC methods. */
export function policyService(useCases: PolicyUseCases): GrpcController<policyV1.PolicyServiceService> {
  const { policies, getting, updating, usage, authorizing, dryRun, checkingSpending, settling } = useCases;
  return {
    createPolicy: async (request) => {
      const agentId = readUuid('agentId', request.agentId);
      return { policy: policyMessage(await policies.create(agentId, DEFAULT_POLICY, readOrigin(request))) };
    },
    getPolicy: async ({ agentId }) => ({ policy: policyMessage(await getting.execute(readUuid('agentId', agentId))) }),
    updatePolicy: async (request) => {
      const agentId = readUuid('agentId', request.agentId);
      const policy = await updating.execute(agentId, toPolicyChange(request), request.expectedVersion);
      return { policy: policyMessage(policy) };
    },
    getUsage: async ({ agentId }) => {
      const { token, ...used } = await usage.execute(readUuid('agentId', agentId), currentRequest()?.tokenId);
      return { ...usageMessage(used), token: token && tokenMessage(token) };
    },
    authorize: async (request, _metadata, call) => {
      assertKindOf(request.intent, call);
      return authorizing.execute({ ...readAuthorizeInput(request), session: askingSession() });
    },
    dryRunAuthorize: async ({ agentId, intent }, _metadata, call) => {
      assertKindOf(intent, call);
      return dryRunMessage(await dryRun.execute(readUuid('agentId', agentId), intent, currentRequest()?.tokenId));
    },
    checkSpending: async ({ agentId, spending }) =>
      checkingSpending.execute(readUuid('agentId', agentId), readSpending(spending)),
    settle: async (request) => {
      const { message, signature } = request;
      return outcomeMessage(await settling.execute(readAttemptKey(request), { message, signature }));
    },
    getPrices: async ({ mints, shown: isShown }) =>
      pricesMessage(await useCases.knownPrices.prices(readMints(mints), { isShown })),
    setFreeze: async (request) => useCases.freezing.execute(readFreezeCommand(request)),
    listFreezes: async () => {
      const { freezes, total } = await useCases.freezes.list();
      return { freezes: freezesMessage(freezes), total };
    },
  };
}
