import { isDeepStrictEqual } from 'node:util';
import { ApplicationSteps } from './application-steps.js';
import type { Application } from './application.js';
import { Model } from './model.js';
import { ModelSteps } from './model-steps.js';
import { applicationSnapshot, describeSequence, modelSnapshot, type Snapshot } from './snapshots.js';
import { DAY_MINUTES, PRICES, type Sequence, sequenceOf, type Step } from './steps.js';

const MICROS_A_CENT = 10_000n;

/** The first step of a sequence after which policy and the model differ. */
interface Difference {
  /** The steps up to this one, and what the model expects of each. */
  readonly prefix: Sequence;
  readonly outcomes: readonly string[];
  readonly says: string;
}

/** Outcomes that were seen, and how often: a rule that no sequence reaches is not tested. */
export type Seen = Map<string, number>;

/**
 * Runs the sequences of seeds.
 * @throws Error naming the seed, with the shortest sequence that differs, after the first difference
 */
export async function explore(app: Application, { first, count }: { first: number; count: number }): Promise<Seen> {
  const seen: Seen = new Map();
  for (let seed = first; seed < first + count; seed += 1) {
    const difference = await differenceOf(app, sequenceOf(seed), seen);
    if (!difference) continue;
    const { prefix, outcomes, says } = await shortened(app, difference);
    throw new Error(`Seed ${seed}: ${says}\n${describeSequence(prefix, outcomes)}`);
  }
  return seen;
}

/** Leaves out one step after the other, as long as the rest still differs. */
async function shortened(app: Application, difference: Difference): Promise<Difference> {
  let shortest = difference;
  for (let n = difference.prefix.steps.length - 2; n >= 0; n -= 1) {
    const steps = shortest.prefix.steps.filter((_, place) => place !== n);
    shortest = (await differenceOf(app, { ...shortest.prefix, steps })) ?? shortest;
  }
  return shortest;
}

/** Runs a sequence on the model and on a new agent of policy. */
async function differenceOf(app: Application, sequence: Sequence, seen?: Seen): Promise<Difference | undefined> {
  const model = new ModelSteps(new Model(sequence));
  const policy = await ApplicationSteps.open(app, sequence, model);
  const invariants = new Invariants(model, policy);
  const outcomes: string[] = [];
  for (const [n, step] of sequence.steps.entries()) {
    const expected = model.take(step);
    const outcome = await policy.take(step);
    outcomes.push(expected);
    const label = `${step.does}: ${expected.replace(/ \d+$/, '')}`;
    seen?.set(label, (seen.get(label) ?? 0) + 1);
    if (expected === 'nothing' && outcome === expected) continue;
    const says =
      outcome === expected
        ? await invariants.violated(step, outcome)
        : `policy says ${outcome}, and the model ${expected}`;
    if (says) return { prefix: { ...sequence, steps: sequence.steps.slice(0, n + 1) }, outcomes, says };
  }
  return undefined;
}

/** Statements that hold after each step. */
class Invariants {
  readonly #readings: Array<{ readonly at: number; readonly price: bigint }> = [];

  constructor(
    private readonly model: ModelSteps,
    private readonly policy: ApplicationSteps,
  ) {}

  /** @returns what is violated; undefined when nothing is */
  async violated(step: Step, outcome: string): Promise<string | undefined> {
    const { model } = this.model;
    const { snapshot, overdue, asked } = await applicationSnapshot(this.policy, model);
    const expected = modelSnapshot(this.model);
    const differing = (Object.keys(expected) as (keyof Snapshot)[]).find(
      (part) => !isDeepStrictEqual(snapshot[part], expected[part]),
    );
    if (differing) {
      const [one, other] = [snapshot[differing], expected[differing]].map((part) => JSON.stringify(part));
      return `${differing} of policy are ${one}, and of the model ${other}`;
    }
    if (asked !== expected.approvals.length) return `policy has ${asked} approvals`;
    if (step.does === 'wait' && step.sweeps && overdue > 0) return `${overdue} approvals wait past their end`;
    if (step.does === 'ask' && step.kind !== 'escrow')
      this.#readings.push({ at: model.now, price: PRICES[model.price]! });
    return step.does === 'ask' && outcome === 'granted' ? this.#passed(snapshot) : undefined;
  }

  /** Returns the limit that the last grant has passed, by what policy itself has counted. */
  #passed({ used, tokens }: Snapshot): string | undefined {
    const { model } = this.model;
    const { kind, amount, value, token: place } = model.operations.at(-1)!;
    if (BigInt(used.reserved) + BigInt(used.settled) > model.policy.daily) return 'the daily limit is passed';
    const prices = this.#readings.filter(({ at }) => at > model.now - DAY_MINUTES);
    const isBelow = kind !== 'escrow' && prices.some(({ price }) => value < amount * price * MICROS_A_CENT);
    if (isBelow) return 'a value is below the high of the day';
    if (place === undefined) return undefined;
    const [, today, total] = tokens[place]!.split(' ').map((each) => (/^\d+$/.test(each) ? BigInt(each) : 0n));
    const { daily, total: most } = model.tokens[place]!;
    const isPassed = (daily !== null && today! > daily) || (most !== null && total! > most);
    return isPassed ? 'a limit of the token is passed' : undefined;
  }
}
