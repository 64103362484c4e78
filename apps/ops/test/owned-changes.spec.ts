import { toBase58 } from '@agent-wallet/contracts/audit';
import { newId } from '@agent-wallet/kernel';
import { isOnCurve } from '@agent-wallet/solana';
import { Authenticator } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { isLoosened } from '@agent-wallet/audit';
import { ORIGIN, OwnedAgentLog, type Written } from './owned-agent-log.js';

const NIL = '00000000-0000-0000-0000-000000000000';
/** On the curve, and derived by a program. */
const [WALLET, OTHER, DERIVED] = [
  'EoHLDypXk2gDyF8jtS6Rg95JzDCMKnWV9g79aXvUFCyR',
  '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  'GThUX1Atko4tqhN2NaiTazWSeFWMuiUvfFnyJyUghFMJ',
];

async function named(log: OwnedAgentLog): Promise<[number, string]> {
  const { code, lines } = await log.audit();
  return [code, lines.slice(0, -1).join('\n')];
}

const indexOf = (log: OwnedAgentLog, isWanted: (fact: Written['fact']) => boolean) =>
  log.written.findIndex(({ fact }) => isWanted(fact));

const freezeAndEnd = (log: OwnedAgentLog) => {
  log.act('freeze');
  log.approve(log.first, 'unfreeze', { frozenSince: 'x' }, { effect: () => log.act('unfreeze') });
};

const reservation = (): Written['fact'] => ({
  $case: 'reservationCreated',
  value: {
    ...{ operationId: newId(), step: 1, attempt: 1, kind: 'payment', valueUsdMicros: 1n },
    ...{ sponsoredLamports: 0n, windowSeconds: 86_400 },
  },
});

describe('audit:verify on what needs an owner’s signature', () => {
  it('passes signed changes, what tightens, the end of a freeze, and what an agent without an owner does', async () => {
    const log = new OwnedAgentLog();
    log.change(['dailyLimitInUsd', '600', '599.999999']);
    log.change(['allowedRecipients', '[]', JSON.stringify([WALLET, OTHER])], { actor: 'owner' });
    freezeAndEnd(log);
    log.written.push({ subject: log.agentId, fact: reservation() });
    log.written.push({ ...log.written.at(-1)!, subject: newId() });
    const value = { changes: [{ field: 'dailyLimitInUsd', before: '500', after: '1000000000' }], actor: 'agent' };
    log.write({ $case: 'policyChanged', value }, newId());
    expect(await named(log)).toEqual([0, '']);
  });

  it('passes a signed change of an older policy, which wrote neither the actor nor the approval', async () => {
    const log = new OwnedAgentLog();
    Object.assign(log.last('policyChanged'), { actor: undefined, approvalId: undefined });
    expect(await named(log)).toEqual([0, '']);
  });

  const unsigned: ReadonlyArray<[string, string, (log: OwnedAgentLog) => void]> = [
    [
      'a limit that was loosened without an approval',
      'UNSIGNED.*loosened dailyLimitInUsd without an approval',
      (log) => log.change(['dailyLimitInUsd', '600', '1000000000']),
    ],
    [
      'a limit that was loosened as of the owner',
      'loosened dailyLimitInUsd without an approval',
      (log) => log.change(['dailyLimitInUsd', '600', '601'], { actor: 'owner' }),
    ],
    [
      'a limit that was loosened as of an operator',
      'loosened dailyLimitInUsd without an approval',
      (log) => log.change(['dailyLimitInUsd', '600', '601'], { actor: 'operator' }),
    ],
    [
      'one that seems to tighten, from a value that it never had',
      'FORGED.*another value of dailyLimitInUsd before it',
      (log) => log.change(['dailyLimitInUsd', '1000000000', '999999999']),
    ],
    [
      'one of a field that was never changed',
      'another value of maxSingleTransactionInUsd before it',
      (log) => log.change(['maxSingleTransactionInUsd', '1000', '999']),
    ],
    [
      'other values than the signed ones',
      'names an approval of another change',
      (log) => void (log.last('policyChanged').changes[0]!.after = '601'),
    ],
    [
      'a field more than was signed',
      'names an approval of another change',
      (log) => void log.last('policyChanged').changes.push({ field: 'allowTrading', before: 'false', after: 'true' }),
    ],
    [
      'an approval of another kind',
      'names another approval, of the kind "operation"',
      (log) =>
        log.change(['dailyLimitInUsd', '600', '601'], {
          ...{ actor: 'owner', approvalId: log.last('approvalDecided').approvalId },
        }),
    ],
    [
      'an approval that is not in the log',
      'was not signed by an owner',
      (log) => void (log.last('policyChanged').approvalId = newId()),
    ],
    [
      'an approval of a change whose signature is not valid',
      'was not signed by an owner',
      (log) => {
        log.loosen('dailyLimitInUsd', '600', '700');
        log.last('approvalDecided').signature[20]! ^= 1;
      },
    ],
    [
      'an approval that was superseded',
      'its approval was not applied',
      (log) => {
        log.loosen('dailyLimitInUsd', '600', '700');
        log.last('approvalDecided').outcome = 'superseded';
      },
    ],
    [
      'an approval that is used twice',
      'its approval was used before',
      (log) => {
        const at = indexOf(log, ({ $case }) => $case === 'policyChanged');
        log.written.splice(at, 0, log.written[at]!);
      },
    ],
    [
      'an approval that is used after its vote',
      'its approval was applied before',
      (log) => {
        const [change] = log.written.splice(
          indexOf(log, ({ $case }) => $case === 'policyChanged'),
          1,
        );
        log.written.push(change!);
      },
    ],
    [
      'a field that it does not know',
      'UNKNOWN.*changed "allowMagic" without an approval',
      (log) => log.change(['allowMagic', 'true', 'false']),
    ],
    [
      'an actor that it does not know',
      'UNKNOWN.*its actor "wizard" is not known',
      (log) => log.change(['dailyLimitInUsd', '600', '599'], { actor: 'wizard' }),
    ],
    [
      'an owner without a claim',
      'made "[-0-9a-f]{36}" an owner without an applied claim',
      (log) => log.write({ $case: 'memberChanged', value: { ownerId: newId(), role: 'owner', action: 'added' } }),
    ],
    [
      'what becomes of a member and is not known',
      'UNKNOWN.*does not know "paused"',
      (log) => log.write({ $case: 'memberChanged', value: { ...log.last('memberChanged'), action: 'paused' } }),
    ],
    [
      'the end of a freeze without an approval',
      "ended its owner's freeze without an approval",
      (log) => {
        log.act('freeze');
        log.act('unfreeze');
      },
    ],
    [
      'the end of a freeze by an approval that was requested before it',
      "ended its owner's freeze without an approval",
      (log) => {
        const effect = () => {
          log.act('freeze');
          log.act('unfreeze');
        };
        log.approve(log.first, 'unfreeze', { frozenSince: 'x' }, { effect });
      },
    ],
    [
      'the end of a freeze that another owner has signed',
      'signed by one who is not its owner',
      (log) => {
        const [other, ownerId] = [new Authenticator(ORIGIN), newId()];
        log.addPasskey(other, ownerId);
        log.act('freeze');
        const effect = () => log.act('unfreeze', `owner ${ownerId}`);
        log.approve(other, 'unfreeze', { frozenSince: 'x' }, { ownerId, effect });
      },
    ],
    [
      'a permit although the freeze of the owner had not ended',
      "was permitted, although its owner's freeze had not ended",
      (log) => {
        log.act('freeze');
        log.act('unfreeze', 'alice');
        log.written.push({ subject: log.agentId, fact: reservation() });
      },
    ],
    [
      'a policy that was looser than its owner signed',
      'dailyLimitInUsd was looser than its owner signed',
      (log) => {
        const at = indexOf(log, ({ $case, value }) => $case === 'approvalRequested' && value.kind === 'claim');
        log.change(['dailyLimitInUsd', '500', '501']);
        log.written.splice(at + 1, 0, log.written.pop()!);
      },
    ],
  ];

  it.each(unsigned)('names %s', async (_, reason, alter) => {
    const log = new OwnedAgentLog();
    alter(log);
    expect(await named(log)).toEqual([1, expect.stringMatching(reason)]);
  });

  it('passes a policy that was tightened between the request of a claim and its effect', async () => {
    const log = new OwnedAgentLog();
    const at = indexOf(log, ({ $case, value }) => $case === 'approvalRequested' && value.kind === 'claim');
    log.change(['dailyLimitInUsd', '500', '499']);
    log.written.splice(at + 1, 0, log.written.pop()!);
    const [change] = [log.written.find(({ fact }, n) => n > at + 1 && fact.$case === 'policyChanged')!];
    log.written.splice(log.written.indexOf(change) - 1, 3);
    log.change(['dailyLimitInUsd', '499', '498']);
    expect(await named(log)).toEqual([0, '']);
  });
});

describe('audit:verify after a recorded recovery', () => {
  const recover = (log: OwnedAgentLog) => log.act('start_recovery', 'recovery', NIL);

  it('mentions what it explains: a forgotten claim and freeze, a new claim, and earlier values', async () => {
    const log = new OwnedAgentLog();
    log.act('freeze');
    recover(log);
    log.written.push({ subject: log.agentId, fact: reservation() });
    log.change(['dailyLimitInUsd', '500', '700']);
    const [other, otherId] = [new Authenticator(ORIGIN), newId()];
    log.addPasskey(other, otherId);
    log.claim(other, 'vote', otherId);
    const { code, lines } = await log.audit();
    expect([code, lines]).toEqual([
      0,
      [
        expect.stringMatching(/^After a recovery.*was permitted, although/),
        expect.stringMatching(/^After a recovery.*loosened dailyLimitInUsd/),
        expect.stringContaining('as it was written'),
      ],
    ]);
  });

  it('names what it does not explain: a value that the policy never had, and what came before', async () => {
    const log = new OwnedAgentLog();
    recover(log);
    log.change(['dailyLimitInUsd', '1000000000', '999999999']);
    expect(await named(log)).toEqual([1, expect.stringContaining('another value of dailyLimitInUsd')]);
    const before = new OwnedAgentLog();
    before.change(['dailyLimitInUsd', '600', '601']);
    recover(before);
    expect(await named(before)).toEqual([1, expect.stringContaining('loosened dailyLimitInUsd')]);
  });

  it('names what was loosened once a vote has shown that the owner is known', async () => {
    const log = new OwnedAgentLog();
    recover(log);
    log.loosen('dailyLimitInUsd', '600', '700');
    log.change(['dailyLimitInUsd', '700', '701']);
    expect(await named(log)).toEqual([1, expect.stringMatching(/^UNSIGNED.*loosened dailyLimitInUsd/)]);
  });
});

describe('the table of what loosens', () => {
  it('knows the addresses on the curve as policy does', () => {
    const addresses = Array.from({ length: 100 }, () => toBase58(randomBytes(32)));
    const ofNoWallet = ['1'.repeat(32), toBase58(Buffer.from([1, ...Array<number>(31).fill(0)]))];
    for (const address of [...addresses, ...ofNoWallet]) {
      const loosened = isLoosened('allowedRecipients', '[]', JSON.stringify([address]));
      expect([address, loosened]).toEqual([address, !isOnCurve(address)]);
    }
  });

  it.each([
    ['maxSingleTransactionInUsd', '100', ['99.999999'], ['100.000001', '1e1', '"1"']],
    ['dailyLimitInUsd', '500', ['499.999999'], ['500.000001', 'null']],
    ['sessionExpirationHours', '168', ['167'], ['169']],
    ['allowTrading', 'true', ['false'], []],
    ['allowTrading', 'false', [], ['true']],
    ['allowLiquidityProvision', 'false', [], ['true']],
    ['allowPredictionMarkets', 'false', [], ['true']],
    ['allowedRecipients', '[]', [`["${WALLET}"]`], [`["${DERIVED}"]`, `["${WALLET}","${DERIVED}"]`, '["x"]', 'null']],
    ['allowedRecipients', `["${WALLET}","${DERIVED}"]`, [`["${DERIVED}"]`], ['[]', `["${OTHER}"]`, '[1]']],
    ['newRecipients', '"approve"', ['"deny"'], ['"allow"', '"perhaps"']],
    ['newRecipientCoolDownHours', '24', ['25'], ['23', 'null']],
    ['approveAboveInUsd', 'null', ['1000000000'], ['"x"']],
    ['approveAboveInUsd', '20', ['19.999999'], ['20.000001', 'null']],
    ['allowedTokens', 'null', ['[]', '["a"]'], ['{}']],
    ['allowedMarkets', '["a","b"]', ['["b"]', '[]'], ['null', '["b","c"]']],
    ['approvalLifetimeHours', '24', [], ['23', '25']],
    ['allowMailLogin', 'true', ['false'], ['"x"']],
    ['allowMailLogin', 'false', [], ['true']],
    ['maxTradeLossPercent', '1', [], ['0.5', '2', 'null']],
    ['unpricedTokens', '["a"]', [], ['[]', '["a","b"]']],
  ] as const)('says of %s from %s what tightens and what loosens', (field, before, tighter, looser) => {
    for (const after of tighter) expect([after, isLoosened(field, before, after)]).toEqual([after, false]);
    for (const after of looser) expect([after, isLoosened(field, before, after)]).toEqual([after, true]);
    expect(isLoosened(field, before, before)).toBe(false);
  });
});
