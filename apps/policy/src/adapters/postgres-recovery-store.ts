import type { Outbox } from '@agent-wallet/events';
import { NIL_UUID } from '@agent-wallet/kernel';
import { type Database, databaseError, type Queryable } from '@agent-wallet/platform';
import type {
  CountedTransaction,
  ForgottenTransaction,
  OpenRecovery,
  RecoveryStore,
  RecoveringWallet,
  RecoveryNote,
  RecoveryStatus,
} from '../ports/recovery-store.js';
import * as sql from './recovery-statements.js';

const BY_ITSELF = 'recovery';
const RESTORED = 'the database was restored, or another server has taken over';
const LEASE = '30 seconds';

/** Recoveries in the schema `policy`. */
export class PostgresRecoveryStore implements RecoveryStore {
  /** Whether it is worth to look for what was found on chain; reported by `open`, which is asked every second. */
  #isAnyCounted = true;

  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  detect(): Promise<boolean> {
    return this.#begin({ operator: BY_ITSELF, reason: RESTORED }, undefined);
  }

  order(note: RecoveryNote, sinceMs: number): Promise<boolean> {
    return this.#begin(note, new Date(sinceMs));
  }

  #begin(note: RecoveryNote, since: Date | undefined): Promise<boolean> {
    return this.#transaction(async (tx) => {
      // Without the lock that beginning takes: nearly always there is nothing to begin.
      if (!since && (await tx.query(sql.IS_KNOWN)).rowCount === 1) return false;
      const { rows } = await tx.query<{ id: number | null }>('select start_recovery($1, $2) as id', [
        note.reason,
        since ?? null,
      ]);
      if (rows[0]!.id === null) return false;
      await this.#audit(tx, NIL_UUID, note, 'start_recovery');
      return true;
    });
  }

  async open(): Promise<OpenRecovery | undefined> {
    const [row] = await this.#query<OpenRow>(sql.OPEN);
    this.#isAnyCounted = row!.is_any_counted || row!.id !== null;
    if (!row || row.id === null) return undefined;
    return {
      id: row.id,
      sinceSlot: Number(row.since_slot),
      lastHeight: row.last_height === null ? undefined : Number(row.last_height),
      readAtSlot: row.read_at_slot === null ? undefined : Number(row.read_at_slot),
      areWalletsReported: row.wallets_reported,
    };
  }

  async keepLastHeight(id: number, height: number): Promise<void> {
    await this.#query('update recoveries set last_height = $2 where id = $1 and last_height is null', [id, height]);
  }

  async keepReadSlot(id: number, slot: number): Promise<void> {
    await this.#query('update recoveries set read_at_slot = $2 where id = $1 and read_at_slot is null', [id, slot]);
  }

  async addWallets(id: number, wallets: readonly RecoveringWallet[], isLast: boolean): Promise<void> {
    const addresses = wallets.map(({ address }) => address);
    const agents = wallets.map(({ agentId }) => agentId ?? null);
    await this.#transaction(async (tx) => {
      await tx.query(sql.ADD_WALLETS, [id, addresses, agents]);
      if (isLast)
        await tx.query('update recoveries set wallets_reported = true where id = $1 and ended_at is null', [id]);
    });
  }

  async claimWallets(maxCount: number): Promise<RecoveringWallet[]> {
    const rows = await this.#query<WalletRow>(sql.CLAIM_WALLETS, [maxCount, LEASE]);
    return rows.map(({ address, agent_id }) => ({ address, agentId: agent_id ?? undefined }));
  }

  async agentsAmong(addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#query<WalletRow>(
      'select address, agent_id from recovery_scans where address = any ($1) and agent_id is not null',
      [[...new Set(addresses)]],
    );
    return new Map(rows.map(({ address, agent_id }) => [address, agent_id!]));
  }

  async knownAmong(hashes: readonly Uint8Array[], agentId: string | undefined): Promise<ReadonlySet<string>> {
    const bytes = hashes.map((hash) => Buffer.from(hash));
    const rows = await (agentId === undefined
      ? this.#query<HashRow>(sql.KNOWN_OF_OPERATOR, [bytes])
      : this.#query<HashRow>(sql.KNOWN_OF_AGENT, [bytes, agentId]));
    return new Set(rows.map(({ message_hash }) => message_hash.toString('hex')));
  }

  async count(id: number, forgotten: readonly ForgottenTransaction[]): Promise<void> {
    for (const each of forgotten) {
      await this.#transaction(async (tx) => {
        const { agentId, signature, messageHash, slot, landedAtMs, valueUsdMicros, sponsoredLamports, paidOut } = each;
        const { rows } = await tx.query<{ counted: boolean }>(
          'select count_recovered($1, $2, $3, $4, $5, $6, $7, $8, $9) as counted',
          [
            id,
            agentId ?? null,
            signature,
            Buffer.from(messageHash),
            slot,
            landedAtMs === null ? null : new Date(landedAtMs),
            valueUsdMicros ?? null,
            sponsoredLamports,
            paidOut ?? null,
          ],
        );
        if (!rows[0]!.counted) return;
        const note = { operator: BY_ITSELF, reason: `transaction ${signature} is on chain and in no record` };
        await this.#audit(tx, agentId ?? NIL_UUID, note, 'count_recovered');
      });
    }
  }

  async noteRead(address: string): Promise<void> {
    await this.#query('update recovery_scans set due_at = null where address = $1', [address]);
  }

  end(id: number): Promise<boolean> {
    return this.#transaction(async (tx) => {
      const { rows } = await tx.query<{ counted: string }>(sql.END, [id]);
      if (!rows[0]) return false;
      await tx.query(sql.FREEZE_UNNAMED);
      await tx.query('delete from recovery_scans');
      const note = {
        operator: BY_ITSELF,
        reason: `the chain was read; ${rows[0].counted} transactions were forgotten`,
      };
      await this.#audit(tx, NIL_UUID, note, 'end_recovery');
      return true;
    });
  }

  async status(countWallets: boolean): Promise<RecoveryStatus> {
    const [row] = await this.#query<StatusRow>(sql.STATUS, [countWallets]);
    return {
      isRecovering: row!.is_recovering,
      id: row!.id ?? 0,
      reason: row!.reason ?? '',
      startedAtMs: row!.started_at?.getTime() ?? 0,
      endedAtMs: row!.ended_at?.getTime(),
      lastHeight: row!.last_height === null ? undefined : Number(row!.last_height),
      isChainRead: row!.read_at_slot !== null,
      areWalletsReported: row!.wallets_reported ?? false,
      walletCount: Number(row!.wallet_count),
      readCount: Number(row!.read_count),
      isTreasuryHeld: row!.is_treasury_held,
      heldAgents: row!.held_agents,
    };
  }

  async counted(limit: number): Promise<CountedTransaction[]> {
    const rows = await this.#query<CountedRow>(sql.COUNTED, [limit]);
    return rows.map(({ signature, slot, landed_at, agent_id, value_usd_micros, is_frozen }) => ({
      signature,
      slot: Number(slot),
      landedAtMs: landed_at?.getTime() ?? null,
      agentId: agent_id ?? undefined,
      valueUsdMicros: BigInt(value_usd_micros),
      isFrozen: is_frozen,
    }));
  }

  unfreezeTreasury(note: RecoveryNote): Promise<boolean> {
    return this.#transaction(async (tx) => {
      const { rowCount } = await tx.query('update recoveries set treasury_frozen = false where treasury_frozen');
      if (rowCount === 0) return false;
      await this.#audit(tx, NIL_UUID, note, 'unfreeze_treasury');
      return true;
    });
  }

  async hasLanded(agentId: string, messageHash: Uint8Array): Promise<boolean> {
    if (!this.#isAnyCounted) return false;
    const found = await this.#query('select from recovered_transactions where agent_id = $1 and message_hash = $2', [
      agentId,
      Buffer.from(messageHash),
    ]);
    return found.length > 0;
  }

  #audit(tx: Queryable, subject: string, { operator, reason }: RecoveryNote, action: string): Promise<void> {
    return this.outbox.write(tx, subject, {
      $case: 'operatorActed',
      value: { operator, action, reason, operationId: '' },
    });
  }

  async #transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      throw databaseError(error);
    }
  }

  async #query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    try {
      return (await this.database.pool.query<Row>(text, values)).rows;
    } catch (error) {
      throw databaseError(error);
    }
  }
}

interface OpenRow {
  readonly is_any_counted: boolean;
  readonly id: number | null;
  readonly since_slot: string;
  readonly last_height: string | null;
  readonly read_at_slot: string | null;
  readonly wallets_reported: boolean;
}

interface WalletRow {
  readonly address: string;
  readonly agent_id: string | null;
}

interface HashRow {
  readonly message_hash: Buffer;
}

interface StatusRow {
  readonly is_recovering: boolean;
  readonly id: number | null;
  readonly reason: string | null;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly last_height: string | null;
  readonly read_at_slot: string | null;
  readonly wallets_reported: boolean | null;
  readonly wallet_count: string;
  readonly read_count: string;
  readonly is_treasury_held: boolean;
  readonly held_agents: string[];
}

interface CountedRow {
  readonly signature: string;
  readonly slot: string;
  readonly landed_at: Date | null;
  readonly agent_id: string | null;
  readonly value_usd_micros: string;
  readonly is_frozen: boolean;
}
