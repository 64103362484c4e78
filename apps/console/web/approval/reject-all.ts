/** Progress of rejecting several approvals. */
export interface Rejecting {
  readonly done: number;
  readonly of: number;
  /** Ids of those that were not rejected, so far. */
  readonly failed: readonly string[];
}

/** Rejects approvals one after the other, also after a failure, and reports each step. @returns the last step */
export async function rejectAll(
  ids: readonly string[],
  reject: (id: string) => Promise<unknown>,
  onStep: (step: Rejecting) => void,
): Promise<Rejecting> {
  let step: Rejecting = { done: 0, of: ids.length, failed: [] };
  onStep(step);
  for (const id of ids) {
    const isRejected = await reject(id).then(
      () => true,
      () => false,
    );
    step = { ...step, done: step.done + 1, failed: isRejected ? step.failed : [...step.failed, id] };
    onStep(step);
  }
  return step;
}

/** Groups approvals by agent, in their order. Those of no agent are left out. */
export function byAgent<Each extends { readonly agentId: string | null }>(
  approvals: readonly Each[],
): Array<readonly [string, Each[]]> {
  const groups = new Map<string, Each[]>();
  for (const each of approvals) {
    if (each.agentId !== null) groups.set(each.agentId, [...(groups.get(each.agentId) ?? []), each]);
  }
  return [...groups];
}
