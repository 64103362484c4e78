import { closest } from '@agent-wallet/kernel';
import type { Environment } from './environment.js';

/** A variable that no setting reads, and the one that was probably meant. */
export interface MisspeltVariable {
  readonly variable: string;
  readonly suggestion: string;
}

const known = new Set<string>();

/** Notes the names that a reader of settings looks for. */
export function noteVariables(names: readonly string[]): void {
  for (const name of names) known.add(name);
}

/**
 * Returns the variables of an environment that are like a setting which this process has looked for, and are none. A variable
 * that is like no setting may be meant for another program.
 */
export function misspeltVariables(
  environment: Environment = process.env,
  names: ReadonlySet<string> = known,
): MisspeltVariable[] {
  const settings = [...names];
  return Object.keys(environment).flatMap((variable) => {
    if (names.has(variable) || names.has(variable.replace(/_PATH$/, ''))) return [];
    const [suggestion] = closest(variable, settings);
    return suggestion === undefined ? [] : [{ variable, suggestion }];
  });
}
