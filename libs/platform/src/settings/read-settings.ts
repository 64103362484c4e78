import { Secret } from '@agent-wallet/kernel';
import { z } from 'zod';
import type { Environment } from './environment.js';
import { networkProblems } from './network-problems.js';
import { noteVariables } from './misspelt-variables.js';
import { readSecretFile, SecretFile } from './secret-file.js';

/** A setting is missing or wrong; the message names each variable and what was wrong, never a value. */
export class SettingsError extends Error {
  /** @param problems one a variable: `PORT: must be an integer` */
  constructor(readonly problems: readonly string[]) {
    super(`the settings are not usable:\n${problems.map((p) => `  ${p}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Values that variables of a shape are read as. */
export type SettingsOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** Suffix of a variable that names the file of a secret. */
const IN_A_FILE = '_PATH';

/**
 * Reads environment variables once into a typed object. An empty variable counts as absent. What is read as a Secret may
 * be in a file instead, which `<NAME>_PATH` names: that is looked at again while we run, so that it can change. Upstreams
 * of another network than `SOLANA_NETWORK` are wrong.
 * @throws SettingsError naming every variable that is wrong
 */
export function readSettings<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: Environment = process.env,
): SettingsOf<Shape> {
  noteVariables(Object.keys(shape));
  const given = Object.fromEntries(
    Object.keys(shape).flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])),
  );
  const files = filesNamed(shape, env);
  const problems = [...files].flatMap(([name, path]) => putText(given, name, path));
  const result = z.object(shape).safeParse(given);
  if (!result.success) {
    const wrong = result.error.issues.map((issue) => [String(issue.path[0]), issue] as const);
    problems.push(
      ...wrong.flatMap(([name, issue]) => (isReported(problems, name) ? [] : describe(name, issue, given))),
    );
  }
  problems.push(...networkProblems(result.success ? result.data : usableOf(shape, given)));
  if (!result.success || problems.length > 0) throw new SettingsError(problems);
  return { ...result.data, ...secretsIn(files, shape, result.data) };
}

/** Returns the values of the variables that are right, where others are wrong or missing. */
function usableOf(shape: z.ZodRawShape, given: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const read = Object.keys(given).map((name) => [name, z.safeParse(shape[name]!, given[name])] as const);
  return Object.fromEntries(read.flatMap(([name, { success, data }]) => (success ? [[name, data]] : [])));
}

/** Returns the files of variables whose value is in a file, by variable name. */
function filesNamed(shape: z.ZodRawShape, env: Environment): ReadonlyMap<string, string> {
  const named = Object.keys(shape).flatMap((name) => {
    const path = Object.hasOwn(shape, name + IN_A_FILE) ? undefined : env[name + IN_A_FILE];
    return path ? [[name, path] as const] : [];
  });
  return new Map(named);
}

/** Puts what a file holds where the variable would be. @returns what is wrong with that */
function putText(given: Record<string, string | undefined>, name: string, path: string): string[] {
  if (given[name] !== undefined) return [`${name} is set, and ${name}${IN_A_FILE} is, too`];
  try {
    given[name] = readSecretFile(path);
    return [];
  } catch (error) {
    return [`${name}${IN_A_FILE}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`];
  }
}

/** Reports whether a variable's file has a problem, so that the variable is not reported missing too. */
function isReported(problems: readonly string[], name: string): boolean {
  return problems.some((problem) => problem.startsWith(`${name}${IN_A_FILE}:`));
}

function secretsIn(files: ReadonlyMap<string, string>, shape: z.ZodRawShape, data: Readonly<Record<string, unknown>>) {
  const secrets = [...files].map(([variable, path]) => {
    const name = variable + IN_A_FILE;
    const first = textOf(data[variable]);
    if (first === undefined) throw new SettingsError([`${name}: only a secret may be in a file`]);
    const accept = (text: string) => textOf(z.safeParse(shape[variable]!, text).data);
    const overrides = { nowMs: () => performance.now(), warn: (text: string) => process.emitWarning(text) };
    return [variable, new SecretFile({ name, path, accept, ...overrides }, first)] as const;
  });
  return Object.fromEntries(secrets);
}

function textOf(value: unknown): string | undefined {
  const text: unknown = value instanceof Secret ? value.reveal() : undefined;
  return typeof text === 'string' ? text : undefined;
}

const REQUIRED = ' is required';

function describe(name: string, issue: z.core.$ZodIssue, given: Record<string, string | undefined>): string {
  return given[name] === undefined ? name + REQUIRED : `${name}: ${issue.message}`;
}

/**
 * Checks the variables that are set, and no others: a launcher adds what services require, but cannot mend what is wrong.
 * @param readers functions that read settings from the environment
 * @throws SettingsError naming every variable that is wrong
 */
export function checkSettings(readers: ReadonlyArray<(environment: Environment) => unknown>, environment: Environment) {
  const problems = readers.flatMap((read) => problemsOf(() => read(environment)));
  const wrong = new Set(problems.filter((problem) => !problem.endsWith(REQUIRED)));
  if (wrong.size > 0) throw new SettingsError([...wrong]);
}

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}
