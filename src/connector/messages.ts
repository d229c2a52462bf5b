/**
 * English words by code, for the `message` of auth acks and the `reason` of tools. Whoever shows a code to a person in the
 * window has its own words for it, in the person's language.
 */
const WORDS: Readonly<Record<string, string>> = {
  // Where a sign-in stands.
  starting: 'Starting the sign-in.',
  scan_qr: 'Scan the QR code to sign in.',
  confirm_on_phone: 'Scanned. Confirm on your phone.',
  qr_renewing: 'The QR code expired. A new one is on its way.',
  qr_refresh_required: 'The QR code expired. Ask for a new one.',
  verify_code: 'Enter the verify code that your phone shows.',
  verify_code_wrong: 'The verify code was not accepted. Enter the one that your phone shows now.',
  telegram_open_link: 'Open the link, or scan its QR code, and press Start in Telegram.',
  telegram_taken_over:
    'Another program reads this bot at the moment. Stop it, or use a bot of its own; the link stays valid meanwhile.',
  telegram_link_expired: 'The link is too old. Ask for a new one.',
  checking: 'Checking.',
  authenticated: 'Signed in.',
  unauthenticated: 'Not signed in.',

  // Why a sign-in ended without an account.
  canceled: 'The sign-in was canceled.',
  superseded: 'A newer sign-in took the place of this one.',
  session_expired: 'The sign-in was not completed in time. Start it again.',
  qr_expired: 'The QR code expired before it was scanned. Start the sign-in again.',
  already_connected: 'This account is already connected.',
  bound_elsewhere:
    'The network says this account is bound already, but its sign-in is not on this machine. Start the sign-in again.',
  access_denied: 'The sign-in was refused on the phone.',
  login_incomplete: 'The network confirmed the sign-in without its credentials. Try again.',
  untrusted_host: 'The network named a server that is not trusted. See trustedHosts in the configuration.',
  secrets_unavailable:
    'The sign-in can not be stored because the secret store is locked or missing. Unlock it, then sign in again.',
  disk_full:
    'The disk of this machine is full, so the sign-in could not be stored. Free some space, then sign in again.',
  store_unavailable: 'The sign-in could not be stored on this machine. Check the disk, then sign in again.',
  network_unreachable: 'The network could not be reached. Try again.',
  telegram_token_malformed: 'This is no bot token. It looks like 123456789:ABC…; BotFather shows it.',
  telegram_token_refused: 'Telegram does not accept this bot token. Copy it from BotFather once more.',
  telegram_chat_id_malformed: 'This is no chat id. It is a number, such as 123456789 or -1001234567890.',
  telegram_chat_is_the_bot: 'This is the id of the bot itself. The id of your chat is wanted.',
  telegram_chat_not_found: 'The bot does not know this chat. Open the bot and press Start first.',
  telegram_chat_blocked: 'The bot is blocked in this chat, or not a member of it.',
  telegram_chat_is_channel: 'A channel is no conversation. Bind a private chat or a group.',
  telegram_webhook_active: 'A webhook is set for this bot, so its messages go there. Remove it, or use another bot.',
  xmpp_jid_malformed: 'This is no XMPP address of an account. It looks like bot@example.org.',
  xmpp_peer_malformed: 'This is no XMPP address of yours. It looks like ada@example.org.',
  xmpp_peer_is_account: 'The agent needs an account of its own, not the one you write with.',
  xmpp_password_missing: 'The password of the account is wanted.',
  xmpp_credentials_refused: 'The server does not accept the address and password.',
  xmpp_tls_required: 'The server offers no encryption, so it is not spoken to.',
  xmpp_certificate_refused: "The server's certificate is not valid for its domain.",
  xmpp_mechanism_unsupported: 'The server offers no way to sign in that is known here.',
  sign_in_refused: 'The network refused the sign-in.',
  internal_error: 'The sign-in failed inside the connector.',
  agent_server_only:
    'This connector delivers to an AgentServer and takes no xAgent sign-in. Sign in from its own window, or set deliverTo to "xagent".',

  // Why tools of an account are not available.
  not_signed_in: 'No account is signed in on this channel.',
  connecting: 'Connecting to the network.',
  secrets_locked: 'The sign-in is locked in the secret store.',
  secrets_absent: 'The secret store that holds the sign-in is missing.',
  secrets_failed: 'The secret store that holds the sign-in does not answer.',
  unreachable: 'The network can not be reached.',
  proxy_unreachable: 'The proxy on the way to the network can not be reached. "doctor" names it.',
  proxy_refused: 'The proxy on the way to the network does not let the connection through. "doctor" names it.',
  timeout: 'The network does not answer in time.',
  no_answer: 'The network does not answer.',
  connection_lost: 'The connection to the network is lost.',
  rate_limited: 'The network asks to slow down.',
  server_error: 'The network has a fault of its own.',
  gateway_error: 'A gateway on the way to the network has a fault.',
  answer_too_large: 'The network answers more than is read at once.',
  aborted: 'The call to the network was broken off.',
  not_connected: 'There is no connection to the network.',
  conflict: 'Another program reads this account too. It is tried again.',
  offset_ignored: 'The server sends again what it was told is done. Is it a real Bot API server?',
  target_rejected: 'The network refused the call.',
  bot_disabled: 'The bot of the app is switched off. Switch it on in the developer console.',
  permission_missing: 'The app lacks a permission. Grant it in the developer console.',
  taken_over: 'Another program reads this account now.',
  polled_elsewhere: 'Another program reads this account now.',
  too_many_connections: 'The bot has too many connections. Is it used by another program as well?',
  webhook_active: 'This bot sends its messages to a webhook, so none arrive here.',
  blocked: 'The person blocked this bot.',
  token_revoked: 'The token was revoked. Sign in again.',
  stale_token: 'The network does not take the sign-in; it is tried once more.',
  sent_unconfirmed: 'The network takes replies but confirms none of them: the person may not see them.',
  signed_out: 'The network ended this sign-in. Sign in again.',
  credentials_refused: 'The server does not accept the address and password any more. Sign in again.',
  tls_required: 'The server offers no encryption, so it is not spoken to.',
  certificate_refused:
    "The server's certificate is not trusted: it is not valid, or something on the way shows one of its own.",
  mechanism_unsupported: 'The server offers no way to sign in that is known here.',
  host_unknown: 'The server does not serve this domain.',
  used_elsewhere: 'Another program took the place of this one at the server.',
  server_busy: 'The server is busy.',
  server_restarts: 'The server restarts.',
  server_policy: 'The server ended the connection by a rule of its own.',
  bad_answer: 'The server does not answer as it should.',
  backlog_full: 'Too many messages wait for the agent, so no more are fetched.',
  store_disk_full: 'The disk of this machine is full, so no messages are fetched. Free some space.',
  store_read_only: 'The disk of this machine can not be written, so no messages are fetched.',
  store_damaged: 'The database on this machine is damaged, so no messages are fetched.',
  store_gone: 'The folder with the data of this program was removed. Start the program again.',
  store_failed: 'The disk of this machine does not work as it should, so no messages are fetched.',
  store_closed: 'The connector is stopping.',
  local_store_unavailable: 'The local chat could not be stored on this machine. Check the disk.',
  credentials_missing: 'The stored sign-in is gone. Sign in again.',
  account_damaged: 'What was stored of this sign-in can not be read. Sign in again.',
};

/** Codes made of a number that a network gave: `http_502`, `ret_-7`, `feishu_99991`. */
const NUMBERED = /^(?:http|ret|feishu)_-?\d+$/;
const NUMBERED_WORDS = 'The network answered with an error of its own.';

/** The words of a code; `fallback` where the code is a network's own and has none here. */
export function words(code: string, fallback: string): string {
  return WORDS[code] ?? (NUMBERED.test(code) ? NUMBERED_WORDS : fallback);
}

/** Codes this room itself uses, so that a misspelled one does not compile. */
export function ownWords(code: OwnCode): string {
  return WORDS[code] ?? code;
}

export type OwnCode =
  | 'starting'
  | 'checking'
  | 'authenticated'
  | 'unauthenticated'
  | 'canceled'
  | 'superseded'
  | 'session_expired'
  | 'secrets_unavailable'
  | 'disk_full'
  | 'store_unavailable'
  | 'network_unreachable'
  | 'certificate_refused'
  | 'proxy_unreachable'
  | 'proxy_refused'
  | 'internal_error'
  | 'agent_server_only'
  | 'not_signed_in';
