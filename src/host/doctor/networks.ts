import { STRAIGHT } from '../../base/proxy/way-out.js';
import type { Finding, FindingCode, Snapshot } from '../../bridge/index.js';
import type { Config, ConnectorName } from '../config-schema.js';
import { rootsOf } from '../network-roots.js';
import { NETWORK_NAMES } from '../targets.js';
import type { WaysOut } from '../ways-out.js';
import { finding } from './finding.js';
import { reach, type Reached } from './reach.js';

/** What there is to say of a network that has no address of its own to be asked at. */
const WITHOUT_ROOT: Readonly<Partial<Record<ConnectorName, FindingCode>>> = {
  xmpp: 'network_by_account',
  local: 'network_here',
};

/**
 * @param signedIn whether an account of a network is signed in; one that nobody uses may be out of reach for good
 * @returns the findings, and what the networks say the time is, Unix ms
 */
export async function checkNetworks(
  config: Config,
  waysOut: WaysOut,
  signedIn: (name: string) => boolean,
): Promise<{ findings: Finding[]; times: number[] }> {
  const names = NETWORK_NAMES.filter((name) => config.connectors[name].enabled);
  const reached = await Promise.all(
    names.flatMap((name) =>
      rootsOf(name, config).map(async (root) => {
        const wayOut = waysOut.fresh(name);
        // Known before, so that a proxy which says nothing until the time is over is named too.
        await wayOut.look(root);
        const reached = await reach(root, wayOut);
        const proxy = wayOut.isStraight(root) ? undefined : wayOut.way?.proxy?.address;
        return { name, host: root.host, ...reached, proxy };
      }),
    ),
  );
  const unasked = names.flatMap((name) => {
    const code = rootsOf(name, config).length === 0 ? WITHOUT_ROOT[name] : undefined;
    return code === undefined ? [] : [finding(name, 'ok', code)];
  });
  return {
    findings: [...reached.map((one) => findingOf(one, signedIn(one.name))), ...unasked],
    times: reached.flatMap(({ time }) => (time === undefined ? [] : [time])),
  };
}

interface ReachedNetwork extends Reached {
  readonly name: string;
  readonly host: string;
  /** `host:port` of the proxy on the way. */
  readonly proxy: string | undefined;
}

/** A network that nobody uses may be out of reach for good. */
function findingOf({ name, host, answered, code, refusal, proxy }: ReachedNetwork, isUsed: boolean): Finding {
  if (answered && proxy === undefined) return finding(name, 'ok', 'network_answers', { host });
  if (proxy === undefined) {
    return isUsed
      ? finding(name, 'broken', 'network_unreachable', { host, reason: code })
      : finding(name, 'warn', 'network_unreachable_unused', { host, reason: code });
  }
  if (answered) return finding(name, 'ok', 'network_answers_through_proxy', { host, proxy });
  const status = isUsed ? 'broken' : 'warn';
  if (code === 'proxy_unreachable') return finding(name, status, 'proxy_unreachable', { host, proxy });
  if (code === 'proxy_refused') return finding(name, status, 'proxy_refused', { host, proxy, reason: refusal ?? code });
  return finding(name, status, 'network_unreachable_through_proxy', { host, proxy, reason: code });
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
  const url = new URL(config.agentServer.url);
  const { host } = url;
  const { answered, code } = await reach(url, STRAIGHT);
  return [
    answered
      ? finding(check, 'ok', 'agent_server_takes_connections', { host })
      : finding(check, 'broken', 'agent_server_unreachable', { host, reason: code }),
  ];
}
