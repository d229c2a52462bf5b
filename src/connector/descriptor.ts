import {
  DESCRIPTOR_SCHEMA,
  type ConnectionDescriptor,
  type ConnectionStatus,
  type ConnectorCard,
  type ToolPermission,
  type ToolStatus,
} from '../protocol/index.js';
import type { BindingState } from '../targets/target.js';
import { ownWords, words } from './messages.js';

/** What a channel is bound to, as far as a descriptor tells it. */
export type Binding =
  | { readonly bound: false; readonly authenticating: boolean }
  | {
      readonly bound: true;
      readonly state: BindingState;
      readonly displayName: string;
      readonly accountHint: string;
    };

export interface DescriptorFacts {
  readonly card: ConnectorCard;
  readonly connectorId: string;
  readonly channelId: string;
  /** Enabled on the connection that asks: card ∩ hello. */
  readonly profiles: readonly string[];
  readonly binding: Binding;
}

/** Connection Descriptor v2 (protocol 3.0 section 9): the projection of one binding state, and of nothing else. */
export function projectDescriptor(facts: DescriptorFacts): ConnectionDescriptor {
  const { card, binding } = facts;
  const [target] = card.supports.targets;
  const label = target?.label ?? card.connector.name;
  const tool = projectTools(binding);
  return {
    schema: DESCRIPTOR_SCHEMA,
    connection: {
      connector_card_id: card.connector_card_id,
      connector_id: facts.connectorId,
      connector_channel_id: facts.channelId,
      target_type: 'im',
      profiles: card.supports.profiles.filter((profile) => facts.profiles.includes(profile)),
      status: statusOf(binding),
    },
    target: {
      provider: target?.provider ?? card.connector_card_id,
      label,
      display_name: binding.bound ? binding.displayName : `${label} not bound`,
      ...(binding.bound && binding.accountHint !== '' && { account_hint: binding.accountHint }),
    },
    tools: card.tools.map(({ tool_id }) => ({ tool_id, ...tool })),
  };
}

/** Whether someone is signed in: `offline` and `error` keep the sign-in, `expired` and `revoked` do not (section 9). */
export function isAuthenticated(state: BindingState): boolean {
  return state.status !== 'expired' && state.status !== 'revoked';
}

function statusOf(binding: Binding): ConnectionStatus {
  if (binding.bound) return binding.state.status;
  return binding.authenticating ? 'authenticating' : 'created';
}

function projectTools(binding: Binding): {
  status: ToolStatus;
  target_permission_state: ToolPermission;
  reason?: string;
} {
  if (!binding.bound) {
    return { status: 'unavailable', target_permission_state: 'unknown', reason: ownWords('not_signed_in') };
  }
  const { state } = binding;
  switch (state.status) {
    case 'connected':
    case 'degraded':
      return { status: 'available', target_permission_state: 'granted' };
    case 'offline':
      return { status: 'unavailable', target_permission_state: 'granted', reason: words(state.code, state.code) };
    case 'error':
      return { status: 'unavailable', target_permission_state: 'unknown', reason: words(state.code, state.code) };
    case 'expired':
    case 'revoked':
      return {
        status: 'requires_reauth',
        target_permission_state: 'requires_reauth',
        reason: words(state.code, state.code),
      };
  }
}
