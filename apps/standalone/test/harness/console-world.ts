import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { AgentClient, type ClientResponse, SandboxClient, type TransferData } from '../../src/index.js';
import { Copies } from './copies.js';
import { OwnerBrowser } from './owner-browser.js';
import { newRecipient } from './recipient.js';

const LIMITS = {
  RATE_LIMIT_IP_PER_MINUTE: '100000',
  RATE_LIMIT_OWNER_PER_MINUTE: '100000',
  RATE_LIMIT_AGENT_PER_MINUTE: '100000',
  SANDBOX_SLOT_MS: '0',
};

/** A copy of `npm start` with an agent that has money and an owner's browser at its console. */
export class ConsoleWorld {
  readonly ownerEmail = `${randomUUID()}@owners.example.com`;

  private constructor(
    private readonly copies: Copies,
    readonly sandbox: SandboxClient,
    readonly agent: AgentClient,
    readonly browser: OwnerBrowser,
  ) {}

  /** Base URL of the API, as the page calls it. */
  get apiUrl(): string {
    return this.agent.baseUrl.replace('127.0.0.1', 'localhost');
  }

  static async open(): Promise<ConsoleWorld> {
    const copies = new Copies('main');
    try {
      const { url, adminUrl, consoleUrl } = await copies.start(await copies.dataDir(), LIMITS);
      const sandbox = new SandboxClient(adminUrl);
      const agent = await AgentClient.logIn(url, sandbox, `scout-${randomUUID().slice(0, 8)}@agents.example.com`);
      await sandbox.faucet(agent.address, 'SOL', 1);
      await sandbox.faucet(agent.address, 'USDC', 500);
      const browser = await OwnerBrowser.open(consoleUrl);
      return new ConsoleWorld(copies, sandbox, agent, browser);
    } catch (error) {
      await copies.clean();
      throw error;
    }
  }

  get page(): Page {
    return this.browser.page;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.copies.clean();
  }

  /** Confirms the owner's address and makes a passkey; `look` is called at each step. */
  async makeAccount(look: (name: string) => Promise<void> = async () => undefined): Promise<void> {
    await this.page.goto('/welcome');
    await this.page.getByLabel('Your e-mail address').waitFor();
    await look('welcome');
    await this.#passCode('Your e-mail address', this.ownerEmail, { look });
    await this.page.getByRole('button', { name: 'Continue' }).click();
    await this.page.getByRole('heading', { name: 'Make your passkey' }).waitFor();
    await look('passkey');
    await this.page.getByRole('button', { name: 'Make a passkey' }).click();
  }

  /** Logs in by a mailed code alone, as a person does whose passkey is lost. */
  async logInByMail(look: (name: string) => Promise<void>): Promise<void> {
    await this.page.goto('/login');
    await this.#passCode('Your e-mail address', this.ownerEmail, { look: async () => undefined });
    await this.page.getByRole('button', { name: 'Continue' }).click();
    const goOn = this.page.getByRole('link', { name: 'Look, freeze, reject or tighten without it' });
    await goOn.waitFor();
    await look('login-by-mail');
    await goOn.click();
  }

  /** Claims the agent, and takes the limits that are offered first: $50 and new recipients are asked about. */
  async claim(look: (name: string) => Promise<void> = async () => undefined): Promise<void> {
    await this.#passCode('The agent’s e-mail address', this.agent.email, { look });
    await this.page.getByRole('button', { name: 'Review the claim' }).click();
    await this.page.getByRole('heading', { name: 'Claim this agent' }).waitFor();
    await look('claim');
    await this.page.getByRole('button', { name: 'Approve with passkey' }).click();
    await this.page.getByRole('heading', { name: 'Choose limits' }).waitFor();
    await look('choose-limits');
    await this.page.getByRole('button', { name: 'Use these limits' }).click();
    await this.page.getByRole('heading', { name: 'Balances' }).waitFor();
  }

  /** Returns the ID of the claimed agent, whose page is shown. */
  agentId(): string {
    return /\/agents\/([\w-]+)/.exec(this.page.url())![1]!;
  }

  /** Asks for a payment that waits for the owner. */
  async ask(order: Payment = {}): Promise<AskedPayment> {
    const whole = { to: newRecipient(), amount: 5, mint: 'USDC', ...order };
    const key = randomUUID();
    const again = () => this.agent.transfer(whole, key);
    const { status, body } = await again();
    const { approvalId } = body.data as unknown as { approvalId?: string };
    if (status !== 202 || approvalId === undefined) throw new Error(`not asked: ${status} ${JSON.stringify(body)}`);
    return { approvalId, to: whole.to, again };
  }

  async #passCode(label: string, email: string, { look }: { look: (name: string) => Promise<void> }): Promise<void> {
    await this.page.getByLabel(label).fill(email);
    await this.page.getByRole('button', { name: 'Mail me a code' }).click();
    const code = this.page.getByLabel('Code from the mail');
    await code.waitFor();
    await look(email === this.ownerEmail ? 'code' : 'claim-code');
    await code.fill(await this.sandbox.otp(email));
  }
}

interface Payment {
  readonly to?: string;
  readonly amount?: number;
  readonly memo?: string;
}

/** A payment that waits. */
export interface AskedPayment {
  readonly approvalId: string;
  readonly to: string;
  /** Asks again by the same key, as an agent does to learn the outcome. */
  readonly again: () => Promise<ClientResponse<TransferData>>;
}
