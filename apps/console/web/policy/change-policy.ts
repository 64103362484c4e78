import { type Api, dataOf } from '../api/client.js';
import type { PolicyChanges } from '../api/records.js';

/** Changes a policy. Returns the approval that must be signed first; undefined when the change is in effect. */
export async function changePolicy(api: Api, agentId: string, body: PolicyChanges): Promise<string | undefined> {
  const changed: object = await dataOf(
    api.PATCH('/owner/agents/{agentId}/policy', { params: { path: { agentId } }, body }),
  );
  return 'approval' in changed ? (changed.approval as { id: string }).id : undefined;
}
