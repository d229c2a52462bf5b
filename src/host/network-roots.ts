import type { Config, ConnectorName } from './config-schema.js';

/** Where each network of this build is reached. */
const ROOTS: Readonly<Record<ConnectorName, (connectors: Config['connectors']) => readonly string[]>> = {
  wechat: ({ wechat }) => [wechat.apiBaseUrl],
  telegram: ({ telegram }) => [telegram.apiRoot],
  feishu: ({ feishu }) => [feishu.apiBaseUrl, feishu.accountsBaseUrl],
  // Without a configured service each account's own domain says where it is.
  xmpp: ({ xmpp }) => (xmpp.service === null ? [] : [xmpp.service]),
  local: () => [],
};

/** The addresses that the configuration gives a network. */
export function rootsOf(name: ConnectorName, { connectors }: Config): readonly URL[] {
  return ROOTS[name](connectors).map((root) => new URL(root));
}
