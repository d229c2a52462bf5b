import { describe, expect, it } from 'vitest';
import { FakeConnector } from '../../test/support/fake-connector.js';
import { SpyDelivery } from '../../test/support/server-rig.js';
import type { AccountFacts } from '../connector/connector.js';
import type { QueueFacts } from '../delivery/delivery.js';
import { renderMetrics } from './metrics.js';
import { buildStatusReport, type StatusReport } from './status-report.js';

const NOW = 1_000_000;

class BusyDelivery extends SpyDelivery {
  override queue(): QueueFacts {
    return {
      pending: 3,
      oldestReceivedAt: NOW - 5_000,
      attempts: 2,
      lastError: 'channel_busy',
      retryAt: NOW + 100,
      heldReplies: 4,
    };
  }
  override counters(): Record<string, number> {
    return { delivered: 7, 'ignored.group "x"\n': 1 };
  }
}

class WithUnclaimed extends FakeConnector {
  override accounts(): readonly AccountFacts[] {
    const [claimed] = super.accounts();
    if (!claimed) throw new Error('no account');
    const state = { status: 'expired', code: 'token_expired', since: 42 } as const;
    const replyWindow = { remaining: 3, limit: 10, until: NOW + 2_000 };
    const free = { accountId: 'acc_free', channelId: undefined, state, lastRoundTripAt: undefined, replyWindow };
    return [claimed, { ...claimed, ...free }];
  }
}

function report(): StatusReport {
  const connector = new WithUnclaimed('alpha');
  connector.addChannel('cch_1', 'acc_1');
  connector.addChannel('cch_2');
  const build = connector.card.build;
  const agentServer = {
    status: 'offline',
    code: 'agent_server_refused',
    since: 7_000,
    retry_at: NOW + 500,
    accounts: 2,
    running: 1,
    waiting_answers: 3,
    counters: { answered: 5 },
  } as const;
  return buildStatusReport([connector], new BusyDelivery(), { build, now: NOW, uptimeMs: 1_500.4, agentServer });
}

describe('the status report', () => {
  it('names version, uptime and each connector with identity and data planes', () => {
    expect(report()).toMatchObject({
      version: '0.1.0',
      uptime_ms: 1500,
      connectors: [
        {
          name: 'alpha',
          connector_card_id: 'im.alpha',
          connector_id: 'conn_fake',
          profile: 'xagent.im.v2',
          data_planes: 0,
          lease_left_ms: null,
        },
      ],
    });
  });

  it('names per channel the binding, the queue and the counters, promised ones from the start', () => {
    const [bound, empty] = report().connectors[0]?.channels ?? [];
    expect(bound).toEqual({
      connector_channel_id: 'cch_1',
      account_id: 'acc_1',
      account_hint: 'some***',
      deliver_to: 'xagent',
      open: false,
      binding: { status: 'connected', code: null, since: 1 },
      last_round_trip_at: 2,
      pending: 3,
      oldest_age_ms: 5_000,
      attempts: 2,
      last_error: 'channel_busy',
      retry_at: NOW + 100,
      held_replies: 4,
      reply_window: null,
      counters: { delivered: 7, duplicate: 0, rejected: 0, expired: 0, evicted: 0, 'ignored.group "x"\n': 1 },
    });
    expect(empty).toMatchObject({
      connector_channel_id: 'cch_2',
      account_id: null,
      deliver_to: null,
      binding: { status: 'created' },
      pending: 0,
      counters: { delivered: 0 },
    });
  });

  it('names accounts no agent has asked for', () => {
    expect(report().connectors[0]?.accounts_without_channel).toMatchObject([
      { account_id: 'acc_free', binding: { status: 'expired', code: 'token_expired' }, last_round_trip_at: null },
    ]);
  });

  it('holds no display name and no identity', () => {
    expect(JSON.stringify(report())).not.toContain('Somebody');
  });
});

describe('metrics', () => {
  it('are the same facts as Prometheus text, every family told once, every line well formed', () => {
    const text = renderMetrics(report());
    const typed = new Set<string>();
    for (const line of text.trimEnd().split('\n')) {
      if (line.startsWith('# HELP ')) continue;
      if (line.startsWith('# TYPE ')) {
        const name = line.split(' ')[2] ?? '';
        expect(name).toMatch(/^xagent_connector_[a-z_]+$/);
        expect(typed.has(name)).toBe(false);
        typed.add(name);
        continue;
      }
      expect(line).toMatch(/^[a-z_]+(\{([a-z_]+="(\\.|[^"\\])*",?)+\})? \d+(\.\d+)?$/);
      expect(typed.has(/^[a-z_]+/.exec(line)?.[0] ?? '')).toBe(true);
    }
    expect(text).toContain('xagent_connector_uptime_seconds 1.5\n');
    expect(text).toContain('xagent_connector_data_planes{connector="alpha"} 0\n');
    expect(text).toContain(
      'xagent_connector_messages_total{connector="alpha",channel="cch_1",account="acc_1",outcome="delivered"} 7\n',
    );
    expect(text).toContain('outcome="ignored.group \\"x\\"\\n"} 1\n');
    expect(text).toContain(
      'xagent_connector_binding_state{connector="alpha",channel="",account="acc_free",status="expired",code="token_expired"} 1\n',
    );
    expect(text).toContain(
      'xagent_connector_pending_oldest_age_seconds{connector="alpha",channel="cch_1",account="acc_1"} 5\n',
    );
  });

  it('say all that the status says: identity, last error and times too', () => {
    const text = renderMetrics(report());
    const of = 'connector="alpha",channel="cch_1",account="acc_1"';
    expect(text).toContain(
      'xagent_connector_connector_info{connector="alpha",card_id="im.alpha",card_version="1.2.3",connector_id="conn_fake",profile="xagent.im.v2"} 1\n',
    );
    expect(text).toContain(`xagent_connector_pending_last_error{${of},code="channel_busy"} 1\n`);
    expect(text).toContain(`xagent_connector_pending_retry_timestamp_seconds{${of}} 1000.1\n`);
    expect(text).toContain(`xagent_connector_binding_since_timestamp_seconds{${of}} 0.001\n`);
    expect(text).toContain(`xagent_connector_last_round_trip_timestamp_seconds{${of}} 0.002\n`);
    const free = 'connector="alpha",channel="",account="acc_free"';
    expect(text).toContain(`xagent_connector_reply_window_remaining{${free}} 3\n`);
    expect(text).toContain(`xagent_connector_reply_window_until_timestamp_seconds{${free}} 1002\n`);
  });

  it('say how the AgentServer stands, which no state of a network tells', () => {
    const text = renderMetrics(report());
    expect(text).toContain('xagent_connector_agent_server_state{status="offline",code="agent_server_refused"} 1\n');
    expect(text).toContain('xagent_connector_agent_server_since_timestamp_seconds 7\n');
    expect(text).toContain('xagent_connector_agent_server_retry_timestamp_seconds 1000.5\n');
    expect(text).toContain('xagent_connector_agent_server_accounts 2\n');
    expect(text).toContain('xagent_connector_agent_server_running_requests 1\n');
    expect(text).toContain('xagent_connector_agent_server_waiting_answers 3\n');
    expect(text).toContain('xagent_connector_agent_server_events_total{event="answered"} 5\n');
    const account = 'connector="alpha",channel="cch_1",account="acc_1"';
    expect(text).toContain(`xagent_connector_deliver_to{${account},upstream="xagent"} 1\n`);
  });

  it('leave out what there is nothing to say about', () => {
    expect(renderMetrics(report())).not.toContain('lease_left_seconds');
  });
});
