import { newAddress } from '@agent-wallet/solana/corpus';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@agent-wallet/kernel';
import type { ServiceName } from '@agent-wallet/platform';
import { NAMES, type OperationsClient, startTestService, type WalletClient } from './service.js';

const agentId = newId();
const transfer = {
  operationId: newId(),
  agentId,
  to: newAddress(),
  mint: '',
  amount: '1',
  memo: '',
  waitMs: 0,
  cancelIfNotStarted: false,
};

const unwrap = { operationId: newId(), amount: '', waitMs: 0, cancelIfNotStarted: false };

const move = {
  agentId,
  move: { $case: 'escrow' as const, value: { amount: 1n } },
  waitMs: 4_000,
  cancelIfNotStarted: false,
};

/** The operators' methods, and calls of them. */
const OPERATORS: ReadonlyArray<[string, (client: OperationsClient) => Promise<unknown>]> = [
  ['listOpenOperations', (client) => client.listOpenOperations({ minAgeMs: 0, limit: 0 })],
  ['explainOperation', (client) => client.explainOperation({ operationId: newId() })],
  ['resendOperation', (client) => client.resendOperation({ operationId: newId(), operator: 'x', reason: 'y' })],
];

/** Every method, who may call it, and a call of it. */
const METHODS: ReadonlyArray<[string, readonly ServiceName[], (client: WalletClient) => Promise<unknown>]> = [
  ['createWallet', ['gateway'], (client) => client.createWallet({ agentId })],
  ['getWallet', ['swap'], (client) => client.getWallet({ agentId })],
  ['getBalances', ['gateway'], (client) => client.getBalances({ agentId })],
  ['transfer', ['gateway'], (client) => client.transfer(transfer)],
  ['dryRunTransfer', ['gateway'], (client) => client.dryRunTransfer(transfer)],
  ['unwrap', ['gateway'], (client) => client.unwrap({ ...unwrap, agentId })],
  ['dryRunUnwrap', ['gateway'], (client) => client.dryRunUnwrap({ ...unwrap, agentId })],
  ['getToken', ['gateway', 'swap'], (client) => client.getToken({ query: 'nonsense', agentId })],
  ['move', ['prediction'], (client) => client.move({ ...move, operationId: newId(), step: 1, attempt: 1 })],
  ['dryRunMove', ['prediction'], (client) => client.dryRunMove(move)],
  ['getTreasury', ['prediction'], (client) => client.getTreasury({})],
];

let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const codeOfCall = (call: Promise<unknown>) =>
  call.then(
    () => 'OK',
    (error: { code?: string }) => error.code,
  );

const codeOf = async (name: ServiceName, call: (client: WalletClient) => Promise<unknown>) =>
  codeOfCall(call(await service.as(name)));

describe.each(OPERATORS)('%s', (_, call) => {
  it.each(NAMES)('is for operators alone: %s', async (name) => {
    const code = await codeOfCall(call(await service.operationsAs(name)));
    expect(code).toEqual(name === 'ops' ? expect.stringMatching(/^(OK|NOT_FOUND)$/) : 'CALLER_NOT_ALLOWED');
  });
});

describe.each(METHODS)('%s', (_, allowed, call) => {
  it.each(NAMES.filter((name) => !allowed.includes(name)))('refuses %s', async (name) => {
    expect(await codeOf(name, call)).toBe('CALLER_NOT_ALLOWED');
  });

  // No peer is running: an accepted call ends at the signer or the aggregator, or at an agent without a wallet.
  it.each(allowed)('lets %s in', async (name) => {
    expect(['SERVICE_UNAVAILABLE', 'UPSTREAM_ERROR', 'NOT_FOUND']).toContain(await codeOf(name, call));
  });
});

describe('the network', () => {
  it('is reported to the gateway alone', async () => {
    expect(await (await service.as('gateway')).getNetwork({})).toEqual({ network: 'sandbox' });
    for (const name of NAMES.filter((each) => each !== 'gateway')) {
      expect(await codeOf(name, (client) => client.getNetwork({}))).toBe('CALLER_NOT_ALLOWED');
    }
  });
});

describe("an agent's wallet", () => {
  it('is returned once there is one', async () => {
    const client = await service.as('swap');
    const [owner, address] = [newId(), newAddress()];
    await expect(client.getWallet({ agentId: owner })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(client.getWallet({ agentId: 'me' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await service.database.pool.query('insert into wallets (agent_id, address) values ($1, $2)', [owner, address]);
    expect(await client.getWallet({ agentId: owner })).toEqual({ address });
  });
});

describe('a transfer through the door', () => {
  it('names the fields that are wrong, and leaves no operation behind', async () => {
    const client = await service.as('gateway');
    await service.database.pool.query('insert into wallets (agent_id, address) values ($1, $2)', [
      agentId,
      transfer.to,
    ]);
    const send = (over: Partial<typeof transfer>) => client.transfer({ ...transfer, ...over });
    const field = (name: string) => expect.objectContaining({ details: [expect.objectContaining({ field: name })] });
    await expect(send({ to: 'nowhere' })).rejects.toEqual(field('to'));
    await expect(send({ to: '11111111111111111111111111111111' })).rejects.toMatchObject({ code: 'INVALID_ADDRESS' });
    await expect(send({})).rejects.toEqual(field('to')); // to itself
    await expect(send({ to: newAddress(), amount: '1e400' })).rejects.toEqual(field('amount'));
    await expect(send({ to: newAddress(), memo: 'x'.repeat(257) })).rejects.toEqual(field('memo'));
    await expect(send({ to: newAddress(), mint: 'usdx' })).rejects.toEqual(field('mint'));
    expect((await service.database.pool.query(`select from operations where action = 'transfer'`)).rowCount).toBe(0);
  });

  it('fails for good while the chain is away: nothing was signed', async () => {
    const client = await service.as('gateway');
    const call = { ...transfer, operationId: newId(), agentId: newId(), waitMs: 20_000 };
    await service.database.pool.query('insert into wallets (agent_id, address) values ($1, $2)', [
      call.agentId,
      newAddress(),
    ]);
    const failure = { code: expect.stringMatching(/^UPSTREAM_/) };
    await expect(client.transfer(call, { deadlineMs: 25_000 })).rejects.toMatchObject(failure);
    await expect(client.transfer({ ...call, waitMs: 0 })).rejects.toMatchObject(failure);
  });
});
