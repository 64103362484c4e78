import { type EmulatorResponse, type EmulatorServer, serveEmulator } from './emulator-server.js';

/*
 * An emulator of the API server of a confidential container's guest, for tests: resources from memory instead of a key
 * broker, and evidence that repeats what it was given. There is no TEE, no key broker and no attestation behind it.
 */

export interface CocoEmulator extends EmulatorServer {
  readonly resources: Map<string, Uint8Array>;
  /** The runtime data that evidence was last asked for. */
  runtimeData: string | undefined;
  /** What the guest says it runs in; undefined for an API server that does not tell. */
  tee: string | undefined;
  /** Whether evidence has the form of the sample attester's. */
  sampleEvidence: boolean;
  /** Answers instead of the emulator, for as long as it is set. */
  instead: ((path: string) => EmulatorResponse | undefined) | undefined;
}

export async function startCocoEmulator(): Promise<CocoEmulator> {
  const state = {
    resources: new Map<string, Uint8Array>(),
    runtimeData: undefined as string | undefined,
    tee: 'tdx' as string | undefined,
    sampleEvidence: false,
    instead: undefined as CocoEmulator['instead'],
  };
  const answer = (url: URL): EmulatorResponse => {
    if (url.pathname === '/info' && state.tee) return { body: JSON.stringify({ version: '0', tee: state.tee }) };
    if (url.pathname === '/aa/evidence') {
      state.runtimeData = url.searchParams.get('runtime_data') ?? '';
      const reportData = Buffer.from(state.runtimeData).toString('base64');
      return {
        body: JSON.stringify(state.sampleEvidence ? { svn: '1', report_data: reportData } : { quote: reportData }),
      };
    }
    const resource = state.resources.get(url.pathname.replace('/cdh/resource/', ''));
    return resource ? { body: resource } : { status: 404, body: '' };
  };
  const server = await serveEmulator((request) => {
    const url = new URL(request.url ?? '/', 'http://emulator');
    return state.instead?.(url.pathname) ?? answer(url);
  });
  return Object.assign(state, server);
}
