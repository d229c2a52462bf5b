import type { AgentServerStatus, ChannelStatus, ConnectorStatus, StatusReport } from './status-report.js';

/** Media type of the Prometheus text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const PREFIX = 'xagent_connector_';
const MS_PER_SECOND = 1000;

type Labels = Readonly<Record<string, string>>;
interface Sample {
  readonly labels: Labels;
  readonly value: number;
}
interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The status report as Prometheus text: the same facts under names that start with `xagent_connector_`. */
export function renderMetrics(report: StatusReport): string {
  return [
    ...hostFamilies(report),
    ...connectorFamilies(report.connectors),
    ...accountFamilies(report.connectors),
    ...agentServerFamilies(report.agent_server),
  ]
    .filter((family) => family.samples.length > 0)
    .map(renderFamily)
    .join('');
}

function hostFamilies(report: StatusReport): Family[] {
  const { version, git_rev } = report.build;
  return [
    gauge('build_info', 'Build facts, always 1.', [{ labels: { version, git_rev }, value: 1 }]),
    gauge('uptime_seconds', 'Time since the host started.', [{ labels: {}, value: seconds(report.uptime_ms) }]),
  ];
}

function connectorFamilies(connectors: readonly ConnectorStatus[]): Family[] {
  const perConnector = (value: (connector: ConnectorStatus) => number | null): Sample[] =>
    connectors.flatMap((connector) => sample({ connector: connector.name }, value(connector)));
  return [
    gauge(
      'connector_info',
      'Identity of the connector, always 1.',
      connectors.map((c) => ({
        labels: {
          connector: c.name,
          card_id: c.connector_card_id,
          card_version: c.connector_card_version,
          connector_id: c.connector_id,
          profile: c.profile,
        },
        value: 1,
      })),
    ),
    gauge(
      'data_planes',
      'Agents connected over the data plane.',
      perConnector((c) => c.data_planes),
    ),
    gauge(
      'lease_left_seconds',
      'Grace left before the lease ends; absent while an agent is connected.',
      perConnector((c) => secondsOrNull(c.lease_left_ms)),
    ),
    gauge(
      'channel_open',
      'Whether an agent has the channel open.',
      connectors.flatMap((c) =>
        c.channels.map((channel) => ({ labels: channelLabels(c, channel), value: channel.open ? 1 : 0 })),
      ),
    ),
  ];
}

function accountFamilies(connectors: readonly ConnectorStatus[]): Family[] {
  const rows = connectors.flatMap((connector) => [
    ...connector.channels.map((channel) => ({ labels: channelLabels(connector, channel), facts: channel })),
    ...connector.accounts_without_channel.map((account) => ({
      labels: { connector: connector.name, channel: '', account: account.account_id },
      facts: account,
    })),
  ]);
  const perAccount = (value: (facts: AccountFactsRow) => number | null): Sample[] =>
    rows.flatMap(({ labels, facts }) => sample(labels, value(facts)));
  return [
    gauge(
      'binding_state',
      'State of the sign-in: 1 for the state it is in.',
      rows.map(({ labels, facts }) => ({
        labels: { ...labels, status: facts.binding.status, code: facts.binding.code ?? '' },
        value: 1,
      })),
    ),
    gauge(
      'deliver_to',
      'Where the messages of an account go: 1 for the upstream it is.',
      rows.flatMap(({ labels, facts }) =>
        facts.deliver_to === null ? [] : [{ labels: { ...labels, upstream: facts.deliver_to }, value: 1 }],
      ),
    ),
    gauge(
      'last_round_trip_timestamp_seconds',
      'Last completed round trip with the chat network, Unix time.',
      perAccount((f) => secondsOrNull(f.last_round_trip_at)),
    ),
    gauge(
      'pending_messages',
      'Messages waiting for the agent.',
      perAccount((f) => f.pending),
    ),
    gauge(
      'pending_oldest_age_seconds',
      'Age of the oldest waiting message.',
      perAccount((f) => secondsOrNull(f.oldest_age_ms)),
    ),
    gauge(
      'pending_attempts',
      'Tries the oldest waiting message has had.',
      perAccount((f) => f.attempts),
    ),
    gauge(
      'pending_last_error',
      'Why the oldest waiting message is not delivered yet: 1 for that code; absent without one.',
      rows.flatMap(({ labels, facts }) =>
        facts.last_error === null ? [] : [{ labels: { ...labels, code: facts.last_error }, value: 1 }],
      ),
    ),
    gauge(
      'pending_retry_timestamp_seconds',
      'When the oldest waiting message is offered again, Unix time; absent while no retry is due.',
      perAccount((f) => secondsOrNull(f.retry_at)),
    ),
    gauge(
      'binding_since_timestamp_seconds',
      'Since when the sign-in is in its state, Unix time; absent where it is not known.',
      perAccount((f) => secondsOrNull(f.binding.since)),
    ),
    gauge(
      'reply_window_remaining',
      'Messages that the network still takes before the person writes again; absent where there is no such limit.',
      perAccount((f) => f.reply_window?.remaining ?? null),
    ),
    gauge(
      'reply_window_until_timestamp_seconds',
      'Until when the network takes them, Unix time; absent where there is no such limit.',
      perAccount((f) => secondsOrNull(f.reply_window?.until ?? null)),
    ),
    gauge(
      'held_replies',
      'Messages of the agent that wait until the network takes replies again.',
      perAccount((f) => f.held_replies),
    ),
    {
      name: 'messages_total',
      type: 'counter',
      help: 'Messages by how they ended.',
      samples: rows.flatMap(({ labels, facts }) =>
        Object.entries(facts.counters).map(([outcome, value]) => ({ labels: { ...labels, outcome }, value })),
      ),
    },
  ];
}

function agentServerFamilies(facts: AgentServerStatus): Family[] {
  const one = (value: number | null): Sample[] => sample({}, value);
  return [
    gauge('agent_server_state', 'State of the connection to the AgentServer: 1 for the state it is in.', [
      { labels: { status: facts.status, code: facts.code ?? '' }, value: 1 },
    ]),
    gauge(
      'agent_server_since_timestamp_seconds',
      'Since when it is in its state, Unix time; absent while it is unused.',
      one(secondsOrNull(facts.since)),
    ),
    gauge(
      'agent_server_retry_timestamp_seconds',
      'When it is tried again, Unix time; absent while it is not offline.',
      one(secondsOrNull(facts.retry_at)),
    ),
    gauge('agent_server_accounts', 'Accounts that the AgentServer serves.', one(facts.accounts)),
    gauge('agent_server_running_requests', 'Requests to the AgentServer under way.', one(facts.running)),
    gauge(
      'agent_server_waiting_answers',
      'Answers of the AgentServer that the networks have not taken yet.',
      one(facts.waiting_answers),
    ),
    {
      name: 'agent_server_events_total',
      type: 'counter',
      help: 'Requests to the AgentServer by how they ended, its questions, and frames of no use.',
      samples: Object.entries(facts.counters).map(([event, value]) => ({ labels: { event }, value })),
    },
  ];
}

type AccountFactsRow = Omit<ChannelStatus, 'account_id' | 'connector_channel_id' | 'open'>;

function channelLabels(connector: ConnectorStatus, channel: ChannelStatus): Labels {
  return { connector: connector.name, channel: channel.connector_channel_id, account: channel.account_id ?? '' };
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'gauge', help, samples };
}

function sample(labels: Labels, value: number | null): Sample[] {
  return value === null ? [] : [{ labels, value }];
}

function seconds(ms: number): number {
  return ms / MS_PER_SECOND;
}

function secondsOrNull(ms: number | null): number | null {
  return ms === null ? null : seconds(ms);
}

function renderFamily(family: Family): string {
  const name = PREFIX + family.name;
  const lines = family.samples.map(({ labels, value }) => `${name}${renderLabels(labels)} ${value}\n`);
  return `# HELP ${name} ${family.help}\n# TYPE ${name} ${family.type}\n${lines.join('')}`;
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
