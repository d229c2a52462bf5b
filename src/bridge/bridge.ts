import Type, { type Static } from 'typebox';

/**
 * The typed contract between a running host and whoever shows it: the window over Electron IPC, a browser over a
 * WebSocket, the command line over the socket in the data directory. Commands in, snapshots out. No command and no snapshot
 * carries a secret; `api-key` is the one exception, and only the local socket offers it.
 */

const Text = Type.String({ minLength: 1, maxLength: 4096 });
const FormInput = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 4096 }));

/** Parameters of every command; one definition for type and check. */
export const CommandParams = {
  snapshot: Type.Object({}),
  'sign-in': Type.Object({ connector: Text, input: Type.Optional(FormInput) }),
  'sign-in-state': Type.Object({ connector: Text, authSessionId: Text }),
  'sign-in-input': Type.Object({ connector: Text, authSessionId: Text, input: FormInput }),
  'sign-in-refresh': Type.Object({ connector: Text, authSessionId: Text }),
  'sign-in-cancel': Type.Object({ connector: Text, authSessionId: Text }),
  'sign-out': Type.Object({ accountId: Text }),
  pending: Type.Object({ accountId: Text }),
  ended: Type.Object({ accountId: Text }),
  retry: Type.Object({ accountId: Text }),
  discard: Type.Object({ accountId: Text, messageId: Text }),
  pause: Type.Object({ paused: Type.Boolean() }),
  'local-send': Type.Object({ accountId: Text, text: Type.String({ minLength: 1, maxLength: 65_536 }) }),
  'local-read': Type.Object({ accountId: Text, after: Type.Integer({ minimum: 0 }) }),
} as const;

export type CommandName = keyof typeof CommandParams;
export type ParamsOf<C extends CommandName> = Static<(typeof CommandParams)[C]>;
