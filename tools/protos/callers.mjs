// Who may call what, as the lists of callers in the sources say it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../running/process.mjs';

/** Served by each service that carries out operations. */
const OPERATIONS = 'libs/operations/src/operator/operations-service.ts';
const OPERATING = ['wallet', 'swap', 'prediction'];

const LIST = /CallerLists<typeof (\w+)V1\.(\w+)Service> = \{\n([^}]*)\}/g;

/** `Map('agentwallet.wallet.v1.WalletService' → { servedBy: ['wallet'], methods: Map('Transfer' → ['gateway']) })` */
export function readCallers() {
  const apps = readdirSync(path.join(root, 'apps')).flatMap((app) => listsOf(`apps/${app}/src/grpc/callers.ts`, [app]));
  return new Map([...apps, ...listsOf(OPERATIONS, OPERATING)]);
}

function listsOf(file, servedBy) {
  return [...textOf(file).matchAll(LIST)].map(([, area, service, lines]) => {
    const methods = [...lines.matchAll(/(\w+): \[([^\]]*)\]/g)].map(([, method, names]) => [
      method[0].toUpperCase() + method.slice(1),
      [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name),
    ]);
    return [`agentwallet.${area}.v1.${service}`, { servedBy, methods: new Map(methods) }];
  });
}

function textOf(file) {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
