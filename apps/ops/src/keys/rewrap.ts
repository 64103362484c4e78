import type { signerV1 } from '@agent-wallet/contracts';
import { AppError, sleep } from '@agent-wallet/kernel';
import type { Print } from '../print.js';
import type { KeyService } from '../services.js';

const PAGE = 500;
/** Signers look for data keys every two seconds, and one that is gone counts as up for fifteen. */
const TIMEOUT_MS = 20_000;
const POLL_EVERY_MS = 500;

/** Prints the data keys and the running signers, and returns them. */
export async function describeKeys(keys: KeyService, print: Print): Promise<object> {
  const { versions, replicas, vault } = await keys.describeKeys({});
  const dataKeys = versions.map(({ version, keys: count, seals, createdAtMs }) => ({
    version,
    keys: count,
    vaults: seals.map(nameOf),
    createdAt: new Date(Number(createdAtMs)).toISOString(),
  }));
  for (const { version, keys: count, vaults, createdAt } of dataKeys) {
    print(`data key ${version}: keys: ${count}, created ${createdAt}, opened by ${vaults.join(' and ')}`);
  }
  for (const replica of replicas) print(`signer ${textOf(replica)}`);
  print(`responding signer: ${nameOf(vault)}`);
  const signers = replicas.map(({ ephemeralKey, vault: own, versions: open }) => ({
    boot: ephemeralKey.toString('hex'),
    vault: nameOf(own),
    openDataKeys: open,
  }));
  return { dataKeys, signers, respondingSigner: { vault: nameOf(vault) } };
}

/** Moves every key under the newest data key. @throws AppError naming agents whose keys do not open */
export async function rewrap(
  keys: KeyService,
  print: Print,
  { retire: retires }: { readonly retire: boolean },
): Promise<object> {
  const version = await newestFor(keys, print);
  await everywhere(keys, version);
  const undecryptableAgentIds = await moveAll(keys, print);
  const removed = retires ? await retire(keys, print) : {};
  const described = await describeKeys(keys, print);
  if (undecryptableAgentIds.length === 0) return { ...described, ...removed };
  throw new AppError('INTERNAL_ERROR', {
    message: `The keys of these agents do not open: ${undecryptableAgentIds.join(', ')}`,
  });
}

/** Removes data keys that no key needs any more. @throws AppError */
export async function retire(keys: KeyService, print: Print): Promise<object> {
  const { versions } = await keys.retireDataKeys({});
  print(versions.length === 0 ? 'no data key to remove' : `removed data key ${versions.join(', ')}`);
  return { removedDataKeys: versions };
}

/** Returns the data key to move to: the newest where some keys are not under it yet, or one that it creates now. */
async function newestFor(keys: KeyService, print: Print): Promise<number> {
  const { versions } = await keys.describeKeys({});
  const newest = versions.at(-1)!.version;
  const waiting = versions.slice(0, -1).reduce((sum, { keys: count }) => sum + count, 0n);
  if (waiting > 0n) {
    print(`keys not under data key ${newest} yet: ${waiting}; continuing with it`);
    return newest;
  }
  const { version } = await keys.addDataKey({});
  print(`created data key ${version}`);
  return version;
}

/** Waits until every signer that is up has the data key open. @throws AppError that names those that have not */
async function everywhere(keys: KeyService, version: number): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { replicas } = await keys.describeKeys({});
    const without = replicas.filter(({ versions }) => !versions.includes(version));
    if (replicas.length > 0 && without.length === 0) return;
    if (performance.now() > endMs) {
      throw AppError.field(
        'dataKey',
        `${version} does not open at every signer; not at:\n    ${without.map(textOf).join('\n    ')}`,
      );
    }
    await sleep(POLL_EVERY_MS);
  }
}

/**
 * Moves all keys in rounds, because a key may have been made under an older data key meanwhile.
 * @returns agents whose keys do not open
 */
async function moveAll(keys: KeyService, print: Print): Promise<string[]> {
  for (;;) {
    const undecryptableAgentIds: string[] = [];
    let after = '';
    let left: signerV1.RewrapKeysResponse;
    do {
      left = await keys.rewrapKeys({ max: PAGE, after });
      undecryptableAgentIds.push(...left.undecryptableAgentIds);
      after = left.nextAfter;
      print(`moved to data key ${left.version}: ${left.rewrapped}, remaining: ${left.remaining}`);
    } while (after !== '');
    if (left.remaining <= BigInt(undecryptableAgentIds.length)) return undecryptableAgentIds;
  }
}

function nameOf(vault: signerV1.VaultName | undefined): string {
  return vault ? `${vault.driver}${vault.id && ` ${vault.id}`}` : '?';
}

function textOf({ ephemeralKey, vault, versions }: signerV1.Replica): string {
  return `of boot ${ephemeralKey.toString('hex').slice(0, 8)} with ${nameOf(vault)}, open: ${versions.join(', ')}`;
}
