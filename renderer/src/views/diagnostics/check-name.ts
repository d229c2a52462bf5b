import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import type { Words } from '../../words/index.js';

/** Checks of the host that are about the program itself, by the name the host gives them. */
const OWN = {
  'data directory': 'diagnostics.names.data_dir',
  port: 'diagnostics.names.port',
  settings: 'diagnostics.names.settings',
  keychain: 'diagnostics.names.secrets',
  'secret file': 'diagnostics.names.secret_file',
  clock: 'diagnostics.names.clock',
  'agent server': 'diagnostics.names.agent_server',
  accounts: 'diagnostics.names.accounts',
} as const;

/** What was looked at: a part of the program, a network, or `<network> <account>` for one sign-in. */
export function checkName(check: string, connectors: readonly ConnectorSnapshot[], words: Words): string {
  if (isOwn(check)) return words.t(OWN[check]);
  const connector = connectors.find(({ name }) => check === name || check.startsWith(`${name} `));
  if (connector === undefined) return check;
  const network = words.network(connector.name, connector.label);
  const account = check.slice(connector.name.length + 1);
  return account === '' ? network : words.t('diagnostics.names.sign_in', { network, account });
}

function isOwn(check: string): check is keyof typeof OWN {
  return Object.hasOwn(OWN, check);
}
