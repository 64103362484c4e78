/** What a caller asks for. */
export interface OperationCallOf<Request> {
  /** UUID: the operation. */
  readonly operationId: string;
  readonly agentId: string;
  readonly request: Request;
  readonly waitMs: number;
  /** Whether an operation that has not begun never may. */
  readonly onlyIfBegun?: boolean;
}
