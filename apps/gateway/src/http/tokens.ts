/** Injection tokens of what controllers and guards need; gateway.module.ts binds them. */
export const TOKENS = {
  startLogin: Symbol('startLogin'),
  completeLogin: Symbol('completeLogin'),
  refreshSession: Symbol('refreshSession'),
  sessions: Symbol('sessions'),
  wallet: Symbol('wallet'),
  policy: Symbol('policy'),
  history: Symbol('history'),
  readTransaction: Symbol('readTransaction'),
  runOperation: Symbol('runOperation'),
  previewOperation: Symbol('previewOperation'),
  kinds: Symbol('kinds'),
  admission: Symbol('admission'),
  documents: Symbol('documents'),
  tokenKeys: Symbol('tokenKeys'),
  readiness: Symbol('readiness'),
  errors: Symbol('errors'),
} as const;
