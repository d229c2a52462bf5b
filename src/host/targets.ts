import type { FileStore } from '../files/file-store.js';
import type { Target } from '../targets/target.js';
import { createFeishuTarget } from '../targets/feishu/index.js';
import { createLocalTarget, type LocalTarget } from '../targets/local/index.js';
import { createTelegramTarget } from '../targets/telegram/index.js';
import { createWechatTarget } from '../targets/wechat/index.js';
import { createXmppTarget } from '../targets/xmpp/index.js';
import type { Config, ConnectorName } from './config-schema.js';

type Create = (config: Config, files: FileStore) => Target;

/** Every chat network this build has, one line each; the library that it stands on is loaded when it is first used. */
const NETWORKS: Partial<Record<ConnectorName, Create>> = {
  wechat({ connectors }) {
    const { apiBaseUrl, cdnBaseUrl, trustedHosts, clientVersion: channelVersion, botAgent } = connectors.wechat;
    return createWechatTarget({ apiBaseUrl, cdnBaseUrl, trustedHosts, versions: { channelVersion, botAgent } });
  },
  telegram: ({ connectors }) => createTelegramTarget({ apiRoot: connectors.telegram.apiRoot }),
  feishu({ connectors }) {
    const { apiBaseUrl, accountsBaseUrl, registrationPage, groups } = connectors.feishu;
    return createFeishuTarget({ apiBaseUrl, accountsBaseUrl, registrationPage, groups });
  },
  xmpp: ({ connectors }) => createXmppTarget({ service: connectors.xmpp.service }),
  local: ({ delivery }, files) => createLocalTarget({ files, messageTtlMs: delivery.ttlMs }),
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
export function createTargets(config: Config, files: FileStore): NamedTarget[] {
  return connectorNames(config).flatMap((name) => {
    const create = NETWORKS[name];
    return create === undefined || !config.connectors[name].enabled ? [] : [{ name, target: create(config, files) }];
  });
}

/** The person's side of the local chat, when it is switched on. */
export function localTargetOf(targets: readonly NamedTarget[]): LocalTarget | undefined {
  const target = targets.find(({ name }) => name === 'local')?.target;
  return target !== undefined && 'chat' in target ? (target as LocalTarget) : undefined;
}

function connectorNames(config: Config): ConnectorName[] {
  return Object.keys(config.connectors) as ConnectorName[];
}
