import type { Finding, Snapshot } from '../../bridge/index.js';
import type { Config, ConnectorName } from '../config-schema.js';
import { NETWORK_NAMES } from '../targets.js';
import { finding } from './finding.js';
import { reach } from './reach.js';

/** Where each network of this build is reached. */
const ROOTS: Readonly<Record<ConnectorName, (config: Config) => readonly string[]>> = {
  wechat: ({ connectors }) => [connectors.wechat.apiBaseUrl],
  telegram: ({ connectors }) => [connectors.telegram.apiRoot],
  feishu: ({ connectors }) => [connectors.feishu.apiBaseUrl, connectors.feishu.accountsBaseUrl],
  // Without a configured service each account's own domain says where it is.
  xmpp: ({ connectors }) => (connectors.xmpp.service === null ? [] : [connectors.xmpp.service]),
  local: () => [],
};

/**
 * @param signedIn whether an account of a network is signed in; one that nobody uses may be out of reach for good
 * @returns the findings, and what the networks say the time is, Unix ms
 */
export async function checkNetworks(
  config: Config,
  signedIn: (name: string) => boolean,
): Promise<{ findings: Finding[]; times: number[] }> {
  const names = (Object.keys(ROOTS) as ConnectorName[]).filter(
    (name) => NETWORK_NAMES.includes(name) && config.connectors[name].enabled,
  );
  const reached = await Promise.all(
    names.flatMap((name) =>
      ROOTS[name](config).map(async (root) => ({ name, host: new URL(root).host, ...(await reach(root)) })),
    ),
  );
  return {
    findings: reached.map(({ name, host, answered, code }) => {
      if (answered) return finding(name, 'ok', 'network_answers', { host });
      return signedIn(name)
        ? finding(name, 'broken', 'network_unreachable', { host, reason: code })
        : finding(name, 'warn', 'network_unreachable_unused', { host, reason: code });
    }),
    times: reached.flatMap(({ time }) => (time === undefined ? [] : [time])),
  };
}

/**
 * Whether the AgentServer is there, when something delivers to it. Never by a connection of its own to the WebSocket: when any
 * of those closes, a server cancels everything it is working on.
 */
export async function checkAgentServer(config: Config, running: Snapshot | undefined): Promise<Finding[]> {
  const check = 'agent server';
  if (running !== undefined && running.agentServer.accounts > 0) {
    const { state } = running.agentServer;
    if (state.status === 'connected') return [finding(check, 'ok', 'agent_server_connected')];
    const reason = 'code' in state ? state.code : state.status;
    return [finding(check, 'broken', 'agent_server_not_connected', { status: state.status, reason })];
  }
  const isUsed = Object.values(config.connectors).some(
    ({ enabled, deliverTo }) => enabled && deliverTo === 'agentServer',
  );
  if (!isUsed) return [];
  const { host } = new URL(config.agentServer.url);
  const { answered, code } = await reach(config.agentServer.url);
  return [
    answered
      ? finding(check, 'ok', 'agent_server_takes_connections', { host })
      : finding(check, 'broken', 'agent_server_unreachable', { host, reason: code }),
  ];
}
