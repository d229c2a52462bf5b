/** Codes that a window has words for, as values, so that its words can be held against them. */

/** Why the host of a window did not start; `stage: 'failed'` carries one of them. */
export const HOST_FAILURE_CODES = [
  /** Another process works on this data directory. */
  'data_dir_locked',
  /** It can't be written: rights, or a read-only disk. */
  'data_dir_read_only',
  /** A file lies where the folder should be. */
  'data_dir_not_a_folder',
  'disk_full',
  /** The database can't be used though the disk is well; the log says more. */
  'store_failed',
  /** A newer version of the program wrote it. */
  'store_newer_version',
  /** The configuration file is not as it should be; the message names each wrong key. */
  'config_invalid',
  /** The encrypted file is in use, and nobody gave its passphrase yet. */
  'passphrase_needed',
  /** The passphrase does not open the encrypted file. */
  'passphrase_wrong',
  /** The address of `server.host` is not one of this machine's. */
  'address_unavailable',
  /** Only where the host does not wait for a port. */
  'port_in_use',
  'port_forbidden',
  /** Nothing of the above; the log says more. */
  'start_failed',
] as const;
export type HostFailureCode = (typeof HOST_FAILURE_CODES)[number];

/** What the doctor finds, well or not; the values of each stand in its words of the command line (`host/doctor/words.ts`). */
export const FINDING_CODES = [
  'data_dir_usable',
  'data_dir_to_be_made',
  'data_dir_not_writable',
  'data_dir_open_to_others',
  'disk_low',
  'disk_full',
  'settings_used',
  'settings_damaged',
  'port_listening',
  'port_any',
  'port_free',
  'port_in_use',
  'port_in_use_by',
  'port_unusable',
  'keychain_ready',
  'keychain_locked',
  'keychain_absent',
  'keychain_failed',
  'secret_file_ready',
  'secret_file_no_passphrase',
  'secret_file_wrong_passphrase',
  'secret_file_damaged',
  'secret_file_failed',
  'clock_plausible',
  'clock_agrees',
  'clock_before_build',
  'clock_off',
  'network_answers',
  'network_unreachable',
  'network_unreachable_unused',
  'network_answers_through_proxy',
  'network_unreachable_through_proxy',
  'proxy_unreachable',
  'proxy_refused',
  'network_by_account',
  'network_here',
  'agent_server_connected',
  'agent_server_not_connected',
  'agent_server_takes_connections',
  'agent_server_unreachable',
  'no_host',
  'account_connected',
  'account_trying',
  'account_behind_proxy',
  'account_locked_out',
  'account_without_disk',
  'account_ended',
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];
