import type { ServiceDefinition } from '@grpc/grpc-js';

/** A service's full name, as the paths of its methods carry it: `agentwallet.signer.v1.SignerService`. */
export function serviceName(definition: ServiceDefinition): string {
  const [method] = Object.values(definition);
  const name = method?.path.split('/')[1];
  if (!name) throw new TypeError('a service without methods has no name');
  return name;
}
