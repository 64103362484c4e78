import { newAddress } from '@agent-wallet/solana/corpus';
import { describe, expect, it } from '@jest/globals';
import { type Accounts, type Bounds, checkEffects } from '../src/application/check-effects.js';
import { BONK, SOL, TOKEN_RENT, tokenAccount, USDC, walletAccount } from './chain-accounts.js';

const wallet = newAddress();
const stranger = newAddress();
const RICH = 1_000_000_000n;
const FEE = 5_000n;

const bounds: Bounds = {
  ...{ wallet, input: USDC, output: BONK, amount: 100n, minOutputAmount: 990n, networkLamports: FEE },
};
const usdc = (amount: bigint, over: object = {}) => tokenAccount({ owner: wallet, mint: USDC.mint, amount, ...over });
const bonk = (amount: bigint, over: object = {}) => tokenAccount({ owner: wallet, mint: BONK.mint, amount, ...over });
const wsol = (amount: bigint, over: object = {}) => tokenAccount({ owner: wallet, mint: SOL.mint, amount, ...over });

const BEFORE: Accounts = [walletAccount(RICH), usdc(500n), bonk(7n)];
const AFTER: Accounts = [walletAccount(RICH - FEE), usdc(400n), bonk(997n)];

const unsafe = expect.objectContaining({ code: 'UNSAFE_TRANSACTION' });

describe('tokens for tokens', () => {
  it('may cost exactly what was asked, and must bring the least', () => {
    expect(() => checkEffects(bounds, BEFORE, AFTER)).not.toThrow();
  });

  it('may make the account for the output, whose rent stays the own', () => {
    const after = [walletAccount(RICH - FEE - TOKEN_RENT), usdc(400n), bonk(990n)];
    expect(() => checkEffects(bounds, [BEFORE[0], BEFORE[1], null], after)).not.toThrow();
  });

  it.each<[string, Accounts]>([
    ['one unit more of the input leaves', [AFTER[0], usdc(399n), AFTER[2]]],
    ['one unit too little arrives', [AFTER[0], AFTER[1], bonk(996n)]],
    ['one lamport more leaves', [walletAccount(RICH - FEE - 1n), AFTER[1], AFTER[2]]],
    ['lamports leave the token account', [AFTER[0], { ...usdc(400n), lamports: TOKEN_RENT - 1n }, AFTER[2]]],
    ['the output goes nowhere', [AFTER[0], AFTER[1], null]],
    ['the input account is closed', [walletAccount(RICH + TOKEN_RENT), null, AFTER[2]]],
    ['a delegate gets the rest of the input', [AFTER[0], usdc(400n, { delegate: stranger }), AFTER[2]]],
    ['a stranger may close the output account', [AFTER[0], AFTER[1], bonk(997n, { closeAuthority: stranger })]],
    ['a stranger owns the input account', [AFTER[0], usdc(400n, { owner: stranger }), AFTER[2]]],
    ['the output account is frozen', [AFTER[0], AFTER[1], bonk(997n, { isFrozen: true })]],
    ['the wallet is given to a program', [walletAccount(RICH - FEE, { owner: stranger }), AFTER[1], AFTER[2]]],
    ['the wallet becomes a nonce', [walletAccount(RICH - FEE, { data: new Uint8Array(80) }), AFTER[1], AFTER[2]]],
    ['nothing is reported', []],
  ])('are refused when %s', (_, after) => {
    expect(() => checkEffects(bounds, BEFORE, after)).toThrow(unsafe);
  });

  it.each<[string, Accounts[number]]>([
    ['belongs to a stranger', bonk(990n, { owner: stranger })],
    ['has a delegate', bonk(990n, { delegate: stranger })],
    ['is of another mint', usdc(990n)],
  ])('are refused when the new account %s', (_, output) => {
    const after = [walletAccount(RICH - FEE - TOKEN_RENT), usdc(400n), output];
    expect(() => checkEffects(bounds, [BEFORE[0], BEFORE[1], null], after)).toThrow(unsafe);
  });
});

describe('the native coin for tokens', () => {
  const native: Bounds = { ...bounds, input: SOL };

  it('costs the amount and the network, and leaves nothing wrapped', () => {
    const after = [walletAccount(RICH - FEE - 100n), null, bonk(997n)];
    expect(() => checkEffects(native, [BEFORE[0], null, BEFORE[2]], after)).not.toThrow();
  });

  it('unwraps what was wrapped before', () => {
    const after = [walletAccount(RICH - FEE - 100n + TOKEN_RENT + 40n), null, bonk(997n)];
    expect(() => checkEffects(native, [BEFORE[0], wsol(40n), BEFORE[2]], after)).not.toThrow();
  });

  it.each<[string, Accounts]>([
    ['one lamport more leaves', [walletAccount(RICH - FEE - 101n), null, bonk(997n)]],
    ['some is left wrapped', [walletAccount(RICH - FEE - 100n - TOKEN_RENT), wsol(0n), bonk(997n)]],
  ])('is refused when %s', (_, after) => {
    expect(() => checkEffects(native, [BEFORE[0], null, BEFORE[2]], after)).toThrow(unsafe);
  });
});

describe('tokens for the native coin', () => {
  const native: Bounds = { ...bounds, output: SOL };

  it('brings at least the least', () => {
    const after = [walletAccount(RICH - FEE + 990n), usdc(400n), null];
    expect(() => checkEffects(native, [BEFORE[0], BEFORE[1], null], after)).not.toThrow();
  });

  it('is worth the same where a stranger sent lamports to the address of the account that a sponsor makes', () => {
    // The sponsor adds what the rent lacks, and the whole rent is returned to it: the wallet gets the trade's output.
    const sponsored: Bounds = { ...native, networkLamports: 0n };
    const dust = walletAccount(900_000n);
    const after = [walletAccount(RICH + 990n), usdc(400n), null];
    expect(() => checkEffects(sponsored, [BEFORE[0], BEFORE[1], dust], after)).not.toThrow();
  });

  it('is refused when one lamport is missing, or an account is left to a delegate', () => {
    const before = [BEFORE[0], BEFORE[1], wsol(5n)];
    const short = [walletAccount(RICH - FEE + 989n), usdc(400n), wsol(5n)];
    expect(() => checkEffects(native, before, short)).toThrow(unsafe);
    const delegated = [walletAccount(RICH - FEE + 990n), usdc(400n), wsol(5n, { delegate: stranger })];
    expect(() => checkEffects(native, before, delegated)).toThrow(unsafe);
  });
});
