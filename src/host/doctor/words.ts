import type { FindingCode } from '../../bridge/index.js';

/** What the command line says of a finding, in English: `{named}` values are the finding's own. A window has words of its own. */
interface Words {
  readonly detail: string;
  /** What the person can do; left out where nothing is to be done. */
  readonly todo?: string;
}

const OTHER_PORT = 'or choose another port (server.port, --port, or in the window)';
const AGENT_SERVER = 'start the AgentServer, or correct agentServer.url';
const NETWORK = 'check the network, a proxy, or the address in the configuration';
const PROXY =
  'start the proxy, or correct it where it is set: in the system, in HTTPS_PROXY, or as connectors.<network>.proxy in the configuration';
const PASSPHRASE = 'XAGENT_CONNECTOR_PASSPHRASE';

export const FINDING_WORDS: Readonly<Record<FindingCode, Words>> = {
  data_dir_usable: { detail: '{folder} is usable' },
  data_dir_to_be_made: { detail: '{folder} will be made' },
  data_dir_not_writable: {
    detail: "{folder} can't be written",
    todo: 'give yourself the rights to it, or choose another with --data-dir',
  },
  data_dir_open_to_others: { detail: '{folder} can be read by others', todo: 'chmod 700 {folder}' },
  disk_low: { detail: 'only {megabytes} MB are free', todo: 'free some space: without it nothing is taken in' },
  disk_full: { detail: 'only {megabytes} MB are free', todo: 'free some space: without it nothing is taken in' },

  settings_used: { detail: 'settings.json of the window goes before the configuration file for {keys}' },
  settings_damaged: {
    detail: "settings.json can't be read ({reason}); the configuration file counts alone",
    todo: 'choose port and allowed hosts anew in the window, or delete settings.json',
  },

  port_listening: { detail: 'the host listens on {url}' },
  port_any: { detail: 'a free port is taken at the start' },
  port_free: { detail: '{host}:{port} is free (from {source})' },
  port_in_use: {
    detail: 'port {port} (from {source}) is in use by another program',
    todo: `stop it, ${OTHER_PORT}`,
  },
  port_in_use_by: {
    detail: 'port {port} (from {source}) is in use by {name} (process {pid})',
    todo: `stop {name}, ${OTHER_PORT}`,
  },
  port_unusable: {
    detail: "{host}:{port} (from {source}) can't be bound ({reason})",
    todo: 'choose another port above 1023 (server.port, --port, or in the window)',
  },

  keychain_ready: { detail: 'ready' },
  keychain_locked: { detail: 'locked ({reason})', todo: 'unlock the keychain' },
  keychain_absent: {
    detail: 'not there ({reason})',
    todo: `start a keychain (such as gnome-keyring), or set secrets.store to "file" with ${PASSPHRASE}`,
  },
  keychain_failed: { detail: 'does not answer as it should ({reason})', todo: 'restart the keychain, then try again' },
  secret_file_ready: { detail: 'ready' },
  secret_file_no_passphrase: {
    detail: 'its passphrase was not given',
    todo: `give the passphrase in ${PASSPHRASE}`,
  },
  secret_file_wrong_passphrase: {
    detail: 'the passphrase is wrong: it does not open secrets.enc',
    todo: `give the passphrase that secrets.enc was made with in ${PASSPHRASE}`,
  },
  secret_file_damaged: {
    detail: 'secrets.enc is damaged; it was left as it is',
    todo: 'put a copy of secrets.enc back, or move it away and sign in again everywhere',
  },
  secret_file_failed: {
    detail: "secrets.enc can't be used ({reason})",
    todo: 'make sure that secrets.enc in the data directory can be read and written',
  },

  clock_plausible: { detail: 'plausible' },
  clock_agrees: { detail: 'agrees with the networks' },
  clock_before_build: {
    detail: 'it is before this program was made',
    todo: 'set the clock of this computer, best automatically',
  },
  clock_off: { detail: 'it is {minutes} minutes off', todo: 'set the clock of this computer, best automatically' },

  network_answers: { detail: '{host} answers' },
  network_unreachable: { detail: "{host} can't be reached ({reason})", todo: NETWORK },
  network_unreachable_unused: {
    detail: "{host} can't be reached ({reason}); nobody is signed in there",
    todo: 'nothing, unless you mean to use it',
  },
  network_by_account: { detail: 'the address of each account says where its server is' },
  network_here: { detail: 'in this program: there is nothing to reach' },

  network_answers_through_proxy: { detail: '{host} answers, through the proxy {proxy}' },
  network_unreachable_through_proxy: {
    detail: "{host} can't be reached through the proxy {proxy} ({reason})",
    todo: 'check the proxy and the network behind it',
  },
  proxy_unreachable: { detail: "the proxy {proxy} on the way to {host} can't be reached", todo: PROXY },
  proxy_refused: {
    detail: 'the proxy {proxy} does not let connections through to {host} ({reason})',
    todo: 'allow {host} at the proxy; where it answers 407, give it a user name and password in HTTPS_PROXY',
  },

  agent_server_connected: { detail: 'connected' },
  agent_server_not_connected: { detail: '{status} ({reason})', todo: AGENT_SERVER },
  agent_server_takes_connections: { detail: '{host} takes connections' },
  agent_server_unreachable: { detail: "{host} can't be reached ({reason})", todo: AGENT_SERVER },

  no_host: {
    detail: 'no host runs, so no sign-in was looked at',
    todo: 'start it with "serve" or the app',
  },
  account_connected: { detail: 'connected' },
  account_trying: { detail: '{status} ({reason})', todo: 'the host goes on trying; check the network if it lasts' },
  account_behind_proxy: { detail: '{status} ({reason})', todo: PROXY },
  account_locked_out: {
    detail: '{status} ({reason})',
    todo: `unlock the keychain, or give the right ${PASSPHRASE}, whichever is in use`,
  },
  account_without_disk: {
    detail: '{status} ({reason})',
    todo: 'see to the disk of this computer: messages are fetched again by themselves',
  },
  account_ended: { detail: '{status} ({reason})', todo: 'sign in again: sign-in {connector}' },
};
