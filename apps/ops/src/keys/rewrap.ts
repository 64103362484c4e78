import type { signerV1 } from '@agent-wallet/contracts';
import { AppError, sleep } from '@agent-wallet/kernel';
import type { Print } from '../print.js';
import type { KeyService } from '../services.js';

const PAGE = 500;
/** Signers look for data keys every two seconds, and one that is gone counts as up for fifteen. */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 500;

/** Prints what there is to know of data keys. */
export async function describeKeys(keys: KeyService, print: Print): Promise<void> {
  const { versions, replicas, vault } = await keys.describeKeys({});
  for (const { version, keys: count, seals, createdAtMs } of versions) {
    const since = new Date(Number(createdAtMs)).toISOString();
    print(`data key ${version}: ${count} keys, made ${since}, opened by ${seals.map(nameOf).join(' and ')}`);
  }
  for (const replica of replicas) print(`signer ${textOf(replica)}`);
  print(`asked: the signer with ${nameOf(vault)}`);
}

/** Moves every key under the newest data key. @throws AppError */
export async function rewrap(keys: KeyService, print: Print, { retire: isLast }: { retire: boolean }): Promise<void> {
  const version = await newestFor(keys, print);
  await everywhere(keys, version);
  const broken = await moveAll(keys, print);
  if (isLast) await retire(keys, print);
  await describeKeys(keys, print);
  if (broken.length === 0) return;
  throw new AppError('INTERNAL_ERROR', { message: `The keys of these agents do not open: ${broken.join(', ')}` });
}

/** Removes data keys that nothing is under. @throws AppError */
export async function retire(keys: KeyService, print: Print): Promise<void> {
  const { versions } = await keys.retireDataKeys({});
  print(versions.length === 0 ? 'no data key to remove' : `removed data key ${versions.join(', ')}`);
}

/** The data key to move to: the newest where some are not under it yet, or one that is made now. */
async function newestFor(keys: KeyService, print: Print): Promise<number> {
  const { versions } = await keys.describeKeys({});
  const newest = versions.at(-1)!.version;
  const waiting = versions.slice(0, -1).reduce((sum, { keys: count }) => sum + count, 0n);
  if (waiting > 0n) {
    print(`${waiting} keys are not under data key ${newest} yet: going on with it`);
    return newest;
  }
  const { version } = await keys.addDataKey({});
  print(`made data key ${version}`);
  return version;
}

/** Waits until every signer that is up has the data key open. @throws AppError that names those that have not */
async function everywhere(keys: KeyService, version: number): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
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
    await sleep(LOOK_EVERY_MS);
  }
}

/** In rounds, because a key may have been made under an older data key meanwhile. @returns agents whose keys do not open */
async function moveAll(keys: KeyService, print: Print): Promise<string[]> {
  for (;;) {
    const broken: string[] = [];
    let after = '';
    let left: signerV1.RewrapKeysResponse;
    do {
      left = await keys.rewrapKeys({ max: PAGE, after });
      broken.push(...left.broken);
      after = left.nextAfter;
      print(`${left.rewrapped} moved to data key ${left.version}, ${left.remaining} to go`);
    } while (after !== '');
    if (left.remaining <= BigInt(broken.length)) return broken;
  }
}

function nameOf(vault: signerV1.VaultName | undefined): string {
  return vault ? `${vault.driver}${vault.id && ` ${vault.id}`}` : '?';
}

function textOf({ ephemeralKey, vault, versions }: signerV1.Replica): string {
  return `of boot ${ephemeralKey.toString('hex').slice(0, 8)} with ${nameOf(vault)}, open: ${versions.join(', ')}`;
}
