import type { Account } from './accounts.js';
import type { AuthSession } from './auth-session.js';
import type { Channel } from './channels.js';
import type { AccountFacts, AuthSessionFacts, DeliverTo } from './connector.js';
import { ownWords, words } from './messages.js';

/** An account as the window sees it. */
export function accountFacts(account: Account, channel: Channel | undefined, deliverTo: DeliverTo): AccountFacts {
  const { row, session } = account;
  return {
    accountId: row.accountId,
    identity: row.identity,
    displayName: row.displayName,
    accountHint: row.accountHint,
    state: account.state,
    lastRoundTripAt: session?.lastRoundTripAt,
    channelId: channel?.channelId,
    agentConnected: channel?.owner?.open ?? false,
    deliverTo,
    ownDeliverTo: row.deliverTo,
    replyWindow: session?.replyWindow?.(),
    createdAt: row.createdAt,
  };
}

/** A sign-in as the window sees it. */
export function sessionFacts(session: AuthSession): AuthSessionFacts {
  const { state } = session;
  const identity = {
    authSessionId: session.id,
    flowId: session.flow.id,
    channelId: session.channelId,
    expiresAt: session.expiresAt,
  };
  switch (state.phase) {
    case 'authenticated':
      return { ...identity, status: 'authenticated', accountId: state.accountId };
    case 'ended':
      return { ...identity, status: state.status, code: state.code, message: words(state.code, state.message) };
    case 'running':
      return {
        ...identity,
        status: state.status,
        code: state.code,
        message: words(state.code, ownWords('checking')),
        ...(state.qr && { qr: state.qr }),
        ...(state.asked.length > 0 && { inputRequired: state.asked }),
      };
  }
}
