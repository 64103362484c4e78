/** Properties of each tab of an agent. */
export interface TabProps {
  readonly agentId: string;
}
