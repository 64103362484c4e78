import { policyV1 } from '@agent-wallet/contracts';
import { AppError, newId } from '@agent-wallet/kernel';
import { createHash } from 'node:crypto';
import type { Client, Reply } from './client.js';
import { RECIPIENT } from './default-script.js';
import type { World } from './world.js';

/** Where owners sign in these tests. */
export const ORIGIN = 'https://owner.example.com';

const { ApprovalKind, ApprovalState } = policyV1;

/** Fields that a browser sends with a passkey; the fake of policy takes any. */
export const ASSERTION = {
  ...{ id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} },
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA', userHandle: null },
};
export const REGISTRATION = {
  ...{ id: 'AAAA', rawId: 'AAAA', type: 'public-key', authenticatorAttachment: 'platform' },
  response: { clientDataJSON: 'e30', attestationObject: 'AAAA', transports: ['internal'], publicKeyAlgorithm: -7 },
};

/** What the fake of policy makes for every login. */
export const LOGIN_DOCUMENT = '{"type":"agent-wallet.login.v1"}';

/** An owner's browser: it keeps the cookie, and names its page. */
export class Browser {
  cookie = '';

  constructor(
    readonly client: Client,
    public origin: string | undefined = ORIGIN,
  ) {}

  /** Keeps the cookie of the last connection that the browser began, beside the owner's session. */
  keepConnection(headers: Reply['headers']): void {
    const [set] = headers['set-cookie'] as string[];
    const [session] = this.cookie.split('; ');
    this.cookie = `${session}; ${set!.slice(0, set!.indexOf(';'))}`;
  }

  get(path: string): Promise<Reply> {
    return this.call('GET', path);
  }

  post(path: string, body?: unknown): Promise<Reply> {
    return this.call('POST', path, body);
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const own = { ...(this.cookie && { cookie: this.cookie }), ...(this.origin && { origin: this.origin }) };
    const reply = await this.client.call(method, path, { body, headers: { ...own, ...headers } });
    const [set] = (reply.headers['set-cookie'] ?? []) as string[];
    if (set !== undefined) this.cookie = set.slice(0, set.indexOf(';'));
    return reply;
  }

  /** Asks for a code and logs in by it. */
  async logInByMail(world: World, email: string): Promise<Reply> {
    const started = await this.post('/owner/login/start', { email });
    if (started.status !== 200) return started;
    const { otpId } = started.body.data as { otpId: string };
    return this.post('/owner/login/complete', { email, otpId, otpCode: world.inbox.lastCode(email) });
  }

  /** Makes an owner with a passkey, in a session that began by mail. */
  async openWithPasskey(world: World, email: string): Promise<string> {
    const { owner } = (await this.logInByMail(world, email)).body.data as { owner: { id: string } };
    await this.post('/owner/passkeys/options');
    const { status } = await this.post('/owner/passkeys', { registration: REGISTRATION });
    if (status !== 200) throw new Error(`no passkey was registered: ${status}`);
    return owner.id;
  }

  /** Asks for a claim of an agent with the code that its mailbox gets. */
  async requestClaim(world: World, agentEmail: string, more: object = {}): Promise<Reply> {
    const { otpId } = (await this.post('/owner/claims/start', { agentEmail })).body.data as { otpId: string };
    return this.post('/owner/claims', { agentEmail, otpId, otpCode: world.inbox.lastCode(agentEmail), ...more });
  }
}

/** An approval as policy answers it. */
export function approval(change: Partial<policyV1.Approval> = {}): policyV1.Approval {
  return {
    ...{ approvalId: newId(), kind: ApprovalKind.APPROVAL_KIND_POLICY, state: ApprovalState.APPROVAL_STATE_PENDING },
    ...{ agentId: newId(), ownerId: newId(), document: Buffer.from('{"type":"ü"}'), votes: 0, threshold: 1 },
    ...{ askedAtMs: 1_763_719_200_000n, expiresAtMs: 1_763_805_600_000n, decidedAtMs: 0n },
    ...{ effectiveAtMs: 0n },
    ...change,
  };
}

/**
 * Policy's part of owners as far as the gateway's own rules need it: passkeys by owner, and claims that any signature
 * applies. What policy checks is tested there, and with both in the deployment's tests.
 */
export class FakeOwners {
  readonly passkeys = new Map<string, Buffer[]>();
  readonly approvals = new Map<string, policyV1.Approval>();
  /** Calls by method. */
  readonly calls: Array<{ readonly method: string; readonly request: unknown }> = [];
  #challenged = '';

  constructor(readonly world: World) {
    const note = <Request, Answer>(method: string, answer: (request: Request) => Answer) => {
      return async (request: Request): Promise<Answer> => {
        this.calls.push({ method, request });
        return answer(request);
      };
    };
    world.script.owners = {
      listPasskeys: note('listPasskeys', ({ ownerId }: policyV1.ListPasskeysRequest) => ({
        passkeys: this.#of(ownerId).map((credentialId) => ({ credentialId, addedAtMs: 1_763_719_200_000n })),
      })),
      createPasskeyChallenge: note('createPasskeyChallenge', ({ ownerId }: policyV1.CreatePasskeyChallengeRequest) => {
        this.#challenged = ownerId;
        const rpId = 'owner.example.com';
        return { challenge: Buffer.alloc(32, 7), expiresAtMs: 1_763_719_200_000n, rpId, origin: ORIGIN };
      }),
      addPasskey: note('addPasskey', ({ ownerId }: policyV1.AddPasskeyRequest) => {
        if (this.#challenged !== ownerId) throw new AppError('ASSERTION_INVALID');
        if (this.#of(ownerId).length > 0) return { approval: this.#keep(approval({ ownerId })) };
        this.passkeys.set(ownerId, [createHash('sha256').update(ownerId).digest()]);
        return { approval: undefined };
      }),
      createLoginChallenge: note('createLoginChallenge', () => {
        const document = Buffer.from(LOGIN_DOCUMENT);
        return { document, expiresAtMs: 1_763_719_200_000n, rpId: 'owner.example.com', origin: ORIGIN };
      }),
      verifyLogin: note('verifyLogin', ({ document }: policyV1.VerifyLoginRequest) => {
        if (this.signer === undefined || document.toString() !== LOGIN_DOCUMENT)
          throw new AppError('ASSERTION_INVALID');
        return { ownerId: this.signer };
      }),
      requestApproval: note('requestApproval', ({ request }: policyV1.RequestApprovalRequest) => {
        const asked = request!;
        const { agentId, ownerId } = asked.value;
        if (asked.$case !== 'claim') return { approval: this.#keep(approval({ agentId, ownerId })) };
        const terms = { keepSessions: String(asked.value.keepSessions) };
        const document = Buffer.from(JSON.stringify({ terms }));
        const kind = ApprovalKind.APPROVAL_KIND_CLAIM;
        return { approval: this.#keep(approval({ agentId, ownerId, kind, document })) };
      }),
      getApproval: note('getApproval', ({ approvalId, viewer }: policyV1.GetApprovalRequest) => {
        const found = this.approvals.get(approvalId);
        const isSeen = found && (viewer!.$case === 'ownerId' ? found.ownerId : found.agentId) === viewer!.value;
        if (!isSeen) throw new AppError('NOT_FOUND', { data: { resource: 'approval' } });
        return { approval: found };
      }),
      cancelClaims: note('cancelClaims', (_request: policyV1.CancelClaimsRequest) => ({ cancelled: 1 })),
      vote: note('vote', ({ approvalId }: policyV1.VoteRequest) => {
        const decided = this.#keep({ ...this.approvals.get(approvalId)!, ...this.result, votes: 1 });
        if (this.losesAnswers) throw new AppError('SERVICE_UNAVAILABLE');
        return { approval: decided };
      }),
      listAgents: note('listAgents', ({ ownerId }: policyV1.ListAgentsRequest) => ({
        agents: this.agents
          .filter((agent) => agent.ownerId === ownerId)
          .map(({ agentId }) => ({ agentId, role: 'owner', sinceMs: 1_763_719_200_000n })),
      })),
      getAgent: note('getAgent', ({ agentId, ownerId }: policyV1.GetAgentRequest) => {
        const isOwned = this.agents.some((agent) => agent.ownerId === ownerId && agent.agentId === agentId);
        if (!isOwned) throw new AppError('NOT_FOUND', { data: { resource: 'agent' } });
        const atMs = 1_763_719_200_000n;
        return {
          agent: { agentId, role: 'owner', sinceMs: atMs },
          freezes: [{ agentId: '', operator: 'sre@example.com', reason: 'drill', sinceMs: atMs, source: 'operator' }],
          recipients: [
            {
              ...{ address: RECIPIENT, firstSettledAtMs: atMs, trustedAtMs: 0n, trust: 'daily_amount' },
              ...{ signedAtMs: atMs, dailyMint: 'native', dailyAmount: '5' },
            },
          ],
          counted: [{ countedSinceMs: atMs, leavesAtMs: atMs + 86_400_000n, usdMicros: 64_100_000n }],
          owners: this.agents
            .filter((agent) => agent.agentId === agentId)
            .map((agent) => ({ ownerId: agent.ownerId, sinceMs: atMs })),
        };
      }),
      voidOperations: note('voidOperations', (_request: policyV1.VoidOperationsRequest) => {
        if (this.isAway) throw new AppError('SERVICE_UNAVAILABLE');
        return { voided: 1 };
      }),
      tightenPolicy: note('tightenPolicy', () => {
        throw new AppError('POLICY_LOOSENING_NEEDS_OWNER', { data: { loosens: [] } });
      }),
    };
  }

  /** Whose passkey signs logins; none does when undefined. */
  signer: string | undefined;
  /** Result of a vote. */
  result: Pick<policyV1.Approval, 'state' | 'effectiveAtMs'> = {
    ...{ state: ApprovalState.APPROVAL_STATE_APPLIED, effectiveAtMs: 0n },
  };
  /** Whether votes count and their answers are lost. */
  losesAnswers = false;
  /** Whether it voids nothing now. */
  isAway = false;
  readonly agents: Array<{ readonly ownerId: string; readonly agentId: string }> = [];

  /** How often a method was called. */
  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  #of(ownerId: string): Buffer[] {
    return this.passkeys.get(ownerId) ?? [];
  }

  #keep(kept: policyV1.Approval): policyV1.Approval {
    this.approvals.set(kept.approvalId, kept);
    return kept;
  }
}
