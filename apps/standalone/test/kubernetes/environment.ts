import type { Environment } from '@agent-wallet/platform';
import type { Container } from './pods.js';
import type { Manifest } from './render.js';

interface ConfigMap extends Manifest {
  readonly data: Readonly<Record<string, string>>;
}

/** Stands for what a secret holds, and for addresses that are known only to a deployment. */
const STAND_INS: Environment = {
  SMTP_URL: 'smtps://user:password@mail.example.com',
  OTP_PEPPER: 'sixteen characters and more',
};

/** The environment that a container is started with. @throws Error when it names a ConfigMap or key that is not there */
export function environmentOf(
  { env = [], envFrom = [] }: Container,
  manifests: readonly Manifest[],
  made: readonly string[],
): Environment {
  const maps = new Map(
    manifests.filter(({ kind }) => kind === 'ConfigMap').map((map) => [map.metadata.name, (map as ConfigMap).data]),
  );
  const dataOf = (name: string) => {
    const data = maps.get(name);
    if (!data && !made.includes(name)) throw new Error(`there is no ConfigMap ${name}`);
    return data ?? {};
  };
  const own = env.map(({ name, value, valueFrom }) => {
    const ref = valueFrom?.configMapKeyRef;
    if (!ref) return [name, value ?? STAND_INS[name] ?? 'a secret'] as const;
    const found = dataOf(ref.name)[ref.key];
    if (found === undefined) throw new Error(`there is no ${ref.key} in ${ref.name}`);
    return [name, found] as const;
  });
  const shared = envFrom.flatMap(({ configMapRef }) => Object.entries(dataOf(configMapRef.name)));
  return Object.fromEntries([...shared, ...own]);
}
