import type { Clock } from '@agent-wallet/kernel';
import type { Environment, SettingsOf } from '@agent-wallet/platform';
import type { z } from 'zod';

/** Result of a check that ran. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail';
  /** Observation, without secrets. */
  readonly found: string;
  /** Next step of the operator; null when nothing is wrong. */
  readonly advice: string | null;
}

/** Result of one check, as `--json` prints it. */
export interface CheckResult extends Omit<Finding, 'status'> {
  readonly name: string;
  readonly area: string;
  /** `skipped` when a variable that the check needs is not set. */
  readonly status: Finding['status'] | 'skipped';
}

/** Surroundings of a check. */
export interface CheckContext {
  readonly environment: Environment;
  readonly clock: Clock;
}

/** A check of a deployment. */
export interface Check<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly area: string;
  /** Variables that it reads. It is skipped when one without a default is not set. */
  readonly settings: Shape;
  /** Advice for when the check itself fails, such as when a server does not answer. */
  readonly advice: string;
  run(settings: SettingsOf<Shape>, context: CheckContext): Promise<Finding>;
}

/** Returns the check as one of a list, whose settings differ. */
export function defineCheck<Shape extends z.ZodRawShape>(check: Check<Shape>): Check {
  return check;
}

export const ok = (found: string): Finding => ({ status: 'ok', found, advice: null });
export const warn = (found: string, advice: string): Finding => ({ status: 'warn', found, advice });
export const fail = (found: string, advice: string): Finding => ({ status: 'fail', found, advice });

/** Returns a URL without the parts that may be secret: path, query and login. */
export function originOf(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
