import { newId } from '@agent-wallet/kernel';
import type { Attempt } from '../../src/domain/attempt.js';
import type { ReservationRequest } from '../../src/ports/reservation-store.js';
import { request } from '../store-support.js';
import {
  type Application,
  codeOf,
  encoded,
  grantOf,
  Market,
  newOwned,
  openOwned,
  type Owned,
  policyChange,
  spendingOf,
} from './application.js';
import type { Operation } from './model.js';
import type { ModelSteps } from './model-steps.js';
import { type Grant, type Principal, type Sequence, type Step, type StepOf, USD } from './steps.js';

/** Takes steps in policy. It finds in the model what a step's places stand for. */
export class ApplicationSteps {
  readonly approvalIds: string[] = [];
  readonly tokenIds: string[] = [];
  readonly market: Market;
  readonly requests = new Map<Operation, ReservationRequest>();

  private constructor(
    readonly app: Application,
    readonly owned: Owned,
    private readonly places: ModelSteps,
  ) {
    this.market = new Market(app.world);
  }

  /** Opens the agent of a sequence, as the model has it. */
  static async open(app: Application, { policy, grants }: Sequence, places: ModelSteps): Promise<ApplicationSteps> {
    const owned = newOwned();
    const steps = new ApplicationSteps(app, owned, places);
    await steps.market.goTo(0, places.model.price);
    steps.tokenIds.push(...grants.map(() => newId()));
    await openOwned(app, owned, { policy, grants, tokenIds: steps.tokenIds });
    return steps;
  }

  /** @returns the outcome, in the words of the model */
  async take(step: Step): Promise<string> {
    try {
      return await this.#take(step);
    } catch (error) {
      return codeOf(error);
    }
  }

  #take(step: Step): Promise<string> {
    switch (step.does) {
      case 'change':
        return this.#change(step);
      case 'propose':
        return this.#propose(step);
      case 'open token':
        return this.#openToken(step);
      case 'end token':
        return this.#endToken(step);
      case 'member':
        return this.#member(step);
      case 'ask':
        return this.#decide(this.places.model.operations.at(-1)!, true);
      case 'repeat':
        return this.#repeat(step);
      case 'finish':
        return this.#finish(step);
      case 'sign':
        return this.#sign(step);
      case 'close':
        return this.#close(step);
      case 'freeze':
      case 'unfreeze':
        return this.#freeze(step);
      default:
        return this.#pass(step);
    }
  }

  #idOf(by: Principal): string | undefined {
    return by.is === 'owner' ? this.owned.owners[by.n]!.ownerId : undefined;
  }

  #owned(by: Principal) {
    return { agentId: this.owned.agentId, ownerId: this.#idOf(by)! };
  }

  #waiting(id: string, code = 'pending'): string {
    const place = this.approvalIds.indexOf(id);
    return `${code} ${place === -1 ? this.approvalIds.push(id) - 1 : place}`;
  }

  /** A change without a signature must not turn what is refused into a grant: three requests are tried before and after. */
  async #change({ by, change }: StepOf<'change'>): Promise<string> {
    const before = await this.#probe();
    const wanted = policyChange(change);
    if (by.is === 'owner') await this.app.replica.tighten.execute(this.#owned(by), wanted);
    else await this.app.update.execute(this.owned.agentId, wanted);
    const after = await this.#probe();
    const opened = after.filter((verdict, n) => verdict === 'granted' && before[n] !== 'granted');
    return opened.length > 0 ? `an unsigned change opened ${before.join()} to ${after.join()}` : 'changed';
  }

  #probe(): Promise<string[]> {
    const probes = (['payment', 'trade', 'escrow'] as const).map(async (kind) => {
      const { priced } = spendingOf({ kind, target: 0, amount: USD });
      const spending = { agentId: this.owned.agentId, ...priced, valueUsdMicros: 5n * USD };
      return (await this.app.replica.reservations.dryRun(spending))!.verdict;
    });
    return Promise.all(probes);
  }

  async #propose({ by, change }: StepOf<'propose'>): Promise<string> {
    const token = this.places.tokenOf(by);
    const tokenId = token === undefined ? undefined : this.tokenIds[token];
    const session = { loggedInAtMs: this.market.nowMs(), tokenId, network: undefined };
    const { id } = await this.app.replica.propose.execute({
      ...{ agentId: this.owned.agentId, ownerId: this.#idOf(by), change: policyChange(change), note: '' },
      session: by.is === 'owner' ? undefined : session,
    });
    return this.#waiting(id);
  }

  async #openToken({ by, grant }: StepOf<'open token'>): Promise<string> {
    if (by.is !== 'owner') return this.#open(grant);
    const { id } = await this.app.requestToken.execute(this.#owned(by), grantOf(grant, this.market.nowMs()));
    return this.#waiting(id);
  }

  async #open(grant: Grant): Promise<string> {
    const tokenId = newId();
    await this.app.open.execute({ agentId: this.owned.agentId, tokenId }, grantOf(grant, this.market.nowMs()));
    this.tokenIds.push(tokenId);
    return 'opened';
  }

  async #endToken({ n }: StepOf<'end token'>): Promise<string> {
    const tokenId = this.tokenIds[n % this.tokenIds.length]!;
    await this.app.end.execute({ agentId: this.owned.agentId, tokenId });
    return 'ended';
  }

  async #member({ by, member, leaves }: StepOf<'member'>): Promise<string> {
    const memberId = this.owned.owners[member]!.ownerId;
    const wanted = { ...this.#owned(by), memberId, email: 'b@x.com', leaves };
    return this.#waiting((await this.app.replica.member.execute(wanted)).id);
  }

  #repeat({ n }: StepOf<'repeat'>): Promise<string> {
    const { operations } = this.places.model;
    if (operations.length === 0) return Promise.resolve('nothing');
    return this.#decide(operations.at(-1 - (n % operations.length))!, false);
  }

  async #decide(operation: Operation, isNew: boolean): Promise<string> {
    const { kind, target, amount, token } = operation;
    const { agentId } = this.owned;
    const base = kind === 'escrow' ? amount * USD : amount;
    const { intent, priced } = spendingOf({ kind, target, amount: base });
    const valueUsdMicros = kind === 'escrow' ? base : await this.market.valueOf(amount);
    const known = this.requests.get(operation) ?? request(agentId, { intent: encoded(intent) });
    const asked = { ...known, recipient: undefined, ...priced, valueUsdMicros };
    this.requests.set(operation, asked);
    if (isNew && token !== undefined) {
      await this.app.bind.bind({ agentId, tokenId: this.tokenIds[token]! }, asked.operationId);
    }
    const session = { loggedInAtMs: this.market.nowMs(), network: undefined };
    try {
      return (await this.app.replica.seek.reserve(asked, { intent, session }))!.verdict;
    } catch (error) {
      const code = codeOf(error);
      const { approvalId } = (error as { data: { approvalId: string } }).data;
      return code === 'APPROVAL_REQUIRED' ? this.#waiting(approvalId, code) : code;
    }
  }

  async #finish({ as }: StepOf<'finish'>): Promise<string> {
    const finished = this.places.lastFinished;
    if (!finished) return 'nothing';
    const { reservations } = this.app.replica;
    return reservations.settle((await reservations.find(this.requests.get(finished)!)) as Attempt, { state: as });
  }

  async #sign({ n, by }: StepOf<'sign'>): Promise<string> {
    const id = this.approvalIds.at(-1 - (n % this.approvalIds.length));
    if (id === undefined || by.is !== 'owner') return 'nothing';
    const { approvals } = this.app.replica;
    const { ownerId, credentialId } = this.owned.owners[by.n]!;
    const approval = await approvals.find(id, { ownerId });
    if (!approval) return 'NOT_FOUND';
    const bytes = Buffer.alloc(1);
    const assertion = { credentialId, signCount: 0, clientData: bytes, authenticatorData: bytes, signature: bytes };
    const { kind, state } = await approvals.vote({ approval, ownerId, assertion });
    if (kind === 'token' && state === 'applied') this.tokenIds.push(id);
    return state;
  }

  async #close({ n, by }: StepOf<'close'>): Promise<string> {
    const id = this.approvalIds.at(-1 - (n % this.approvalIds.length));
    if (id === undefined) return 'nothing';
    const { agentId } = this.owned;
    const token = this.places.tokenOf(by);
    const viewer = by.is === 'owner' ? { ownerId: this.#idOf(by)! } : { agentId };
    const tokenId = token === undefined ? undefined : this.tokenIds[token];
    return (await this.app.replica.close.execute(id, viewer, tokenId)).state;
  }

  async #freeze({ does, by }: StepOf<'freeze'>): Promise<string> {
    const { replica, world } = this.app;
    if (by.is !== 'owner') {
      const order = { agentId: this.owned.agentId, operator: 'alice', reason: 'a test' };
      return `changed ${(await world.freezes.set({ ...order, frozen: does === 'freeze' }))!.changed}`;
    }
    if (does === 'freeze') return `changed ${(await replica.freeze.execute(this.#owned(by))).changed}`;
    return this.#waiting((await replica.unfreeze.execute(this.#owned(by))).id);
  }

  async #pass(step: Step): Promise<string> {
    const { now, price } = this.places.model;
    await this.market.goTo(now, price);
    if (step.does === 'wait' && step.sweeps) await this.app.replica.sweep.execute();
    return 'done';
  }
}
