import { describe, expect, it } from 'vitest';
import { FORM_FLOW, FakeTarget } from '../../test/support/fake-target.js';
import type { BindingState } from '../targets/target.js';
import { buildCard } from './card.js';
import { projectDescriptor, type Binding } from './descriptor.js';

const BUILD = { version: '0.1.0', git_tag: 'v0.1.0', git_rev: 'abc1234', build_time: '2601151200' };
const card = buildCard(new FakeTarget({ name: 'some_net', label: 'SomeNet', authFlows: [FORM_FLOW] }), {
  build: BUILD,
  profile: 'xagent.im.v2',
  apiKeyRequired: false,
});

function describeBinding(binding: Binding, profiles = ['xagent.im.v2', 'xagent.im.v1']) {
  return projectDescriptor({ card, connectorId: 'conn_1', channelId: 'cch_1', profiles, binding });
}

function bound(state: BindingState): Binding {
  return { bound: true, state, displayName: 'SomeNet al***', accountHint: 'al***' };
}

describe('the descriptor (section 9)', () => {
  it.each([
    [{ status: 'connected', since: 0 }, 'available', 'granted'],
    [{ status: 'degraded', code: 'c', since: 0 }, 'available', 'granted'],
    [{ status: 'offline', code: 'c', since: 0 }, 'unavailable', 'granted'],
    [{ status: 'error', code: 'c', since: 0 }, 'unavailable', 'unknown'],
    [{ status: 'expired', code: 'c', since: 0 }, 'requires_reauth', 'requires_reauth'],
    [{ status: 'revoked', code: 'c', since: 0 }, 'requires_reauth', 'requires_reauth'],
  ] as const)('projects %j', (state, tool, permission) => {
    const descriptor = describeBinding(bound(state));
    expect(descriptor.connection.status).toBe(state.status);
    expect(descriptor.tools.map((entry) => entry.tool_id)).toEqual(['some_net_message_send', 'some_net_file_send']);
    for (const entry of descriptor.tools) {
      expect(entry).toMatchObject({ status: tool, target_permission_state: permission });
      expect('reason' in entry).toBe(tool !== 'available');
    }
  });

  it('of a channel without an account is created, or authenticating, with no tool to use', () => {
    for (const [authenticating, status] of [
      [false, 'created'],
      [true, 'authenticating'],
    ] as const) {
      const descriptor = describeBinding({ bound: false, authenticating });
      expect(descriptor.connection.status).toBe(status);
      expect(descriptor.tools.every((tool) => tool.status === 'unavailable')).toBe(true);
      expect(descriptor.target).toEqual({ provider: 'some_net', label: 'SomeNet', display_name: 'SomeNet not bound' });
    }
  });

  it('names the account by its redacted hint', () => {
    expect(describeBinding(bound({ status: 'connected', since: 0 })).target).toEqual({
      provider: 'some_net',
      label: 'SomeNet',
      display_name: 'SomeNet al***',
      account_hint: 'al***',
    });
  });

  it('enables only profiles that card and connection share', () => {
    expect(describeBinding({ bound: false, authenticating: false }).connection.profiles).toEqual(['xagent.im.v2']);
  });

  it('gives words for a reason it knows and the code for one it does not', () => {
    const reason = (code: string): string | undefined =>
      describeBinding(bound({ status: 'offline', code, since: 0 })).tools[0]?.reason;
    expect(reason('secrets_locked')).toBe('The sign-in is locked in the secret store.');
    expect(reason('some_network_code')).toBe('some_network_code');
  });
});

describe('the card (sections 4.1, 4.2 and 10)', () => {
  it('declares the connector, its one profile and its build', () => {
    expect(card).toMatchObject({
      schema: 'xagent.connector/v1',
      protocol_version: '3.0',
      build: BUILD,
      connector_card_id: 'im.some_net',
      connector: { name: 'SomeNet Connector', version: '1.0.0' },
      supports: {
        target_types: ['im'],
        targets: [{ target_type: 'im', provider: 'some_net', label: 'SomeNet' }],
        profiles: ['xagent.im.v2'],
      },
      security: { trust_level: 'local', api_key_required: false, data_classes: ['message'] },
    });
  });

  it('declares tools whose ids, profile, skill and channel argument follow the rules', () => {
    expect(card.tools).toHaveLength(2);
    for (const tool of card.tools) {
      expect(tool.tool_id).toMatch(/^[A-Za-z0-9_.-]{1,256}$/);
      expect(tool.profile).toBe('xagent.im.v2');
      expect(tool.related_skill_ids).toEqual(['connector-im-some-net']);
      expect(tool.input_schema.required).toContain('connector_channel_id');
      expect(tool.input_schema.properties['connector_channel_id']).toMatchObject({ type: 'string' });
      expect(tool.input_schema.properties).not.toHaveProperty('connector_card_id');
    }
    expect(card.tools[0]?.input_schema.required).toEqual(['connector_channel_id', 'text']);
    expect(card.tools[1]?.input_schema.required).toEqual(['connector_channel_id', 'file_ref']);
  });

  it('shows the login flow of its first auth flow', () => {
    expect(card.auth_flows).toEqual([FORM_FLOW]);
    expect(card.ui.login_flow).toMatchObject({ flow_id: FORM_FLOW.id, steps: [{ type: 'form' }, { type: 'polling' }] });
  });

  it('has another version with another profile, so that an xAgent asks for it anew (R45)', () => {
    const options = { build: BUILD, apiKeyRequired: true };
    const of = (profile: 'xagent.im.v1' | 'xagent.im.v2') =>
      buildCard(new FakeTarget(), { ...options, profile }).connector.version;
    expect([of('xagent.im.v2'), of('xagent.im.v1')]).toEqual(['1.0.0', '1.0.0+im.v1']);
  });

  it('carries v1 alone when v1 is configured', () => {
    const old = buildCard(new FakeTarget(), { build: BUILD, profile: 'xagent.im.v1', apiKeyRequired: true });
    expect(old.supports.profiles).toEqual(['xagent.im.v1']);
    expect(old.tools.every((tool) => tool.profile === 'xagent.im.v1')).toBe(true);
    expect(old.security.api_key_required).toBe(true);
  });
});
