import { SettingsError, type Environment } from '@agent-wallet/platform';

/** Shorter texts are in ordinary words, and are no secret. */
const LEAST_SECRET = 6;
const SECRET_NAME = /KEY|PASSWORD|PEPPER|SECRET|TOKEN/;

/** Returns a function that replaces secrets of the environment in a text: a server may repeat what it was sent. */
export function hideSecrets(environment: Environment): (text: string) => string {
  const secrets = Object.entries(environment)
    .flatMap(([name, value]) => (value ? secretsIn(name, value) : []))
    .filter((secret) => secret.length >= LEAST_SECRET)
    // A secret may begin with another one.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
}

function secretsIn(name: string, value: string): string[] {
  // A setting may list URLs, and a URL may have commas.
  const urls = [value, ...value.split(',')].map((text) => URL.parse(text)).filter((url) => url?.host);
  if (urls.length > 0) return urls.flatMap((url) => secretsOf(url!));
  return SECRET_NAME.test(name) && !name.endsWith('_PATH') ? [value] : [];
}

function secretsOf(url: URL): string[] {
  const login = `${url.username}:${url.password}@`;
  const texts = [login, url.password, ...url.searchParams.values(), ...url.pathname.split('/')];
  return [...texts, ...texts.map(decoded)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Describes an error in one line: by its first cause, since what wraps it says only that something failed. */
export function describeFailure(error: unknown): string {
  if (error instanceof SettingsError) return error.problems.join('; ');
  if (error instanceof AggregateError && error.errors.length > 0) return describeFailure(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return describeFailure(error.cause);
  const { message, name } = error;
  return (message || (error as NodeJS.ErrnoException).code || name).replaceAll(/\s+/g, ' ');
}
