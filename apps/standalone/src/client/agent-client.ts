import { callJson, type JsonAnswer } from './http-json.js';
import type { SandboxClient } from './sandbox-client.js';

/** A transfer as an agent asks for it. */
export interface TransferOrder {
  readonly to: string;
  readonly amount: number;
  readonly mint?: string;
  readonly memo?: string;
}

/** An agent with a session at the public API. */
export class AgentClient {
  private constructor(
    readonly baseUrl: string,
    readonly email: string,
    readonly token: string,
    /** The agent's wallet. */
    readonly address: string,
  ) {}

  /** Logs in by a passcode, read from the sandbox's inbox. */
  static async logIn(baseUrl: string, sandbox: SandboxClient, email: string): Promise<AgentClient> {
    const started = await callJson(`${baseUrl}/connect/start`, { body: { email } });
    if (started.status !== 200) throw new Error(`no passcode was sent: ${JSON.stringify(started.body)}`);
    const otpCode = await sandbox.passcode(email);
    const body = { email, otpId: started.body.data.otpId, otpCode };
    const done = await callJson(`${baseUrl}/connect/complete`, { body });
    if (done.status !== 200) throw new Error(`the login failed: ${JSON.stringify(done.body)}`);
    return new AgentClient(baseUrl, email, done.body.data.sessionToken, done.body.data.chainAddress);
  }

  /** The same session at another copy of the gateway. */
  at(baseUrl: string): AgentClient {
    return new AgentClient(baseUrl, this.email, this.token, this.address);
  }

  get(path: string): Promise<JsonAnswer> {
    return callJson(this.baseUrl + path, { headers: this.#headers() });
  }

  /** Sends money. */
  transfer(order: TransferOrder, idempotencyKey?: string): Promise<JsonAnswer> {
    return this.post('/wallets/me/actions/transfer', order, idempotencyKey);
  }

  /** Changes the policy. */
  patchPolicy(change: Record<string, unknown>): Promise<JsonAnswer> {
    return callJson(`${this.baseUrl}/wallets/me/policy`, { method: 'PATCH', body: change, headers: this.#headers() });
  }

  post(path: string, body: unknown, idempotencyKey?: string): Promise<JsonAnswer> {
    const key: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
    return callJson(this.baseUrl + path, { body, headers: { ...this.#headers(), ...key } });
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }
}
