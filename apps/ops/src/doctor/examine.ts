import { z } from 'zod';
import { type Scheduler, systemScheduler, withTimeout } from '@agent-wallet/kernel';
import { type Environment, readSettings } from '@agent-wallet/platform';
import type { Check, CheckContext, CheckResult, Finding } from './check.js';
import { describeFailure, hideSecrets } from './secrets.js';

/** Time limit of one check. */
export const CHECK_LIMIT_MS = 5_000;

/** Runs the checks at the same time. @returns their results, in order; no secret of the environment is in them */
export function examine(
  checks: readonly Check[],
  context: CheckContext,
  scheduler: Scheduler = systemScheduler,
): Promise<CheckResult[]> {
  const hide = hideSecrets(context.environment);
  return Promise.all(
    checks.map(async (check) => {
      const { status, found, advice } = await examineOne(check, context, scheduler);
      return { name: check.name, area: check.area, status, found: hide(found), advice };
    }),
  );
}

async function examineOne(
  check: Check,
  context: CheckContext,
  scheduler: Scheduler,
): Promise<Finding | Pick<CheckResult, 'status' | 'found' | 'advice'>> {
  const missing = missingVariables(check, context.environment);
  if (missing.length > 0) return { status: 'skipped', found: `not set: ${missing.join(', ')}`, advice: null };
  const late = () => new Error(`no response within ${CHECK_LIMIT_MS / 1_000} s`);
  const run = async () => check.run(readSettings(check.settings, context.environment), context);
  try {
    return await withTimeout(CHECK_LIMIT_MS, run(), late, scheduler);
  } catch (error) {
    return { status: 'fail', found: describeFailure(error), advice: check.advice };
  }
}

/** Returns the variables without a default that are not set; a secret may be in a file. */
function missingVariables({ settings }: Check, environment: Environment): string[] {
  const missing = Object.keys(settings).filter((name) => !environment[name] && !environment[`${name}_PATH`]);
  const isNeeded = (name: string) => !z.safeParse(settings[name]!, undefined).success;
  return missing.filter(isNeeded);
}
