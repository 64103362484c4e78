import type { ServiceDefinition } from '@grpc/grpc-js';

/** Returns a service's full name, as in the paths of its methods: `agentwallet.signer.v1.SignerService`. */
export function serviceName(definition: ServiceDefinition): string {
  const [method] = Object.values(definition);
  const name = method?.path.split('/')[1];
  if (!name) throw new TypeError('a service without methods has no name');
  return name;
}
