import { mintNamed } from '@agent-wallet/kernel';
import { TOKEN_PROGRAM } from '@agent-wallet/solana';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckResult } from '../../src/doctor/check.js';
import { examine } from '../../src/doctor/examine.js';
import { WALLET_CHECKS } from '../../src/doctor/wallets.js';
import { type ScriptedNode, SLOT, startScriptedNode } from './scripted-node.js';

const WALLET = 'Vote111111111111111111111111111111111111111';

let node: ScriptedNode;
beforeEach(async () => {
  node = await startScriptedNode();
});
afterEach(() => node.close());

function holdings(lamports: number, usdc = 0): void {
  const account = { owner: '11111111111111111111111111111111', lamports, data: ['', 'base64'], executable: false };
  const info = {
    isNative: false,
    mint: mintNamed('USDC'),
    owner: WALLET,
    state: 'initialized',
    tokenAmount: { amount: String(usdc), decimals: 6 },
  };
  const data = { program: 'spl-token', parsed: { type: 'account', info }, space: 165 };
  const tokens = [{ pubkey: WALLET, account: { ...account, owner: TOKEN_PROGRAM, data } }];
  node.reply = ({ method, params }) => {
    const context = { slot: SLOT };
    if (method === 'getMultipleAccounts')
      return { result: { context, value: (params[0] as string[]).map(() => (lamports > 0 ? account : null)) } };
    if (method !== 'getTokenAccountsByOwner') return undefined;
    const isClassic = (params[1] as { programId: string }).programId === TOKEN_PROGRAM;
    return { result: { context, value: isClassic && usdc > 0 ? tokens : [] } };
  };
}

async function examineWallet(name: string, variable: string, more: object = {}): Promise<CheckResult> {
  const environment = { SOLANA_RPC_URL: node.url, [variable]: WALLET, ...more };
  const results = await examine(WALLET_CHECKS, { environment, clock: { nowMs: () => 0 } });
  return results.find((result) => result.name === name)!;
}

describe("checks of the operator's wallets", () => {
  const perDay = { SPONSOR_MAX_LAMPORTS_PER_DAY: '100000000' };
  it.each([
    [200_000_000, 'ok', '0.2 SOL, 0 USDC: 2 days at SPONSOR_MAX_LAMPORTS_PER_DAY'],
    [150_000_000, 'warn', '0.15 SOL, 0 USDC: 1.5 days at SPONSOR_MAX_LAMPORTS_PER_DAY'],
    [0, 'fail', '0 SOL, 0 USDC: it can pay no network fee'],
  ])('judge a sponsor with %i lamports as %s', async (lamports, status, found) => {
    holdings(lamports);
    expect(await examineWallet('sponsor', 'SPONSOR_ADDRESS', perDay)).toMatchObject({ status, found });
  });

  it('report a sponsor that pays nothing as ok', async () => {
    holdings(0);
    const off = { SPONSOR_MAX_LAMPORTS_PER_DAY: '0' };
    expect(await examineWallet('sponsor', 'SPONSOR_ADDRESS', off)).toMatchObject({ status: 'ok' });
  });

  it.each([
    [1_500_000, 'ok', '1 SOL, 1.5 USDC'],
    [0, 'warn', '1 SOL, 0 USDC'],
  ])('judge a treasury with %i base units of USDC as %s', async (usdc, status, found) => {
    holdings(1_000_000_000, usdc);
    expect(await examineWallet('treasury', 'TREASURY_ADDRESS')).toMatchObject({ status, found });
  });

  it('show what the fee wallet holds', async () => {
    holdings(0, 2_000_000);
    expect(await examineWallet('fee wallet', 'FEE_WALLET_ADDRESS')).toMatchObject({
      status: 'ok',
      found: '0 SOL, 2 USDC',
    });
  });

  it('fail for an address that is none', async () => {
    const result = await examineWallet('sponsor', 'SPONSOR_ADDRESS', { SPONSOR_ADDRESS: 'no-address' });
    expect(result).toMatchObject({ status: 'fail', found: 'SPONSOR_ADDRESS: must be a base58 address' });
  });
});
