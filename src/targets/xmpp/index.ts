import type { AuthFlow } from '../../protocol/index.js';
import type { Target } from '../target.js';
import { systemSrv, type ResolveSrv } from './endpoints.js';
import { XmppRuntime } from './runtime.js';
import { consumerOf } from './binding.js';
import { XMPP_SKILL } from './skill.js';

/**
 * XMPP through an account of the agent's own. One line per account (line.ts), supervised in session.ts; what comes goes through
 * inbox.ts, what goes through outbox.ts. inbound.ts and outbound.ts hold the mapping, pure; docs/targets/xmpp.md the decisions.
 */

/** Raised with every change of tools, flows, skill or capabilities. */
const VERSION = '0.1.0';

const LOGIN_FLOW: AuthFlow = {
  id: 'xmpp_account_login',
  target_type: 'im',
  type: 'form',
  title: 'Sign in to XMPP',
  description: 'Give the agent an XMPP account of its own, and say which address may talk to it.',
  fields: [
    {
      name: 'jid',
      label: "Agent's address",
      input_type: 'text',
      required: true,
      placeholder: 'agent@example.org',
      help_text: 'An account made for the agent, at any XMPP server.',
    },
    { name: 'password', label: 'Password', input_type: 'password', required: true, secret: true },
    {
      name: 'peer_jid',
      label: 'Your address',
      input_type: 'text',
      required: true,
      placeholder: 'you@example.org',
      help_text: 'The address you write from. Only its messages reach the agent.',
    },
  ],
};

export interface XmppOptions {
  /** `connectors.xmpp.service`: `xmpp://`, `xmpps://` or `wss://` with host and port; null looks it up from the domain. */
  readonly service: string | null;
  /** How SRV records are found; the system's resolver unless given. */
  readonly resolveSrv?: ResolveSrv;
}

export function createXmppTarget({ service, resolveSrv = systemSrv }: XmppOptions): Target {
  return {
    name: 'xmpp',
    cardId: 'im.xmpp',
    label: 'XMPP',
    version: VERSION,
    description: 'Brings what a person writes to your XMPP account to the agent, and its answers back.',
    authFlows: [LOGIN_FLOW],
    dataClasses: ['message', 'image', 'video', 'audio', 'file'],
    skill: XMPP_SKILL,
    consumerOf: ({ accountId }) => consumerOf(accountId),
    start: (context) => new XmppRuntime({ context, service, resolveSrv, load: () => import('@xmpp/client') }),
  };
}
