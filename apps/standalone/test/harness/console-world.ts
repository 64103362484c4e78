import { runOps } from '@agent-wallet/ops';
import { eventually } from '@agent-wallet/testing';
import { setClock } from '@agent-wallet/platform/testing';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
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
    private readonly run: { readonly copies: Copies; readonly directory: string },
    readonly sandbox: SandboxClient,
    readonly agent: AgentClient,
    readonly browser: OwnerBrowser,
  ) {}

  /** Base URL of the API, as the page calls it. */
  get apiUrl(): string {
    return this.agent.baseUrl.replace('127.0.0.1', 'localhost');
  }

  /** @param environment variables beside those of every test */
  static async open(environment: Readonly<Record<string, string>> = {}): Promise<ConsoleWorld> {
    const copies = new Copies('main');
    try {
      const directory = await copies.dataDir();
      const { url, adminUrl, consoleUrl } = await copies.start(directory, { ...LIMITS, ...environment });
      const sandbox = new SandboxClient(adminUrl);
      const agent = await AgentClient.logIn(url, sandbox, `scout-${randomUUID().slice(0, 8)}@agents.example.com`);
      await sandbox.faucet(agent.address, 'SOL', 1);
      await sandbox.faucet(agent.address, 'USDC', 500);
      const browser = await OwnerBrowser.open(consoleUrl);
      return new ConsoleWorld({ copies, directory }, sandbox, agent, browser);
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
    await this.run.copies.clean();
  }

  /** Advances policy's clock by an interval of SQL; `0` sets it right. */
  async later(interval: string): Promise<void> {
    const cluster = path.join(this.run.directory, 'postgres');
    const { postgres: password } = JSON.parse(await readFile(path.join(cluster, 'passwords.json'), 'utf8')) as {
      readonly postgres: string;
    };
    const lines = (await readFile(path.join(cluster, 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
    const connection = {
      host: '127.0.0.1',
      port: Number(lines[3]),
      user: 'postgres',
      password,
      database: 'agent_wallet',
    };
    await setClock(connection, 'policy', `clock_timestamp() + interval '${interval}'`);
  }

  /** Runs a command of the operator. @throws Error with what it printed unless it exits with 0 */
  async ops(...args: string[]): Promise<void> {
    const lines: string[] = [];
    const note = ['--reason', 'a support case', '--operator', 'ann'];
    const code = await runOps([...args, ...note], { DATA_DIR: this.run.directory }, (line) => lines.push(line));
    if (code !== 0) throw new Error(lines.join('\n'));
  }

  /** Confirms the owner's address and makes a passkey; `look` is called at each step. */
  async makeAccount(look: (name: string) => Promise<void> = async () => undefined): Promise<void> {
    await this.page.goto('/welcome');
    await this.page.getByLabel('Your e-mail address').waitFor();
    await look('welcome');
    await this.passCode('Your e-mail address', this.ownerEmail, { look });
    await this.page.getByRole('button', { name: 'Continue' }).click();
    await this.page.getByRole('heading', { name: 'Make your passkey' }).waitFor();
    await look('passkey');
    await this.page.getByRole('button', { name: 'Make a passkey' }).click();
  }

  /** Logs in by a mailed code alone, as a person does whose passkey is lost. */
  async logInByMail(look: (name: string) => Promise<void>): Promise<void> {
    await this.page.goto('/login');
    await this.passCode('Your e-mail address', this.ownerEmail, { look: async () => undefined });
    await this.page.getByRole('button', { name: 'Continue' }).click();
    const goOn = this.page.getByRole('link', { name: 'Look, freeze, reject or tighten without it' });
    await goOn.waitFor();
    await look('login-by-mail');
    await goOn.click();
  }

  /** Signs a claim of the agent, which takes effect later. */
  async signClaim(): Promise<void> {
    await this.passCode('The agent’s e-mail address', this.agent.email);
    await this.page.getByRole('button', { name: 'Review the claim' }).click();
    await this.page.getByRole('heading', { name: 'Claim this agent' }).waitFor();
    await this.page.getByRole('button', { name: 'Approve with passkey' }).click();
    await this.page.getByRole('status').filter({ hasText: 'You become the owner at' }).waitFor();
  }

  /** Loads a page until it shows a text: policy does on the next round what its clock says is due. */
  async seen(path: string, text: string): Promise<void> {
    await eventually(
      async () => {
        await this.page.goto(path);
        await this.page.locator('.skeleton').first().waitFor({ state: 'detached' });
        return this.page.getByText(text).first().isVisible();
      },
      (isShown) => isShown,
      60_000,
    );
  }

  /** Claims the agent, and takes the limits that are offered first: $50 and new recipients are asked about. */
  async claim(look: (name: string) => Promise<void> = async () => undefined): Promise<void> {
    await this.passCode('The agent’s e-mail address', this.agent.email, { look });
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

  /** Has a code mailed to an address, and enters it. */
  async passCode(
    label: string,
    email: string,
    { look = async () => undefined, page = this.page }: { readonly look?: Look; readonly page?: Page } = {},
  ): Promise<void> {
    await page.getByLabel(label).fill(email);
    await page.getByRole('button', { name: 'Mail me a code' }).click();
    const code = page.getByLabel('Code from the mail');
    await code.waitFor();
    await look(email === this.ownerEmail ? 'code' : 'claim-code');
    await code.fill(await this.sandbox.otp(email));
  }
}

type Look = (name: string) => Promise<void>;

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
