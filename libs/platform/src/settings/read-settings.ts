import { z } from 'zod';
import type { Environment } from './environment.js';

/** A setting is missing or wrong; the message names each variable and what was wrong, never a value. */
export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(`the settings are not usable:\n${problems.map((p) => `  ${p}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** What variables of a shape are read as. */
export type SettingsOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/**
 * Reads environment variables once into a typed object. An empty variable counts as absent.
 * @throws SettingsError naming every variable that is wrong
 */
export function readSettings<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: Environment = process.env,
): SettingsOf<Shape> {
  const given = Object.fromEntries(
    Object.keys(shape).flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])),
  );
  const result = z.object(shape).safeParse(given);
  if (result.success) return result.data;
  throw new SettingsError(result.error.issues.map((issue) => describe(String(issue.path[0]), issue, given)));
}

function describe(name: string, issue: z.core.$ZodIssue, given: Record<string, string | undefined>): string {
  return given[name] === undefined ? `${name} is required` : `${name}: ${issue.message}`;
}
