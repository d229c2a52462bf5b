import type { FileStore } from '../files/file-store.js';
import type { Target } from '../targets/target.js';
import type { LocalTarget } from '../targets/local/index.js';
import type { Config, ConnectorName } from './config-schema.js';

type Create = (config: Config, files: FileStore) => Promise<Target>;

/** Every chat network this build has, one line each; its code is loaded only when it is switched on. */
const NETWORKS: Partial<Record<ConnectorName, Create>> = {
  wechat: async ({ connectors }) => {
    const { apiBaseUrl, cdnBaseUrl, trustedHosts, clientVersion: channelVersion, botAgent } = connectors.wechat;
    const { createWechatTarget } = await import('../targets/wechat/index.js');
    return createWechatTarget({ apiBaseUrl, cdnBaseUrl, trustedHosts, versions: { channelVersion, botAgent } });
  },
  telegram: async ({ connectors }) =>
    (await import('../targets/telegram/index.js')).createTelegramTarget({ apiRoot: connectors.telegram.apiRoot }),
  feishu: async ({ connectors }) => {
    const { apiBaseUrl, accountsBaseUrl, registrationPage, groups } = connectors.feishu;
    const { createFeishuTarget } = await import('../targets/feishu/index.js');
    return createFeishuTarget({ apiBaseUrl, accountsBaseUrl, registrationPage, groups });
  },
  xmpp: async ({ connectors }) =>
    (await import('../targets/xmpp/index.js')).createXmppTarget({ service: connectors.xmpp.service }),
  local: async ({ delivery }, files) =>
    (await import('../targets/local/index.js')).createLocalTarget({ files, messageTtlMs: delivery.ttlMs }),
};

/** The networks that this build has, whether switched on or not. */
export const NETWORK_NAMES = Object.keys(NETWORKS) as readonly ConnectorName[];

export interface NamedTarget {
  readonly name: ConnectorName;
  readonly target: Target;
}

/**
 * The targets of all networks that are switched on, in the order of the configuration.
 * @param files where the local chat keeps what the person adds to a message
 */
export async function createTargets(config: Config, files: FileStore): Promise<NamedTarget[]> {
  const targets: NamedTarget[] = [];
  for (const name of connectorNames(config)) {
    const create = NETWORKS[name];
    if (create !== undefined && config.connectors[name].enabled)
      targets.push({ name, target: await create(config, files) });
  }
  return targets;
}

/** The person's side of the local chat, when it is switched on. */
export function localTargetOf(targets: readonly NamedTarget[]): LocalTarget | undefined {
  const target = targets.find(({ name }) => name === 'local')?.target;
  return target !== undefined && 'chat' in target ? (target as LocalTarget) : undefined;
}

function connectorNames(config: Config): ConnectorName[] {
  return Object.keys(config.connectors) as ConnectorName[];
}
