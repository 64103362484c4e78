import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Service, SERVICES } from '../../src/infrastructure/infrastructure.js';

const ROOT = path.join(import.meta.dirname, '..', '..', '..', '..');
/** Opens the database of every service that carries out operations. */
const SHARED = 'libs/operations/src/service/open-operations.ts';
const OPENED = /openDatabase\(\{[^}]*?(?:maxConnections: (\w+)[^}]*)?\}\)/;

/** How many connections a replica of each service may have at once, by what its code says. @throws Error when it cannot be read */
export function poolSizes(): ReadonlyMap<Service, number> {
  const standard = numberIn('libs/platform/src/postgres/database.ts', /options\.maxConnections \?\? (\d+)/);
  return new Map(
    SERVICES.map((service) => {
      const folder = `apps/${service}/src`;
      const names = readdirSync(path.join(ROOT, folder)).filter((name) => /^(start|dependencies)\b/.test(name));
      const files = names.map((name) => `${folder}/${name}`);
      const isShared = files.some((name) => /\bopenOperationBase\(/.test(read(name)));
      const file = isShared ? SHARED : files.find((name) => OPENED.test(read(name)));
      if (!file) throw new Error(`${service} opens no database where it starts`);
      const [, name] = OPENED.exec(read(file))!;
      return [service, name ? numberIn(file, new RegExp(`\\bconst ${name} = (\\d+);`)) : standard];
    }),
  );
}

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

function numberIn(file: string, pattern: RegExp): number {
  const [, number] = pattern.exec(read(file)) ?? [];
  if (!number) throw new Error(`${file} does not say ${pattern}`);
  return Number(number);
}
