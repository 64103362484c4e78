import { CallError, connect, historyV1, type TlsFiles } from '@agent-wallet/client';

export async function recentTransactions(address: string, tls: TlsFiles, agentId: string): Promise<string> {
  const connection = await connect({ address, service: 'history', tls });
  const history = connection.client(historyV1.HistoryServiceDefinition);
  try {
    const page = await history.listTransactions(
      { agentId, limit: 20, offset: 0, action: 'transfer', cursor: '', order: 0 },
      { timeoutMs: 2_000, requestId: 'my-request-1' },
    );
    return `${page.total} records`;
  } catch (error) {
    if (error instanceof CallError && error.code === 'NOT_FOUND') return 'agent not found';
    throw error;
  } finally {
    await connection.close();
  }
}
