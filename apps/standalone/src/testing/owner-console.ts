import { Authenticator, type Lies } from '@agent-wallet/testing';
import { createHash, randomUUID } from 'node:crypto';
import type { AgentClient } from '../client/agent-client.js';
import type { Envelope } from '../client/responses.js';
import { callJson, type JsonResponse } from '../client/http-json.js';
import type { SandboxClient } from '../client/sandbox-client.js';
import type { Deployment } from './deployment.js';

/** The value that deployments of the sandbox take as OWNER_ORIGIN when their gateway takes any port. */
export const OWNER_ORIGIN = 'http://localhost:0';

/** An approval, the fields that are used here. */
interface ShownApproval {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
}

/** `data` of the routes of owners, the fields that are used here. */
export interface OwnerData {
  readonly otpId: string;
  readonly code: string;
  readonly owner: { readonly id: string };
  readonly publicKey: { readonly challenge: string };
  readonly approval: ShownApproval;
  readonly approvals: readonly ShownApproval[];
  readonly document: string;
  readonly passkeyRequired: boolean;
  readonly policy: Readonly<Record<string, unknown>>;
}

type OwnerResponse = JsonResponse<Envelope<OwnerData>>;

const challengeOf = (document: string) => createHash('sha256').update(document).digest();

/** The owners' console with an authenticator, as a page of OWNER_ORIGIN. */
export class OwnerConsole {
  readonly email = `${randomUUID()}@owners.example.com`;
  readonly passkey = new Authenticator(OWNER_ORIGIN);
  #cookie = '';
  #connectionCookie = '';

  constructor(
    readonly baseUrl: string,
    readonly sandbox: SandboxClient,
  ) {}

  async call(path: string, body?: unknown, method?: string): Promise<OwnerResponse> {
    const cookie = [this.#cookie, this.#connectionCookie].filter((each) => each !== '').join('; ');
    const headers = { origin: OWNER_ORIGIN, ...(cookie && { cookie }) };
    const response = await callJson<Envelope<OwnerData>>(`${this.baseUrl}/owner${path}`, {
      headers,
      ...(body === undefined ? {} : { body }),
      ...(method === undefined ? {} : { method }),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.#cookie = set.split(';', 1)[0]!;
    return response;
  }

  /** Follows the response of the authorization endpoint, with its cookie, and returns the id of the connection. */
  follow({ headers }: Response): string {
    const [set = ''] = headers.getSetCookie();
    this.#connectionCookie = set.split(';', 1)[0]!;
    return headers.get('location')!.split('/').at(-1)!;
  }

  /** Logs in by mail. */
  async logInByMail(): Promise<OwnerResponse> {
    const started = await this.call('/login/start', { email: this.email });
    const { otpId } = started.body.data;
    return this.call('/login/complete', { email: this.email, otpId, otpCode: await this.sandbox.otp(this.email) });
  }

  /** Logs in by the passkey, over the document as the server shows it. */
  async logInByPasskey(): Promise<OwnerResponse> {
    const { document } = (await this.call('/login/challenge')).body.data;
    return this.call('/login/passkey', { document, assertion: this.assertion(document) });
  }

  async register(passkey = this.passkey): Promise<OwnerResponse> {
    const { publicKey } = (await this.call('/passkeys/options', {})).body.data;
    const registration: unknown = JSON.parse(passkey.register(Buffer.from(publicKey.challenge, 'base64url')));
    return this.call('/passkeys', { registration });
  }

  /** Returns what the passkey signs when it is shown a document. */
  assertion(document: string, lies?: Lies): unknown {
    return JSON.parse(this.passkey.assert(challengeOf(document), lies));
  }

  /** Asks for a claim with the code that the agent's mailbox gets. */
  async requestClaim({ email: agentEmail }: Pick<AgentClient, 'email'>, more: object = {}): Promise<OwnerResponse> {
    const { otpId } = (await this.call('/claims/start', { agentEmail })).body.data;
    return this.call('/claims', { agentEmail, otpId, otpCode: await this.sandbox.otp(agentEmail), ...more });
  }

  /** Reads an approval and signs what it shows, or another text. */
  async approve({ id }: Pick<ShownApproval, 'id'>, shown?: string): Promise<OwnerResponse> {
    const { document } = (await this.call(`/approvals/${id}`)).body.data;
    return this.call(`/approvals/${id}/approve`, { assertion: this.assertion(shown ?? document) });
  }

  /** Opens the console of a new owner, who has a passkey. */
  static async open(deployment: Pick<Deployment, 'url' | 'sandbox'>): Promise<OwnerConsole> {
    const console = new OwnerConsole(deployment.url(), deployment.sandbox);
    await console.logInByMail();
    const { status } = await console.register();
    if (status !== 200) throw new Error(`no passkey was registered: ${status}`);
    return console;
  }

  /** Opens the console of a new owner, who has claimed an agent; its sessions go on. */
  static async claiming(deployment: Pick<Deployment, 'url' | 'sandbox'>, agent: AgentClient): Promise<OwnerConsole> {
    const console = await OwnerConsole.open(deployment);
    const asked = await console.requestClaim(agent, { keepSessions: true });
    const signed = await console.approve(asked.body.data.approval);
    if (signed.body.data.approval.state !== 'applied') throw new Error(`no claim: ${JSON.stringify(signed.body)}`);
    return console;
  }
}
